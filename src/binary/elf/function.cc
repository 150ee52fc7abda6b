// function.cc: demangling names of C++ and Rust functions.
#include "binary/elf/function.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

// Otherwise libiberty declares basename differently from the C library.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

namespace tare::elf {
namespace {

// Back references let a mangled name of a kilobyte expand to more text than fits into memory.
constexpr std::size_t kLongestReadable = std::size_t{64} << 10;
constexpr std::size_t kLongestName = std::size_t{32} << 10;

struct Collected {
  std::jmp_buf too_long;
  char* text;
  std::size_t size;
};

// The callback cannot return a stop request. longjmp is safe: its callers are C and own no
// resources.
void Collect(const char* text, std::size_t size, void* opaque) {
  auto* collected = static_cast<Collected*>(opaque);
  if (size > kLongestReadable - collected->size) std::longjmp(collected->too_long, 1);
  std::memcpy(collected->text + collected->size, text, size);
  collected->size += size;
}

using Demangler = int (*)(const char*, int, demangle_callbackref, void*);

// `text` has room for kLongestReadable. Returns the used size, or nothing on failure.
std::optional<std::size_t> Demangle(Demangler demangler, const char* name, char* text) {
  Collected collected;
  collected.text = text;
  collected.size = 0;
  if (setjmp(collected.too_long) != 0) return std::nullopt;
  if (demangler(name, DMGL_PARAMS | DMGL_ANSI, &Collect, &collected) == 0) return std::nullopt;
  return collected.size;
}

std::optional<std::string> Readable(Demangler demangler, std::string_view name) {
  if (name.size() > kLongestName) return std::nullopt;
  const std::string terminated(name);
  const auto text = std::make_unique_for_overwrite<char[]>(kLongestReadable);
  const auto size = Demangle(demangler, terminated.c_str(), text.get());
  if (!size) return std::nullopt;
  return std::string(text.get(), *size);
}

// The end of a legacy Rust name, which ends in "17h", 16 hexadecimal digits and "E".
std::optional<std::size_t> EndOfLegacyRust(std::string_view name) {
  constexpr std::size_t kHash = 3 + 16 + 1;
  const std::size_t at = name.rfind("17h");
  if (at == std::string_view::npos || name.size() - at < kHash || name[at + kHash - 1] != 'E')
    return std::nullopt;
  const std::string_view digits = name.substr(at + 3, 16);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  return at + kHash;
}

std::optional<std::string> ReadableRust(std::string_view name) {
  std::size_t end = name.size();
  if (name.starts_with("_R")) {
    end = std::min(name.find('.'), name.size());
  } else if (const auto legacy = EndOfLegacyRust(name)) {
    end = *legacy;
  } else {
    return std::nullopt;
  }
  auto text = Readable(&rust_demangle_callback, name.substr(0, end));
  if (!text) return std::nullopt;
  // The same form as for clones of C++ functions.
  if (end < name.size()) *text += " [clone " + std::string(name.substr(end)) + "]";
  return text;
}

}  // namespace

std::string Demangled(const std::string& name) {
  if (!name.starts_with("_Z") && !name.starts_with("_R")) return name;
  const std::size_t at = std::min(name.find('@'), name.size());
  const std::string_view mangled = std::string_view(name).substr(0, at);
  auto text = ReadableRust(mangled);
  if (!text && name.starts_with("_Z")) text = Readable(&cplus_demangle_v3_callback, mangled);
  return text ? *text + name.substr(at) : name;
}

}  // namespace tare::elf
