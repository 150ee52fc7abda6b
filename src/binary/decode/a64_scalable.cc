// a64_scalable.cc: SVE without loads and stores, as far as names distinguish them; SME as a whole.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

constexpr auto kLanes = Shaped(A64Shape::kScalable);
constexpr A64Effect kWidth = {.shape = A64Shape::kScalable, .flags = kQueriesProcessor};

#define F_BINARY(opcode, name, n) \
  {"01100101 xx 00" opcode "100", name, Float(A64Shape::kScalableFloat, n)}
#define F_FUSED(opcode, name) \
  {"01100101 xx 1 xxxxx" opcode, name, Float(A64Shape::kScalableFloat, 2)}
#define BINARY(opcode, name) {"00000100 xx 0" opcode "000", name, kLanes}

#define TILES(size, letter)                                            \
  {"1110000" size "0 xxxxx xxx xxx xxxxx 0",                           \
   "ld1" letter,                                                       \
   {.shape = A64Shape::kScalable, .loads = 1, .load_bytes = 16}},      \
  {                                                                    \
    "1110000" size "1 xxxxx xxx xxx xxxxx 0", "st1" letter,            \
        {.shape = A64Shape::kScalable, .stores = 1, .store_bytes = 16} \
  }

constexpr A64Row kRows[] = {
    {"00000100 0010 xxxx 1110 00", "cntb", kWidth},
    {"00000100 0110 xxxx 1110 00", "cnth", kWidth},
    {"00000100 1010 xxxx 1110 00", "cntw", kWidth},
    {"00000100 1110 xxxx 1110 00", "cntd", kWidth},
    {"00000100 1011 1111 0101 00", "rdvl", kWidth},
    {"00000100 0011 xxxx 1110 00", "incb", kLanes},
    {"00000100 0111 xxxx 1110 00", "inch", kLanes},
    {"00000100 1011 xxxx 1110 00", "incw", kLanes},
    {"00000100 1111 xxxx 1110 00", "incd", kLanes},
    {"00000100 0011 xxxx 1110 01", "decb", kLanes},
    {"00000100 0111 xxxx 1110 01", "dech", kLanes},
    {"00000100 1011 xxxx 1110 01", "decw", kLanes},
    {"00000100 1111 xxxx 1110 01", "decd", kLanes},
    {"00000100 001 xxxxx 0101 0", "addvl", kLanes},
    {"00000100 011 xxxxx 0101 0", "addpl", kLanes},

    {"00000100 xx 1 xxxxx 000 000", "add", kLanes},
    {"00000100 xx 1 xxxxx 000 001", "sub", kLanes},
    {"00000100 00 1 xxxxx 001 100", "and", kLanes},
    {"00000100 01 1 xxxxx 001 100", "orr", kLanes},
    {"00000100 10 1 xxxxx 001 100", "eor", kLanes},
    {"00000100 11 1 xxxxx 001 100", "bic", kLanes},
    {"00000100 xx 1 xxxxx 010 000", "index", kLanes},
    {"00000100 xx 1 xxxxx 010 001", "index", kLanes},
    {"00000100 xx 1 xxxxx 010 010", "index", kLanes},
    {"00000100 xx 1 xxxxx 010 011", "index", kLanes},
    {"00000100 001 00000 101111", "movprfx", kLanes},
    BINARY("00 000", "add"),
    BINARY("00 001", "sub"),
    BINARY("00 011", "subr"),
    BINARY("01 000", "smax"),
    BINARY("01 001", "umax"),
    BINARY("01 010", "smin"),
    BINARY("01 011", "umin"),
    BINARY("01 100", "sabd"),
    BINARY("01 101", "uabd"),
    BINARY("10 000", "mul"),
    BINARY("10 010", "smulh"),
    BINARY("10 011", "umulh"),
    BINARY("10 100", "sdiv"),
    BINARY("10 101", "udiv"),
    BINARY("10 110", "sdivr"),
    BINARY("10 111", "udivr"),
    BINARY("11 000", "orr"),
    BINARY("11 001", "eor"),
    BINARY("11 010", "and"),
    BINARY("11 011", "bic"),
    {"00000100 xx 0 xxxxx 010", "mla", kLanes},
    {"00000100 xx 0 xxxxx 011", "mls", kLanes},
    {"00000100 xx 0 xxxxx 110", "mad", kLanes},
    {"00000100 xx 0 xxxxx 111", "msb", kLanes},

    {"00000101 xx 1 00000 001110", "dup", kLanes},
    {"00000101 xx 1 xxxxx 001000", "dup", kLanes},
    {"00000101 xx 1 xxxxx 001100", "tbl", kLanes},
    {"00000101 xx 1 xxxxx 11", "sel", kLanes},
    {"00000101 xx 1 xxxxx 011000", "zip1", kLanes},
    {"00000101 xx 1 xxxxx 011001", "zip2", kLanes},
    {"00000101 xx 1 xxxxx 011010", "uzp1", kLanes},
    {"00000101 xx 1 xxxxx 011011", "uzp2", kLanes},
    {"00000101 xx 1 xxxxx 011100", "trn1", kLanes},
    {"00000101 xx 1 xxxxx 011101", "trn2", kLanes},
    {"00000101 xx 1 00000 101", "lasta", kLanes},
    {"00000101 xx 1 00001 101", "lastb", kLanes},
    {"00000101 xx 1 11000 001110", "rev", kLanes},

    {"00100100 xx 0 xxxxx 000 xxx xxxxx 0", "cmphs", kLanes},
    {"00100100 xx 0 xxxxx 000 xxx xxxxx 1", "cmphi", kLanes},
    {"00100100 xx 0 xxxxx 100 xxx xxxxx 0", "cmpge", kLanes},
    {"00100100 xx 0 xxxxx 100 xxx xxxxx 1", "cmpgt", kLanes},
    {"00100100 xx 0 xxxxx 101 xxx xxxxx 0", "cmpeq", kLanes},
    {"00100100 xx 0 xxxxx 101 xxx xxxxx 1", "cmpne", kLanes},
    {"00100101 xx 0 xxxxx 100 xxx xxxxx 0", "cmpeq", kLanes},
    {"00100101 xx 0 xxxxx 100 xxx xxxxx 1", "cmpne", kLanes},
    {"00100101 xx 011000 111000 xxxxx 0", "ptrue", kLanes},
    {"00100101 xx 011001 111000 xxxxx 0", "ptrues", kLanes},
    {"00100101 xx 011000 111000", "ptrue", kLanes},
    {"00100101 00011000 111001 00000 0", "pfalse", kLanes},
    {"00100101 01010000 11 xxxx 0 xxxx 00000", "ptest", kLanes},
    {"00100101 xx 1 xxxxx 000 x00 xxxxx 0", "whilege", kLanes},
    {"00100101 xx 1 xxxxx 000 x00 xxxxx 1", "whilegt", kLanes},
    {"00100101 xx 1 xxxxx 000 x01 xxxxx 0", "whilelt", kLanes},
    {"00100101 xx 1 xxxxx 000 x01 xxxxx 1", "whilele", kLanes},
    {"00100101 xx 1 xxxxx 000 x10 xxxxx 0", "whilehs", kLanes},
    {"00100101 xx 1 xxxxx 000 x10 xxxxx 1", "whilehi", kLanes},
    {"00100101 xx 1 xxxxx 000 x11 xxxxx 0", "whilelo", kLanes},
    {"00100101 xx 1 xxxxx 000 x11 xxxxx 1", "whilels", kLanes},
    {"00100101 xx 100000 10 xxxx 0", "cntp", kLanes},
    {"00100101 xx 101100 10001 00", "incp", kLanes},
    {"00100101 xx 111 00 011", "dup", kLanes},
    {"00100101 00101100 1001000000000000", "setffr", kLanes},
    {"00100101 00101000 100100", "wrffr", kLanes},
    {"00100101 00011001 111100000000", "rdffr", kLanes},
    {"00100101 0x011000 1111000 xxxx 0", "rdffr", kLanes},
    {"00100101 00 00 xxxx 01 xxxx 0 xxxx 0", "and", kLanes},
    {"00100101 00 00 xxxx 01 xxxx 0 xxxx 1", "bic", kLanes},
    {"00100101 00 00 xxxx 01 xxxx 1 xxxx 0", "eor", kLanes},
    {"00100101 00 00 xxxx 01 xxxx 1 xxxx 1", "sel", kLanes},
    {"00100101 10 00 xxxx 01 xxxx 0 xxxx 0", "orr", kLanes},
    {"00100101 00 010000 01 xxxx 0", "brka", kLanes},
    {"00100101 01 010000 01 xxxx 0 xxxx 0", "brkas", kLanes},
    {"00100101 10 010000 01 xxxx 0", "brkb", kLanes},
    {"00100101 11 010000 01 xxxx 0 xxxx 0", "brkbs", kLanes},

    {"01100101 xx 0 xxxxx 000 000", "fadd", Float(A64Shape::kScalableFloat, 1)},
    {"01100101 xx 0 xxxxx 000 001", "fsub", Float(A64Shape::kScalableFloat, 1)},
    {"01100101 xx 0 xxxxx 000 010", "fmul", Float(A64Shape::kScalableFloat, 1)},
    {"01100101 xx 0 xxxxx 000 110", "frecps", Float(A64Shape::kScalableFloat, 2)},
    {"01100101 xx 0 xxxxx 000 111", "frsqrts", Float(A64Shape::kScalableFloat, 2)},
    F_BINARY("0000", "fadd", 1),
    F_BINARY("0001", "fsub", 1),
    F_BINARY("0010", "fmul", 1),
    F_BINARY("0011", "fsubr", 1),
    F_BINARY("0100", "fmaxnm", 0),
    F_BINARY("0101", "fminnm", 0),
    F_BINARY("0110", "fmax", 0),
    F_BINARY("0111", "fmin", 0),
    F_BINARY("1000", "fabd", 1),
    F_BINARY("1001", "fscale", 0),
    F_BINARY("1010", "fmulx", 1),
    F_BINARY("1100", "fdivr", 1),
    F_BINARY("1101", "fdiv", 1),
    {"01100101 xx 001101 101", "fsqrt", Float(A64Shape::kScalableFloat, 1)},
    {"01100101 xx 000000 001", "faddv", Float(A64Shape::kScalableFloat, 1)},
    {"01100101 xx 011000 001", "fadda", Float(A64Shape::kScalableFloat, 1)},
    F_FUSED("000", "fmla"),
    F_FUSED("001", "fmls"),
    F_FUSED("010", "fnmla"),
    F_FUSED("011", "fnmls"),
    F_FUSED("100", "fmad"),
    F_FUSED("101", "fmsb"),
    F_FUSED("110", "fnmad"),
    F_FUSED("111", "fnmsb"),
    {"01100100 0x 1 xxxxx 00000 0", "fmla", Float(A64Shape::kScalableFloat, 2)},
    {"01100100 1x 1 xxxxx 00000 0", "fmla", Float(A64Shape::kScalableFloat, 2)},
    {"01100100 xx 1 xxxxx 00000 1", "fmls", Float(A64Shape::kScalableFloat, 2)},
    {"01100100 xx 1 xxxxx 001000", "fmul", Float(A64Shape::kScalableFloat, 1)},
    {"0110010x", "sve.float", Float(A64Shape::kScalableFloat)},

    // All other encodings, so that code with them can still be decoded and classified.
    {"0xx0010", "sve", kLanes},
    {"1110000 1 00 0 xxxxx 0xx 000 xxxxx 0",
     "ldr",
     {.shape = A64Shape::kScalable, .loads = 1, .load_bytes = 16}},
    {"1110000 1 00 1 xxxxx 0xx 000 xxxxx 0",
     "str",
     {.shape = A64Shape::kScalable, .stores = 1, .store_bytes = 16}},
    TILES("0 00", "b"),
    TILES("0 01", "h"),
    TILES("0 10", "w"),
    TILES("0 11", "d"),
    TILES("1 11", "q"),
    {"1xx0000", "sme", kLanes},
};

#undef F_BINARY
#undef F_FUSED
#undef BINARY
#undef TILES

}  // namespace

std::span<const A64Row> A64ScalableRows() { return kRows; }

}  // namespace tare::decode
