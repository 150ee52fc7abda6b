// program.h: resolves a command line to an executable file and checks that it can be measured.
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
  std::vector<std::string> arguments;  // the first is searched in $PATH unless it contains a '/'
};

struct ResolvedProgram {
  enum class Form { kElf, kScript, kOther };

  std::filesystem::path path;          // absolute
  std::filesystem::path script;        // of an interpreter: the script it runs, as resolved
  std::vector<std::string> arguments;  // as given
  Form form = Form::kOther;            // also kOther if the file is executable but not readable
  std::string interpreter;             // script: the path after "#!"
  std::string interpreter_argument;    // script: the rest of the first line
  unsigned bits = 0;                   // ELF: 32 or 64
  std::uint16_t machine = 0;           // ELF: e_machine
  bool foreign = false;                // ELF for another architecture, or 32-bit
  bool static_pie = false;             // position-independent ELF without PT_INTERP

  // For example "valgrind --tool=x". If not empty, its first word, an absolute path, is executed,
  // and the program's path and arguments follow the other words.
  std::vector<std::string> prefix;
};

// Finds the file. kNotFound if there is none; kCannotExecute for directories, files without execute
// permission, and setuid, setgid or capability files: those lose their privileges when traced, or
// cannot be traced (execve(2)).
Result<ResolvedProgram> Resolve(const Program& program);
Result<ResolvedProgram> Resolve(const Program& program, std::string_view search_path);

// The interpreter of a script as a program: what the kernel starts for its first line, resolved
// through "env" if the line uses it. Any other program is returned unchanged.
Result<ResolvedProgram> WithoutScript(const ResolvedProgram& program);

// What the user named: a script, not its interpreter.
const std::filesystem::path& GivenPath(const ResolvedProgram& program);
// Its file name, for titles and sentences.
std::string ShownName(const ResolvedProgram& program);

// Whether the program starts with settings in GLIBC_TUNABLES. A static-PIE program of glibc 2.36 on
// AArch64 crashes: before it relocates itself, it compares glibc.cpu.name with names through
// unrelocated pointers.
bool ToleratesTunables(const ResolvedProgram& program);

// `wanted`, without the parts that the program does not support.
Environment ForProgram(const ResolvedProgram& program, Environment wanted);

// The program run under the command `prefix`, whose first word is resolved like a program;
// kUnsupported if that fails.
Result<ResolvedProgram> Wrapped(ResolvedProgram program, std::vector<std::string> prefix);

}  // namespace tare::run
