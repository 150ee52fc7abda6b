// compiled_run.h: a small program, compiled with the plugin, run, and its counts read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "format/instrument_plan.h"

namespace tare::compiled {

// "NAME" for the number of events, "NAME sum" and so on for its values, "NAME histogram 3" for a
// bucket that is not empty, "function NAME" for a function that was selected.
using Counts = std::map<std::string, std::int64_t>;

struct Built {
  int status = -1;       // of the compiler
  std::string messages;  // of the compiler
};

class CompiledProgram {
 public:
  // `sources` are files of tests/programs/compiled. The first one's ending chooses the language.
  CompiledProgram(std::vector<std::string> sources, format::InstrumentPlan plan);
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;
  ~CompiledProgram();

  Built Build(const std::vector<std::string>& flags);
  // What the program prints. Its counts are Counted()'s.
  std::string Run();
  // Over all processes and modules, as docs/formats/counters.md says.
  Counts Counted() const;

  std::filesystem::path Executable() const { return directory_ / "program"; }
  std::filesystem::path Directory() const { return directory_; }

 private:
  std::vector<std::string> sources_;
  format::InstrumentPlan plan_;
  std::filesystem::path directory_;
};

std::filesystem::path SourceFile(const std::string& name);
// "NAME:LINE" of the line that ends in "// MARK".
std::string MarkedLine(const std::string& name, const std::string& mark);

// Empty, or what is missing here.
std::string WhyNot();

// The compiler with the plugin and without a plan.
std::string CompilerCommand();

// Output and status of a shell command.
Built Shell(const std::string& command);

}  // namespace tare::compiled
