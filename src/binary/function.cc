// function.cc: names of C++ functions for people.
#include "binary/function.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace tare::binary {

std::string Demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  const std::size_t at = name.find('@');
  const std::string mangled = name.substr(0, at);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || text == nullptr) return name;
  return std::string(text.get()) + (at == std::string::npos ? "" : name.substr(at));
}

}  // namespace tare::binary
