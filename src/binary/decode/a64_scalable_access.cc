// a64_scalable_access.cc: loads and stores of SVE. Counts are per 128 bits of vector.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

constexpr A64Effect Read(std::uint16_t bytes, std::uint8_t loads = 1) {
  return {.shape = A64Shape::kScalable, .loads = loads, .load_bytes = bytes};
}
constexpr A64Effect Written(std::uint16_t bytes, std::uint8_t stores = 1) {
  return {.shape = A64Shape::kScalable, .stores = stores, .store_bytes = bytes};
}
constexpr A64Effect kPrefetching = {.shape = A64Shape::kScalable, .flags = kPrefetch};

// Contiguous loads by their four bits of memory and element size.
#define DTYPES(low, first)                                                                  \
  {"1010010 0000" low, first "b", Read(16)}, {"1010010 0001" low, first "b", Read(8)},      \
      {"1010010 0010" low, first "b", Read(4)}, {"1010010 0011" low, first "b", Read(2)},   \
      {"1010010 0100" low, first "sw", Read(8)}, {"1010010 0101" low, first "h", Read(16)}, \
      {"1010010 0110" low, first "h", Read(8)}, {"1010010 0111" low, first "h", Read(4)},   \
      {"1010010 1000" low, first "sh", Read(4)}, {"1010010 1001" low, first "sh", Read(8)}, \
      {"1010010 1010" low, first "w", Read(16)}, {"1010010 1011" low, first "w", Read(8)},  \
      {"1010010 1100" low, first "sb", Read(2)}, {"1010010 1101" low, first "sb", Read(4)}, \
      {"1010010 1110" low, first "sb", Read(8)}, {                                          \
    "1010010 1111" low, first "d", Read(16)                                                 \
  }
// One element for all lanes: high and low half of the same four bits.
#define REPLICATED(high, low, name, bytes) {"1000010" high "1 xxxxxx 1" low, name, Read(bytes)}
#define PER_SIZE(before, after, name, effect)                                   \
  {before "00" after, name "b", effect}, {before "01" after, name "h", effect}, \
      {before "10" after, name "w", effect}, {                                  \
    before "11" after, name "d", effect                                         \
  }
#define MANY(number, registers)                                                                    \
  PER_SIZE("1010010", number "xxxxx 110", "ld" registers, Read(16 * (registers[0] - '0'))),        \
      PER_SIZE("1010010", number "0 xxxx 111", "ld" registers, Read(16 * (registers[0] - '0'))),   \
      PER_SIZE("1110010", number "xxxxx 011", "st" registers, Written(16 * (registers[0] - '0'))), \
      PER_SIZE("1110010", number "1 xxxx 111", "st" registers, Written(16 * (registers[0] - '0')))
// Gathers: signed or unsigned, first-faulting or not; one load per lane.
#define GATHER_SIZE(before, after, lanes, s, z, bytes)                  \
  {before after "000", "ld1s" s, Read((bytes) * (lanes), lanes)},       \
      {before after "001", "ldff1s" s, Read((bytes) * (lanes), lanes)}, \
      {before after "010", "ld1" z, Read((bytes) * (lanes), lanes)}, {  \
    before after "011", "ldff1" z, Read((bytes) * (lanes), lanes)       \
  }
#define GATHER_HIGH(before, after, lanes, s, z, bytes)                  \
  {before after "100", "ld1s" s, Read((bytes) * (lanes), lanes)},       \
      {before after "101", "ldff1s" s, Read((bytes) * (lanes), lanes)}, \
      {before after "110", "ld1" z, Read((bytes) * (lanes), lanes)}, {  \
    before after "111", "ldff1" z, Read((bytes) * (lanes), lanes)       \
  }
#define GATHER(macro, first, after, lanes)                                                    \
  macro(first "00", after, lanes, "b", "b", 1), macro(first "01", after, lanes, "h", "h", 2), \
      macro(first "10", after, lanes, "w", "w", 4), macro(first "11", after, lanes, "d", "d", 8)
// Scatters: one store per lane.
#define SCATTER(middle, lanes)                                      \
  {"1110010 00" middle, "st1b", Written(lanes, lanes)},             \
      {"1110010 01" middle, "st1h", Written(2 * (lanes), lanes)},   \
      {"1110010 10" middle, "st1w", Written(4 * (lanes), lanes)}, { \
    "1110010 11" middle, "st1d", Written(8 * (lanes), lanes)        \
  }
// Contiguous stores: memory size, element size.
#define STORED(low)                                                                          \
  {"1110010 00 00" low, "st1b", Written(16)}, {"1110010 00 01" low, "st1b", Written(8)},     \
      {"1110010 00 10" low, "st1b", Written(4)}, {"1110010 00 11" low, "st1b", Written(2)},  \
      {"1110010 01 01" low, "st1h", Written(16)}, {"1110010 01 10" low, "st1h", Written(8)}, \
      {"1110010 01 11" low, "st1h", Written(4)}, {"1110010 10 10" low, "st1w", Written(16)}, \
      {"1110010 10 11" low, "st1w", Written(8)}, {                                           \
    "1110010 11 11" low, "st1d", Written(16)                                                 \
  }
// Two or four whole registers under one predicate-as-counter (SME2, SVE2.1); `layout` is that of
// consecutive or strided registers, `low` has their bit for non-temporal accesses.
#define SEVERAL(layout, count, low, first_load, first_store, bytes)                      \
  PER_SIZE("1010000" layout "x0 xxxxx" count, "xxx xxxxx" low, first_load, Read(bytes)), \
      PER_SIZE("1010000" layout "x1 xxxxx" count, "xxx xxxxx" low, first_store, Written(bytes))
#define TWO_OR_FOUR(layout, low, first_load, first_store) \
  SEVERAL(layout, "0", low, first_load, first_store, 32), \
      SEVERAL(layout, "1", low, first_load, first_store, 64)

constexpr A64Row kRows[] = {
    TWO_OR_FOUR("00", "xxxx0", "ld1", "st1"),
    TWO_OR_FOUR("00", "xxxx1", "ldnt1", "stnt1"),
    TWO_OR_FOUR("10", "x0xxx", "ld1", "st1"),
    TWO_OR_FOUR("10", "x1xxx", "ldnt1", "stnt1"),
    {"1000010 110 xxxxxx 000 xxx xxxxx 0", "ldr", Read(2)},
    {"1000010 110 xxxxxx 010", "ldr", Read(16)},
    {"1110010 110 xxxxxx 000 xxx xxxxx 0", "str", Written(2)},
    {"1110010 110 xxxxxx 010", "str", Written(16)},
    DTYPES("xxxxx 010", "ld1"),
    DTYPES("xxxxx 011", "ldff1"),
    DTYPES("0 xxxx 101", "ld1"),
    DTYPES("1 xxxx 101", "ldnf1"),
    PER_SIZE("1010010", "00 xxxxx 110", "ldnt1", Read(16)),
    PER_SIZE("1010010", "000 xxxx 111", "ldnt1", Read(16)),
    PER_SIZE("1010010", "00 xxxxx 000", "ld1rq", Read(16)),
    PER_SIZE("1010010", "000 xxxx 001", "ld1rq", Read(16)),
    PER_SIZE("1010010", "01 xxxxx 000", "ld1ro", Read(32)),
    PER_SIZE("1010010", "010 xxxx 001", "ld1ro", Read(32)),
    MANY("01", "2"),
    MANY("10", "3"),
    MANY("11", "4"),
    STORED("xxxxx 010"),
    STORED("0 xxxx 111"),
    PER_SIZE("1110010", "00 xxxxx 011", "stnt1", Written(16)),
    PER_SIZE("1110010", "001 xxxx 111", "stnt1", Written(16)),

    REPLICATED("00", "00", "ld1rb", 1),
    REPLICATED("00", "01", "ld1rb", 1),
    REPLICATED("00", "10", "ld1rb", 1),
    REPLICATED("00", "11", "ld1rb", 1),
    REPLICATED("01", "00", "ld1rsw", 4),
    REPLICATED("01", "01", "ld1rh", 2),
    REPLICATED("01", "10", "ld1rh", 2),
    REPLICATED("01", "11", "ld1rh", 2),
    REPLICATED("10", "00", "ld1rsh", 2),
    REPLICATED("10", "01", "ld1rsh", 2),
    REPLICATED("10", "10", "ld1rw", 4),
    REPLICATED("10", "11", "ld1rw", 4),
    REPLICATED("11", "00", "ld1rsb", 1),
    REPLICATED("11", "01", "ld1rsb", 1),
    REPLICATED("11", "10", "ld1rsb", 1),
    REPLICATED("11", "11", "ld1rd", 8),

    PER_SIZE("1000010 111 xxxxxx 0", "xxx xxxxx 0", "prf", kPrefetching),
    {"1000010 00 00 xxxxx 110 xxx xxxxx 0", "prfb", kPrefetching},
    {"1000010 01 00 xxxxx 110 xxx xxxxx 0", "prfh", kPrefetching},
    {"1000010 10 00 xxxxx 110 xxx xxxxx 0", "prfw", kPrefetching},
    {"1000010 11 00 xxxxx 110 xxx xxxxx 0", "prfd", kPrefetching},
    PER_SIZE("1x00010", "00 xxxxx 111 xxx xxxxx 0", "prf", kPrefetching),
    PER_SIZE("1x00010 00 x1 xxxxx 0", "xxx xxxxx 0", "prf", kPrefetching),
    PER_SIZE("1100010 00 11 xxxxx 1", "xxx xxxxx 0", "prf", kPrefetching),

    // 32-bit offsets and elements.
    GATHER_SIZE("1000010 00", "x0 xxxxx", 4, "b", "b", 1),
    GATHER_SIZE("1000010 01", "xx xxxxx", 4, "h", "h", 2),
    GATHER_SIZE("1000010 10", "xx xxxxx", 4, "w", "w", 4),
    GATHER_HIGH("1000010 00", "01 xxxxx", 4, "b", "b", 1),
    GATHER_HIGH("1000010 01", "01 xxxxx", 4, "h", "h", 2),
    GATHER_HIGH("1000010 10", "01 xxxxx", 4, "w", "w", 4),
    {"1000010 00 00 xxxxx 100", "ldnt1sb", Read(4, 4)},
    {"1000010 01 00 xxxxx 100", "ldnt1sh", Read(8, 4)},
    {"1000010 00 00 xxxxx 101", "ldnt1b", Read(4, 4)},
    {"1000010 01 00 xxxxx 101", "ldnt1h", Read(8, 4)},
    {"1000010 10 00 xxxxx 101", "ldnt1w", Read(16, 4)},
    // 64-bit elements.
    GATHER(GATHER_SIZE, "1100010", "xx xxxxx", 2),
    GATHER(GATHER_HIGH, "1100010", "1x xxxxx", 2),
    GATHER(GATHER_HIGH, "1100010", "01 xxxxx", 2),
    {"1100010 00 00 xxxxx 100", "ldnt1sb", Read(2, 2)},
    {"1100010 01 00 xxxxx 100", "ldnt1sh", Read(4, 2)},
    {"1100010 10 00 xxxxx 100", "ldnt1sw", Read(8, 2)},
    {"1100010 00 00 xxxxx 110", "ldnt1b", Read(2, 2)},
    {"1100010 01 00 xxxxx 110", "ldnt1h", Read(4, 2)},
    {"1100010 10 00 xxxxx 110", "ldnt1w", Read(8, 2)},
    {"1100010 11 00 xxxxx 110", "ldnt1d", Read(16, 2)},

    PER_SIZE("1110010", "00 xxxxx 001", "stnt1", Written(16, 2)),
    PER_SIZE("1110010", "10 xxxxx 001", "stnt1", Written(16, 4)),
    SCATTER("0x xxxxx 1x0", 2),
    SCATTER("0x xxxxx 101", 2),
    SCATTER("1x xxxxx 1x0", 4),
    SCATTER("10 xxxxx 101", 2),
    SCATTER("11 xxxxx 101", 4),
};

#undef SEVERAL
#undef TWO_OR_FOUR
#undef DTYPES
#undef REPLICATED
#undef PER_SIZE
#undef MANY
#undef GATHER_SIZE
#undef GATHER_HIGH
#undef GATHER
#undef SCATTER
#undef STORED

}  // namespace

std::span<const A64Row> A64ScalableAccessRows() { return kRows; }

}  // namespace tare::decode
