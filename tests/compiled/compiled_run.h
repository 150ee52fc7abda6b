// compiled_run.h: compiles a small program with the plugin, runs it, and reads its counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "format/instrument_plan.h"

namespace tare::compiled {

// "NAME" is the number of events, "NAME sum" and so on are of its values, "NAME histogram 3" is a
// nonempty bucket, "function NAME" is a selected function.
using Counts = std::map<std::string, std::int64_t>;

struct Built {
  int status = -1;       // of the compiler
  std::string messages;  // of the compiler
};

class CompiledProgram {
 public:
  // `sources` are files of tests/programs/compiled. The extension of the first selects the
  // language.
  CompiledProgram(std::vector<std::string> sources, format::InstrumentPlan plan);
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;
  ~CompiledProgram();

  Built Build(const std::vector<std::string>& flags);
  // Runs the program and returns its output. Counted() returns its counts.
  std::string Run();
  // Totals over all processes and modules, as docs/formats/counters.md defines them.
  Counts Counted() const;

  std::filesystem::path Executable() const { return directory_ / "program"; }
  std::filesystem::path Directory() const { return directory_; }

 private:
  std::vector<std::string> sources_;
  format::InstrumentPlan plan_;
  std::filesystem::path directory_;
};

std::filesystem::path SourceFile(const std::string& name);
// Returns "NAME:LINE" of the line that ends in "// MARK".
std::string MarkedLine(const std::string& name, const std::string& mark);

// Returns what is missing on this machine; empty when nothing is.
std::string WhyNot();

// Returns the compiler command with the plugin and without a plan.
std::string CompilerCommand();

// Returns output and exit status of a shell command.
Built Shell(const std::string& command);

}  // namespace tare::compiled
