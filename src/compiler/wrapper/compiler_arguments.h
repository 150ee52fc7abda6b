// compiler_arguments.h: parses a command line of clang or gcc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare::wrapper {

enum class LastStep {
  kNothing,     // a query to the compiler, or a check of the source: no code is generated
  kPreprocess,  // -E, -M
  kCompile,     // -S, -c: one file per source
  kLink,        // a program, a shared library or, with -r, one object
};

enum class DebugInformation { kNone, kLines, kFull };

struct CompilerInput {
  std::string path;     // "-" is the standard input
  bool source = false;  // compiled to code: not assembler, object or header
  bool cxx = false;
  std::size_t at = 0;  // index in the arguments

  friend bool operator==(const CompilerInput&, const CompilerInput&) = default;
};

struct CompilerArguments {
  LastStep last_step = LastStep::kLink;
  std::vector<CompilerInput> inputs;
  std::string output;  // empty: not given
  bool shared = false;
  bool relocatable = false;  // -r
  bool dry = false;          // -###: nothing is run
  DebugInformation debug = DebugInformation::kNone;
  std::vector<std::string> libraries;            // from -l
  std::vector<std::string> library_directories;  // from -L

  bool HasSource() const;
  // Whether a program or shared library is linked.
  bool Links() const;
};

// `cxx`: the compiler was called as a C++ compiler.
CompilerArguments Understand(std::span<const std::string> arguments, bool cxx);

// Replaces @FILE by the arguments in that file, recursively. Files that cannot be read are left as
// they are, as the compilers do.
std::vector<std::string> WithResponseFiles(std::span<const std::string> arguments);

// Whether the option postpones code generation until link time.
bool IsLinkTimeOptimisation(std::string_view argument);

}  // namespace tare::wrapper
