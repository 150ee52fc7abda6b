// a64_access.cc: A64 loads and stores of registers, pairs and structures.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

constexpr auto kPlain = A64Shape::kPlain;
constexpr auto kWriteBack = A64Shape::kWriteBack;
constexpr auto kWide = A64Shape::kWideRegister;

// Loads and stores of general-purpose registers in one addressing mode: `high` is bits 25:24, `low`
// follows the two bits that distinguish load from store; `way` is the letter in ldur, ldtr.
#define GENERAL(high, low, way, shape)                            \
  {"00 1110" high "00" low, "st" way "rb", Store(1, shape)},      \
      {"00 1110" high "01" low, "ld" way "rb", Load(1, shape)},   \
      {"00 1110" high "1x" low, "ld" way "rsb", Load(1, shape)},  \
      {"01 1110" high "00" low, "st" way "rh", Store(2, shape)},  \
      {"01 1110" high "01" low, "ld" way "rh", Load(2, shape)},   \
      {"01 1110" high "1x" low, "ld" way "rsh", Load(2, shape)},  \
      {"10 1110" high "00" low, "st" way "r", Store(4, shape)},   \
      {"10 1110" high "01" low, "ld" way "r", Load(4, shape)},    \
      {"10 1110" high "10" low, "ld" way "rsw", Load(4, shape)},  \
      {"11 1110" high "00" low, "st" way "r", Store(8, shape)}, { \
    "11 1110" high "01" low, "ld" way "r", Load(8, shape)         \
  }

// The same for SIMD and floating-point registers.
#define FLOATING(high, low, way, shape)                            \
  {"00 1111" high "00" low, "st" way "r", Store(1, shape)},        \
      {"00 1111" high "01" low, "ld" way "r", Load(1, shape)},     \
      {"01 1111" high "00" low, "st" way "r", Store(2, shape)},    \
      {"01 1111" high "01" low, "ld" way "r", Load(2, shape)},     \
      {"10 1111" high "00" low, "st" way "r", Store(4, shape)},    \
      {"10 1111" high "01" low, "ld" way "r", Load(4, shape)},     \
      {"11 1111" high "00" low, "st" way "r", Store(8, shape)},    \
      {"11 1111" high "01" low, "ld" way "r", Load(8, shape)},     \
      {"00 1111" high "10" low, "st" way "r", Store(16, kWide)}, { \
    "00 1111" high "11" low, "ld" way "r", Load(16, kWide)         \
  }

// Pairs in one addressing mode.
#define PAIRS(way, n, shape)                                \
  {"00 10100" way "0", "st" n "p", Store(8, shape)},        \
      {"00 10100" way "1", "ld" n "p", Load(8, shape)},     \
      {"10 10100" way "0", "st" n "p", Store(16, shape)},   \
      {"10 10100" way "1", "ld" n "p", Load(16, shape)},    \
      {"00 10110" way "0", "st" n "p", Store(8, shape)},    \
      {"00 10110" way "1", "ld" n "p", Load(8, shape)},     \
      {"01 10110" way "0", "st" n "p", Store(16, shape)},   \
      {"01 10110" way "1", "ld" n "p", Load(16, shape)},    \
      {"10 10110" way "0", "st" n "p", Store(32, kWide)}, { \
    "10 10110" way "1", "ld" n "p", Load(32, kWide)         \
  }

// Loads with the ordering of ldapr.
#define ORDERED(size, name, bytes)                                 \
  {size "011001 00 0 xxxxxxxxx 00", "stlur" name, Store(bytes)}, { \
    size "011001 01 0 xxxxxxxxx 00", "ldapur" name, Load(bytes)    \
  }

// Structures of n registers: opcode, name, number of registers (in the field `operations`).
#define STRUCTURES(opcode, n, registers)                                               \
  {"0x001100 00 000000" opcode,                                                        \
   "st" n,                                                                             \
   {.shape = A64Shape::kStructures, .stores = 1, .operations = registers}},            \
      {"0x001100 01 000000" opcode,                                                    \
       "ld" n,                                                                         \
       {.shape = A64Shape::kStructures, .loads = 1, .operations = registers}},         \
      {"0x001100 10 0xxxxx" opcode,                                                    \
       "st" n,                                                                         \
       {.shape = A64Shape::kStructuresIndexed, .stores = 1, .operations = registers}}, \
  {                                                                                    \
    "0x001100 11 0xxxxx" opcode, "ld" n, {                                             \
      .shape = A64Shape::kStructuresIndexed, .loads = 1, .operations = registers       \
    }                                                                                  \
  }

#define LANES(opcode, r, n, count)                                           \
  {"0x001101 00" r "00000" opcode,                                           \
   "st" #n,                                                                  \
   {.shape = A64Shape::kLane, .stores = 1, .operations = count}},            \
      {"0x001101 01" r "00000" opcode,                                       \
       "ld" #n,                                                              \
       {.shape = A64Shape::kLane, .loads = 1, .operations = count}},         \
      {"0x001101 10" r "xxxxx" opcode,                                       \
       "st" #n,                                                              \
       {.shape = A64Shape::kLaneIndexed, .stores = 1, .operations = count}}, \
  {                                                                          \
    "0x001101 11" r "xxxxx" opcode, "ld" #n, {                               \
      .shape = A64Shape::kLaneIndexed, .loads = 1, .operations = count       \
    }                                                                        \
  }
// Lanes of 8, 16, 32 and 64 bits.
#define ALL_LANES(last, r, n)                                             \
  LANES("00" last "x xx", r, n, n), LANES("01" last "x x0", r, n, n),     \
      LANES("10" last "x 00", r, n, n), LANES("10" last "0 01", r, n, n), \
      {"0x001101 01" r "00000 11" last "0",                               \
       "ld" #n "r",                                                       \
       {.shape = A64Shape::kReplicate, .loads = 1, .operations = n}},     \
  {                                                                       \
    "0x001101 11" r "xxxxx 11" last "0", "ld" #n "r", {                   \
      .shape = A64Shape::kReplicateIndexed, .loads = 1, .operations = n   \
    }                                                                     \
  }

constexpr A64Row kRows[] = {
    GENERAL("01", "", "", kPlain),
    FLOATING("01", "", "", kPlain),
    GENERAL("00", "0 xxxxxxxxx 00", "u", kPlain),
    FLOATING("00", "0 xxxxxxxxx 00", "u", kPlain),
    GENERAL("00", "0 xxxxxxxxx 01", "", kWriteBack),
    FLOATING("00", "0 xxxxxxxxx 01", "", kWriteBack),
    GENERAL("00", "0 xxxxxxxxx 10", "t", kPlain),
    GENERAL("00", "0 xxxxxxxxx 11", "", kWriteBack),
    FLOATING("00", "0 xxxxxxxxx 11", "", kWriteBack),
    GENERAL("00", "1 xxxxx x1x x 10", "", kPlain),
    FLOATING("00", "1 xxxxx x1x x 10", "", kPlain),
    {"11 111001 10", "prfm", Flagged(kPrefetch)},
    {"11 111000 10 0 xxxxxxxxx 00", "prfum", Flagged(kPrefetch)},
    {"11 111000 10 1 xxxxx x1x x 10", "prfm", Flagged(kPrefetch)},
    {"11 011000", "prfm", Flagged(kPrefetch)},
    {"11 111000 0x 1 xxxxxxxxx 01", "ldraa", Load(8)},
    {"11 111000 0x 1 xxxxxxxxx 11", "ldraa", Load(8, kWriteBack)},
    {"11 111000 1x 1 xxxxxxxxx 01", "ldrab", Load(8)},
    {"11 111000 1x 1 xxxxxxxxx 11", "ldrab", Load(8, kWriteBack)},
    {"00 011000", "ldr", Load(4)},
    {"01 011000", "ldr", Load(8)},
    {"10 011000", "ldrsw", Load(4)},
    {"00 011100", "ldr", Load(4)},
    {"01 011100", "ldr", Load(8)},
    {"10 011100", "ldr", Load(16, kWide)},

    PAIRS("00", "n", kPlain),
    PAIRS("10", "", kPlain),
    PAIRS("x1", "", kWriteBack),
    {"01 10100 10 1", "ldpsw", Load(8)},
    {"01 10100 x1 1", "ldpsw", Load(8, kWriteBack)},
    {"01 10100 10 0", "stgp", Store(16)},
    {"01 10100 x1 0", "stgp", Store(16, kWriteBack)},

    ORDERED("00", "b", 1),
    ORDERED("01", "h", 2),
    ORDERED("10", "", 4),
    ORDERED("11", "", 8),
    {"00 011001 1x 0 xxxxxxxxx 00", "ldapursb", Load(1)},
    {"01 011001 1x 0 xxxxxxxxx 00", "ldapursh", Load(2)},
    {"10 011001 10 0 xxxxxxxxx 00", "ldapursw", Load(4)},

    // Memory tags: a store without data; those with z also clear the memory.
    {"11011001 00 1 000000000 00", "stzgm", Store(0)},
    {"11011001 10 1 000000000 00", "stgm", Store(0)},
    {"11011001 11 1 000000000 00", "ldgm", Load(0)},
    {"11011001 01 1 xxxxxxxxx 00", "ldg", Load(0)},
    {"11011001 00 1 xxxxxxxxx 10", "stg", Store(0)},
    {"11011001 00 1 xxxxxxxxx x1", "stg", Store(0, kWriteBack)},
    {"11011001 01 1 xxxxxxxxx 10", "stzg", Store(16)},
    {"11011001 01 1 xxxxxxxxx x1", "stzg", Store(16, kWriteBack)},
    {"11011001 10 1 xxxxxxxxx 10", "st2g", Store(0)},
    {"11011001 10 1 xxxxxxxxx x1", "st2g", Store(0, kWriteBack)},
    {"11011001 11 1 xxxxxxxxx 10", "stz2g", Store(32)},
    {"11011001 11 1 xxxxxxxxx x1", "stz2g", Store(32, kWriteBack)},

    STRUCTURES("0000", "4", 4),
    STRUCTURES("0010", "1", 4),
    STRUCTURES("0100", "3", 3),
    STRUCTURES("0110", "1", 3),
    STRUCTURES("0111", "1", 1),
    STRUCTURES("1000", "2", 2),
    STRUCTURES("1010", "1", 2),
    ALL_LANES("0", "0", 1),
    ALL_LANES("1", "0", 3),
    ALL_LANES("0", "1", 2),
    ALL_LANES("1", "1", 4),
};

#undef GENERAL
#undef FLOATING
#undef PAIRS
#undef ORDERED
#undef STRUCTURES
#undef LANES
#undef ALL_LANES

}  // namespace

std::span<const A64Row> A64AccessRows() { return kRows; }

}  // namespace tare::decode
