// a64_atomic.cc: A64 exclusive pairs, ordered accesses, atomic read-modify-write, memory copies.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

constexpr A64Effect ExclusiveLoad(std::uint16_t bytes) {
  return Load(bytes, A64Shape::kPlain, kAtomic);
}
constexpr A64Effect ExclusiveStore(std::uint16_t bytes) {
  return Store(bytes, A64Shape::kPlain, kAtomic);
}
// The processor chooses how much one instruction copies.
constexpr A64Effect kCopy = {.loads = 1, .stores = 1};

// One row per size.
#define SIZED(bits, name, effect)                                     \
  {"00" bits, name "b", effect(1)}, {"01" bits, name "h", effect(2)}, \
      {"10" bits, name, effect(4)}, {                                 \
    "11" bits, name, effect(8)                                        \
  }
#define PAIRED(bits, name, effect) \
  {"10" bits, name, effect(8)}, { "11" bits, name, effect(16) }
// One row per size and ordering.
#define ORDERED(bits, name)                                     \
  SIZED("111000 00 1 xxxxx" bits "00", name, Exchange),         \
      SIZED("111000 10 1 xxxxx" bits "00", name "a", Exchange), \
      SIZED("111000 01 1 xxxxx" bits "00", name "l", Exchange), \
      SIZED("111000 11 1 xxxxx" bits "00", name "al", Exchange)

constexpr A64Row kRows[] = {
    SIZED("001000 000 xxxxx 0", "stxr", ExclusiveStore),
    SIZED("001000 000 xxxxx 1", "stlxr", ExclusiveStore),
    SIZED("001000 010 xxxxx 0", "ldxr", ExclusiveLoad),
    SIZED("001000 010 xxxxx 1", "ldaxr", ExclusiveLoad),
    PAIRED("001000 001 xxxxx 0", "stxp", ExclusiveStore),
    PAIRED("001000 001 xxxxx 1", "stlxp", ExclusiveStore),
    PAIRED("001000 011 xxxxx 0", "ldxp", ExclusiveLoad),
    PAIRED("001000 011 xxxxx 1", "ldaxp", ExclusiveLoad),
    SIZED("001000 100 xxxxx 0", "stllr", Store),
    SIZED("001000 100 xxxxx 1", "stlr", Store),
    SIZED("001000 110 xxxxx 0", "ldlar", Load),
    SIZED("001000 110 xxxxx 1", "ldar", Load),
    SIZED("111000 101 xxxxx 1100 00", "ldapr", Load),

    SIZED("001000 101 xxxxx 0 11111", "cas", Exchange),
    SIZED("001000 101 xxxxx 1 11111", "casl", Exchange),
    SIZED("001000 111 xxxxx 0 11111", "casa", Exchange),
    SIZED("001000 111 xxxxx 1 11111", "casal", Exchange),
    {"00 001000 001 xxxxx 0 11111", "casp", Exchange(8)},
    {"01 001000 001 xxxxx 0 11111", "casp", Exchange(16)},
    {"00 001000 001 xxxxx 1 11111", "caspl", Exchange(8)},
    {"01 001000 001 xxxxx 1 11111", "caspl", Exchange(16)},
    {"00 001000 011 xxxxx 0 11111", "caspa", Exchange(8)},
    {"01 001000 011 xxxxx 0 11111", "caspa", Exchange(16)},
    {"00 001000 011 xxxxx 1 11111", "caspal", Exchange(8)},
    {"01 001000 011 xxxxx 1 11111", "caspal", Exchange(16)},
    ORDERED("0000", "ldadd"),
    ORDERED("0001", "ldclr"),
    ORDERED("0010", "ldeor"),
    ORDERED("0011", "ldset"),
    ORDERED("0100", "ldsmax"),
    ORDERED("0101", "ldsmin"),
    ORDERED("0110", "ldumax"),
    ORDERED("0111", "ldumin"),
    ORDERED("1000", "swp"),

    {"11 111000 001 11111 1001 00", "st64b", Store(64)},
    {"11 111000 001 11111 1101 00", "ld64b", Load(64)},
    {"11 111000 001 xxxxx 1011 00", "st64bv", Store(64)},
    {"11 111000 001 xxxxx 1010 00", "st64bv0", Store(64)},

    {"00 011001 00 0 xxxxx xxxx 01", "cpyfp", kCopy},
    {"00 011001 01 0 xxxxx xxxx 01", "cpyfm", kCopy},
    {"00 011001 10 0 xxxxx xxxx 01", "cpyfe", kCopy},
    {"00 011101 00 0 xxxxx xxxx 01", "cpyp", kCopy},
    {"00 011101 01 0 xxxxx xxxx 01", "cpym", kCopy},
    {"00 011101 10 0 xxxxx xxxx 01", "cpye", kCopy},
    {"00 011001 11 0 xxxxx 00xx 01", "setp", Store(0)},
    {"00 011001 11 0 xxxxx 01xx 01", "setm", Store(0)},
    {"00 011001 11 0 xxxxx 10xx 01", "sete", Store(0)},
    {"00 011101 11 0 xxxxx 00xx 01", "setgp", Store(0)},
    {"00 011101 11 0 xxxxx 01xx 01", "setgm", Store(0)},
    {"00 011101 11 0 xxxxx 10xx 01", "setge", Store(0)},
};

#undef SIZED
#undef PAIRED
#undef ORDERED

}  // namespace

std::span<const A64Row> A64AtomicRows() { return kRows; }

}  // namespace tare::decode
