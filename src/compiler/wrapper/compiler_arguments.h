// compiler_arguments.h: what a command line of clang or gcc asks for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tare::wrapper {

enum class LastStep {
  kNothing,     // a question to the compiler, or a check of the source: no code is made
  kPreprocess,  // -E, -M
  kCompile,     // -S, -c: of each source a file
  kLink,        // a program, a shared library or, with -r, one object
};

enum class DebugInformation { kNone, kLines, kFull };

struct CompilerInput {
  std::string path;     // "-" is the standard input
  bool source = false;  // the compiler makes code of it: no assembler, no object, no header
  bool cxx = false;
  std::size_t at = 0;  // among the arguments

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
  std::vector<std::string> libraries;            // of -l
  std::vector<std::string> library_directories;  // of -L

  bool HasSource() const;
  // A program or shared library is made.
  bool Links() const;
};

// `cxx`: the compiler was called as one for C++.
CompilerArguments Understand(std::span<const std::string> arguments, bool cxx);

// Files named as @FILE replaced by the arguments in them, files in files too; what cannot be read
// stays as it is, as the compilers do it.
std::vector<std::string> WithResponseFiles(std::span<const std::string> arguments);

// Options that put off making code until the program is linked.
bool IsLinkTimeOptimisation(std::string_view argument);

}  // namespace tare::wrapper
