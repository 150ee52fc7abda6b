// synthetic_counters.h: a small synthetic counter file as a program's runtime would leave it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "format/counters_wire.h"

namespace tare::format {

// One unit of four slots (a count, a minimum, a function, a block; the count also at call sites of
// f, whose entries it counts itself, and of g), one slot of a function that gcc's hooks counted,
// three banks of which the third was never owned, and a ring of four samples.
class SyntheticCounters {
 public:
  SyntheticCounters() {
    constexpr std::string_view kPath = "/a/program";
    constexpr std::string_view kText =
        "metric\tcalls\tcount\t0\nmetric\tsmallest\tminimum\t1\nfunction\tmain\t2\nblocks\t3\t1\n"
        "\nmetric\tentered\tcount\t0\tsite\tf\nentry\tentered\tf\thidden\n"
        "metric\tcalled\tcount\t0\tsite\tg\nentry\tcalled\tother\n";
    header_.magic = TARE_COUNTERS_MAGIC;
    header_.version = TARE_COUNTERS_VERSION;
    header_.architecture = 183;
    header_.process = 1234;
    header_.path_at = 4096;
    header_.path_bytes = kPath.size() + 1;
    header_.units_at = 4160;
    header_.units_address = 0x10000;
    header_.counters_address = 0x20000;
    tare_counters_unit unit{};
    unit.text_bytes = kText.size();
    unit.size = (sizeof unit + kText.size() + 7) / 8 * 8;
    unit.id = 77;
    unit.slots = 4;
    unit.counters_offset =
        0x10000 - static_cast<std::int64_t>(offsetof(tare_counters_unit, counters_offset));
    header_.units_bytes = unit.size + 8;  // linker padding
    header_.owners_at = header_.units_at + header_.units_bytes;
    header_.functions_at = header_.owners_at + 3 * 8;
    header_.functions_room = 4;
    header_.functions_used = 1;
    header_.function_slot = 4;
    header_.function_slots = 2;
    header_.slots = 6;
    header_.samples_at = header_.functions_at + 4 * sizeof(tare_counters_function);
    header_.samples_room = 4;
    header_.sample_values = TARE_SAMPLE_FIXED_VALUES + header_.slots;
    header_.banks_at = header_.samples_at + 4 * header_.sample_values * 8;
    header_.bank_bytes = 64;
    header_.banks = 3;
    header_.banks_used = 3;
    bytes_.resize(header_.banks_at + header_.banks * header_.bank_bytes);
    std::memcpy(bytes_.data() + header_.path_at, kPath.data(), kPath.size());
    std::memcpy(bytes_.data() + header_.units_at, &unit, sizeof unit);
    std::memcpy(bytes_.data() + header_.units_at + sizeof unit, kText.data(), kText.size());
    const std::uint64_t owners[] = {1234, 1235, TARE_OWNER_NONE};
    std::memcpy(bytes_.data() + header_.owners_at, owners, sizeof owners);
    const tare_counters_function functions[] = {{0, 0}, {0x1230, 5}, {0x1240, 0}, {0x1250, 99}};
    std::memcpy(bytes_.data() + header_.functions_at, functions, sizeof functions);
  }

  tare_counters_header& header() { return header_; }
  std::uint64_t& Slot(std::uint64_t bank, std::uint64_t slot) {
    return Word(header_.banks_at + bank * header_.bank_bytes + slot * 8);
  }
  std::uint64_t& Sample(std::uint64_t record, std::uint64_t value) {
    return Word(header_.samples_at + (record * header_.sample_values + value) * 8);
  }
  std::string Bytes() const {
    std::string bytes = bytes_;
    std::memcpy(bytes.data(), &header_, sizeof header_);
    return bytes;
  }

 private:
  std::uint64_t& Word(std::uint64_t at) {
    return *reinterpret_cast<std::uint64_t*>(bytes_.data() + at);
  }
  tare_counters_header header_{};
  std::string bytes_;
};

}  // namespace tare::format
