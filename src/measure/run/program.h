// program.h: which file a command line means, and whether it can be measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "measure/run/setting.h"

namespace tare::run {

struct Program {
  std::vector<std::string> arguments;  // the first is searched in $PATH unless it holds a '/'
};

struct ResolvedProgram {
  enum class Form { kElf, kScript, kOther };

  std::filesystem::path path;          // absolute
  std::vector<std::string> arguments;  // as they were given
  Form form = Form::kOther;            // kOther too when the file may be run and not read
  std::string interpreter;             // of a script, the path after "#!"
  std::string interpreter_argument;    // of a script, what follows that path in its first line
  unsigned bits = 0;                   // of an ELF file: 32 or 64
  std::uint16_t machine = 0;           // of an ELF file: e_machine
  bool foreign = false;                // an ELF file for another machine, or of 32 bits
  bool static_pie = false;             // an ELF file that may lie anywhere and names no loader

  // "valgrind --tool=x": when not empty, its first word, an absolute path, is executed, and the
  // program's path and arguments follow the others.
  std::vector<std::string> prefix;
};

// Finds the file. kNotFound when there is none; kCannotExecute for directories, files without
// execute permission, and files that change the user or gain capabilities when they run: those lose
// them under observation, or cannot be observed.
Result<ResolvedProgram> Resolve(const Program& program);
Result<ResolvedProgram> Resolve(const Program& program, std::string_view search_path);

// A script as the program that runs it: what the kernel would start for its first line, found
// through "env" where that stands there. Everything else comes back as it is.
Result<ResolvedProgram> WithoutScript(const ResolvedProgram& program);

// Whether it starts with settings in GLIBC_TUNABLES. Before it has relocated itself, a static-PIE
// program of glibc 2.36 on AArch64 compares glibc.cpu.name with names behind pointers that are not
// relocated yet, and dies.
bool BearsTunables(const ResolvedProgram& program);

// `wanted`, as far as the program bears it.
Environment ForProgram(const ResolvedProgram& program, Environment wanted);

// The program run under the command `prefix`, whose first word is found as Resolve does;
// kUnsupported when that fails.
Result<ResolvedProgram> Wrapped(ResolvedProgram program, std::vector<std::string> prefix);

}  // namespace tare::run
