// toolchain.h: compilers and binutils for both architectures, on either of them.
#pragma once

#include <array>
#include <cstdlib>
#include <map>
#include <ostream>
#include <string>

#include "binary/decode/architecture.h"

namespace tare::decode {

inline void PrintTo(Architecture architecture, std::ostream* out) { *out << Name(architecture); }

}  // namespace tare::decode

namespace tare {

inline constexpr std::array kArchitectures = {decode::Architecture::kX86_64,
                                              decode::Architecture::kAArch64};

inline std::string TripleOf(decode::Architecture architecture) {
  return std::string(decode::Name(architecture)) + "-linux-gnu";
}

// Adapts a command that starts with the name of a compiler or binutils program to the architecture.
// Unchanged for the host's own; otherwise clang with a target, or the program of Debian's cross
// toolchain: "aarch64-linux-gnu-gcc".
inline std::string CommandFor(decode::Architecture architecture, const std::string& command) {
  if (architecture == decode::HostArchitecture()) return command;
  if (!command.starts_with("clang")) return TripleOf(architecture) + "-" + command;
  const auto name = command.find(' ');
  return command.substr(0, name) + " --target=" + TripleOf(architecture) +
         (name == std::string::npos ? "" : command.substr(name));
}

// Returns why no program can be compiled and linked for the architecture; empty when one can. clang
// also uses the libraries and linker of the cross compiler.
inline std::string WhyNoToolchain(decode::Architecture architecture) {
  static std::map<decode::Architecture, bool> found;
  const std::string compiler = CommandFor(architecture, "g++");
  const auto [known, is_new] = found.try_emplace(architecture, false);
  if (is_new) known->second = std::system((compiler + " --version > /dev/null 2>&1").c_str()) == 0;
  return known->second ? "" : "there is no " + compiler + " here";
}

}  // namespace tare
