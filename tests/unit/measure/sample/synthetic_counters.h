// synthetic_counters.h: synthetic counter files, as a program built by tare-cc leaves them.
#pragma once

#include <sys/types.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "format/counters_wire.h"

namespace tare::sample {

inline constexpr pid_t kProgram = 4711;
inline constexpr std::uint64_t kMs = 1'000'000;

struct SyntheticCounters {
  std::uint64_t process = 1;
  bool is_library = false;
  std::string path = "/bin/program";
  std::string text;                                 // lines of the one unit
  std::vector<std::vector<std::uint64_t>> banks;    // all of the same size
  std::vector<std::vector<std::uint64_t>> samples;  // each with the fixed values first
  std::uint64_t samples_lost = 0;
  std::uint64_t sampling_ns = 0;
};

inline constexpr std::uint64_t kPathAt = 1024;
inline constexpr std::uint64_t kUnitsAt = 2048;
inline constexpr std::uint64_t kOwnersAt = 6144;
inline constexpr std::uint64_t kBanksAt = 8192;
inline constexpr std::uint64_t kBankBytes = 4096;

inline tare_counters_header HeaderOf(const SyntheticCounters& made) {
  tare_counters_header header{};
  header.magic = TARE_COUNTERS_MAGIC;
  header.version = TARE_COUNTERS_VERSION;
  header.is_library = made.is_library ? 1 : 0;
  header.process = made.process;
  header.path_at = kPathAt;
  header.path_bytes = made.path.size() + 1;
  header.units_at = kUnitsAt;
  header.units_bytes = (sizeof(tare_counters_unit) + made.text.size() + 7) / 8 * 8;
  header.units_address = 0x10000;
  header.counters_address = 0x20000;
  header.owners_at = kOwnersAt;
  header.functions_at = kBanksAt;
  header.slots = made.banks.at(0).size();
  header.function_slot = header.slots;
  header.banks_at = kBanksAt;
  header.bank_bytes = kBankBytes;
  header.banks = made.banks.size();
  header.banks_used = made.banks.size();
  header.samples_at = kBanksAt + made.banks.size() * kBankBytes;
  if (!made.samples.empty()) {
    header.samples_room = made.samples.size();
    header.sample_values = made.samples.front().size();
    header.samples_written = made.samples.size();
  }
  header.samples_lost = made.samples_lost;
  header.sampling_ns = made.sampling_ns;
  return header;
}

inline std::string BytesOf(const SyntheticCounters& made) {
  const tare_counters_header header = HeaderOf(made);
  const std::size_t record = made.samples.empty() ? 0 : made.samples[0].size() * 8;
  std::string bytes(header.samples_at + made.samples.size() * record + 8, '\0');
  const auto put = [&](std::uint64_t at, const void* from, std::size_t size) {
    std::memcpy(bytes.data() + at, from, size);
  };
  put(0, &header, sizeof header);
  put(kPathAt, made.path.c_str(), made.path.size() + 1);
  tare_counters_unit unit{};
  unit.size = header.units_bytes;
  unit.counters_offset = static_cast<std::int64_t>(header.counters_address - header.units_address -
                                                   offsetof(tare_counters_unit, counters_offset));
  unit.slots = header.slots;
  unit.text_bytes = made.text.size();
  put(kUnitsAt, &unit, sizeof unit);
  put(kUnitsAt + sizeof unit, made.text.data(), made.text.size());
  for (std::size_t i = 0; i < made.banks.size(); ++i) {
    const std::uint64_t owner = 100 + i;
    put(kOwnersAt + 8 * i, &owner, sizeof owner);
    put(kBanksAt + kBankBytes * i, made.banks[i].data(), 8 * made.banks[i].size());
  }
  for (std::size_t i = 0; i < made.samples.size(); ++i) {
    put(header.samples_at + record * i, made.samples[i].data(), record);
  }
  return bytes;
}

inline void WriteCounters(const std::filesystem::path& path, const SyntheticCounters& made) {
  const std::string bytes = BytesOf(made);
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace tare::sample
