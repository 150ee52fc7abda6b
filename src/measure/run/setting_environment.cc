// setting_environment.cc: builds the environment block and padded paths.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::run {
namespace {

constexpr std::string_view kPad = "TARE_PAD";
constexpr std::string_view kTunables = "GLIBC_TUNABLES";

struct Tunable {
  std::string_view name;
  std::string_view value;
};

// Emulators do not support rseq(2), which glibc registers in every new thread.
constexpr Tunable kNoRestartableSequences{"glibc.pthread.rseq", "0"};

#if defined(__x86_64__)
// Makes glibc select its SSE2 versions, which every engine supports, regardless of the processor's
// vendor, and copy large blocks the same way regardless of the cache sizes. glibc ignores names
// that its version does not know.
constexpr auto kPinnedTunables = std::to_array<Tunable>({
    {"glibc.cpu.hwcaps",
     "-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-ERMS,-FSRM,-BMI2,-EVEX,-RTM,-AVX,-SSE4_2,-SSSE3,-SSE4_1,"
     "-MOVBE,-LZCNT,-BMI1,-FMA,-FMA4,-XSAVE,-XSAVEC,-AVX_Fast_Unaligned_Load,-Fast_Rep_String,"
     "-Fast_Copy_Backward,-Slow_BSF,-Prefer_ERMS,-Prefer_FSRM,Fast_Unaligned_Load,"
     "Fast_Unaligned_Copy,Prefer_PMINUB_for_stringop"},
    {"glibc.cpu.x86_data_cache_size", "0x8000"},
    {"glibc.cpu.x86_shared_cache_size", "0x100000"},
    {"glibc.cpu.x86_non_temporal_threshold", "0xc0000"},
    {"glibc.cpu.x86_rep_movsb_threshold", "0x800"},
    {"glibc.cpu.x86_rep_stosb_threshold", "0x800"},
    kNoRestartableSequences,
});
#else
constexpr auto kPinnedTunables =
    std::to_array<Tunable>({{"glibc.cpu.name", "generic"}, kNoRestartableSequences});
#endif

// OPENSSL_ia32cap(3): bit 32 + n of the first word is bit n of ECX of CPUID leaf 1; ":0" disables
// everything that leaf 7 reports. OPENSSL_armcap has no manual page; its bit 0 is NEON.
Variable OpensslPin() {
#if defined(__x86_64__)
  std::uint64_t off = 0;
  // PCLMULQDQ, SSSE3, XOP, FMA, SSE4.1, SSE4.2, MOVBE, AES, XSAVE, OSXSAVE, AVX, F16C, RDRAND.
  for (const unsigned bit : {1U, 9U, 11U, 12U, 19U, 20U, 22U, 25U, 26U, 27U, 28U, 29U, 30U}) {
    off |= std::uint64_t{1} << (32 + bit);
  }
  return {"OPENSSL_ia32cap", fmt::format("~{:#x}:0", off)};
#else
  return {"OPENSSL_armcap", "1"};
#endif
}

std::string_view NameOf(std::string_view entry) { return entry.substr(0, entry.find('=')); }

void Remove(std::vector<std::string>& entries, std::string_view name) {
  std::erase_if(entries, [&](const std::string& entry) { return NameOf(entry) == name; });
}

// Replaces an existing entry in place.
void Set(std::vector<std::string>& entries, std::string_view name, std::string_view value) {
  const auto found = std::ranges::find(entries, name, NameOf);
  const auto place = found - entries.begin();
  Remove(entries, name);
  entries.insert(entries.begin() + place, fmt::format("{}={}", name, value));
}

std::string_view ValueOf(const std::vector<std::string>& entries, std::string_view name) {
  const auto found = std::ranges::find(entries, name, NameOf);
  if (found == entries.end() || found->size() <= name.size()) return "";
  return std::string_view(*found).substr(name.size() + 1);
}

std::vector<Tunable> TunablesOf(const Environment& wanted) {
  std::vector<Tunable> tunables;
  if (wanted.PinsTunables()) tunables.assign(kPinnedTunables.begin(), kPinnedTunables.end());
  for (const auto& [name, value] : wanted.tunables) tunables.push_back({name, value});
  return tunables;
}

// "name=value:name=value": ours replace those with the same names; the others are kept.
std::string MergedTunables(std::string_view present, const std::vector<Tunable>& ours) {
  std::string merged;
  for (const auto part : std::views::split(present, ':')) {
    const std::string_view tunable(part.begin(), part.end());
    const bool replaced = std::ranges::find(ours, NameOf(tunable), &Tunable::name) != ours.end();
    if (!tunable.empty() && !replaced) merged += fmt::format("{}:", tunable);
  }
  for (const Tunable& tunable : ours) merged += fmt::format("{}={}:", tunable.name, tunable.value);
  merged.pop_back();
  return merged;
}

void Pin(const Environment& wanted, std::vector<std::string>& entries) {
  if (const auto tunables = TunablesOf(wanted); !tunables.empty()) {
    Set(entries, kTunables, MergedTunables(ValueOf(entries, kTunables), tunables));
  }
  if (wanted.uncontrolled) return;
  if (wanted.pin_dispatch) {
    const Variable openssl = OpensslPin();
    Set(entries, openssl.first, openssl.second);
  }
  if (wanted.bind_now) Set(entries, "LD_BIND_NOW", "1");
  if (wanted.pin_seeds) {
    Set(entries, "PYTHONHASHSEED", "0");
    Set(entries, "PERL_HASH_SEED", "0");
    Set(entries, "PERL_PERTURB_KEYS", "0");
  }
}

Result<void> RequireName(std::string_view name) {
  if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string_view::npos) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("\"{}\" is not a valid name of an environment variable", Printable(name)));
  }
  return {};
}

// Stable for duplicate names: programs see the first value (getenv(3)).
void SortByName(std::vector<std::string>& entries) {
  std::vector<std::pair<std::string, std::size_t>> places;
  for (std::size_t i = 0; i < entries.size(); ++i) places.emplace_back(NameOf(entries[i]), i);
  std::ranges::sort(places);
  std::vector<std::string> sorted;
  for (const auto& [name, place] : places) sorted.push_back(std::move(entries[place]));
  entries = std::move(sorted);
}

Result<void> Pad(std::vector<std::string>& entries, std::size_t bytes) {
  // Added even if its value is empty, because the entry also takes a pointer on the stack.
  entries.push_back(fmt::format("{}=", kPad));
  const std::size_t least = BlockBytes(entries);
  if (least > bytes) {
    return Fail(ErrorKind::kUsage, fmt::format("the environment cannot have {} bytes: it already "
                                               "has {}; use a larger size, or clear it",
                                               bytes, least));
  }
  entries.back().append(bytes - least, 'x');
  return {};
}

}  // namespace

Environment ForProgram(const ResolvedProgram& program, Environment wanted) {
  if (!ToleratesTunables(program)) wanted.keep_tunables = true;
  return wanted;
}

std::vector<std::string> InheritedEnvironment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return entries;
}

std::size_t BlockBytes(const std::vector<std::string>& entries) {
  std::size_t bytes = 0;
  for (const std::string& entry : entries) bytes += entry.size() + 1;
  return bytes;
}

Result<std::vector<std::string>> MakeEnvironment(const Environment& wanted,
                                                 const std::vector<std::string>& inherited,
                                                 const std::optional<std::string>& directory) {
  std::vector<std::string> entries;
  if (wanted.from == Environment::From::kInherited) entries = inherited;
  if (wanted.from == Environment::From::kGiven) entries = wanted.given;
  // In a given environment, TARE_PAD is part of a block that already has its size.
  if (wanted.bytes || wanted.from == Environment::From::kInherited) Remove(entries, kPad);
  for (const std::string& name : wanted.unset) {
    TRY_VOID(RequireName(name));
    Remove(entries, name);
  }
  Pin(wanted, entries);
  if (directory) Set(entries, "PWD", *directory);
  for (const auto& [name, value] : wanted.set) {
    TRY_VOID(RequireName(name));
    Set(entries, name, value);
  }
  for (const std::string& entry : entries) {
    if (entry.find('\0') != std::string::npos) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("the variable {} contains a zero byte", Printable(NameOf(entry))));
    }
  }
  if (wanted.bytes) TRY_VOID(Pad(entries, *wanted.bytes));
  if (wanted.sorted) SortByName(entries);
  return entries;
}

Result<std::string> PaddedPath(const std::string& path, std::size_t bytes) {
  if (bytes >= PATH_MAX) {
    return Fail(ErrorKind::kUsage,
                fmt::format("a path can have at most {} bytes, not {}", PATH_MAX - 1, bytes));
  }
  if (path.size() > bytes) {
    return Fail(ErrorKind::kUsage, fmt::format("{} already has {} bytes, more than {}",
                                               Printable(path), path.size(), bytes));
  }
  const std::size_t missing = bytes - path.size();
  std::string padded;
  for (std::size_t i = 0; i < missing / 2; ++i) padded += "/.";
  if (missing % 2 == 1) padded += "/";
  return padded + path;
}

}  // namespace tare::run
