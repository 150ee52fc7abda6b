// a64_simd.cc: A64 Advanced SIMD on whole registers.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

constexpr auto kLanes = Shaped(A64Shape::kVector);
constexpr auto kWidening = Shaped(A64Shape::kVector128);

// Integers: the vector form, and vector plus scalar form.
#define SAME(u, opcode, name) {"0x" u "01110 xx 1 xxxxx" opcode "1", name, kLanes}
#define SAME_BOTH(u, opcode, name) \
  SAME(u, opcode, name), { "01" u "11110 xx 1 xxxxx" opcode "1", name }
#define MISC(u, size, opcode, name) {"0x" u "01110" size "10000" opcode "10", name, kLanes}
#define MISC_BOTH(u, opcode, name) \
  MISC(u, "xx", opcode, name), { "01" u "11110 xx 10000" opcode "10", name }
#define NARROW(u, opcode, name)                              \
  {"00" u "01110 xx 10000" opcode "10", name, kWidening}, {  \
    "01" u "01110 xx 10000" opcode "10", name "2", kWidening \
  }
// Three registers of different widths; the form on upper halves is named name2.
#define WIDE(u, opcode, name)                                  \
  {"00" u "01110 xx 1 xxxxx" opcode "00", name, kWidening}, {  \
    "01" u "01110 xx 1 xxxxx" opcode "00", name "2", kWidening \
  }

// Floating point: `a` is bit 23, `opcode` also applies to the 16-bit form, in its last three bits.
#define F_SAME(u, a, opcode, name, n)                                                     \
  {"0x" u "01110" a "x 1 xxxxx 11" opcode "1", name, Float(A64Shape::kVectorFloat, n)}, { \
    "0x" u "01110" a "10 xxxxx 00" opcode "1", name, Float(A64Shape::kVectorHalf, n)      \
  }
#define F_SAME_BOTH(u, a, opcode, name, n)                                                        \
  F_SAME(u, a, opcode, name, n),                                                                  \
      {"01" u "11110" a "x 1 xxxxx 11" opcode "1", name, Float(A64Shape::kScalarSimdFloat, n)}, { \
    "01" u "11110" a "10 xxxxx 00" opcode "1", name, Float(A64Shape::kHalfFloat, n)               \
  }
#define F_MISC(u, a, opcode, name, n)                                                 \
  {"0x" u "01110" a "x 10000" opcode "10", name, Float(A64Shape::kVectorFloat, n)}, { \
    "0x" u "01110" a "1 11100" opcode "10", name, Float(A64Shape::kVectorHalf, n)     \
  }
#define F_MISC_BOTH(u, a, opcode, name, n)                                                    \
  F_MISC(u, a, opcode, name, n),                                                              \
      {"01" u "11110" a "x 10000" opcode "10", name, Float(A64Shape::kScalarSimdFloat, n)}, { \
    "01" u "11110" a "1 11100" opcode "10", name, Float(A64Shape::kHalfFloat, n)              \
  }
#define F_PAIR(a, opcode, name, n)                                                \
  {"01 1 11110" a "x 11000" opcode "10", name, Float(A64Shape::kPairFloat, n)}, { \
    "01 0 11110" a "0 11000" opcode "10", name, Float(A64Shape::kPairHalf, n)     \
  }

constexpr A64Row kRows[] = {
    {"0x0 01110 00 1 xxxxx 00011 1", "and", kLanes},
    {"0x0 01110 01 1 xxxxx 00011 1", "bic", kLanes},
    {"0x0 01110 10 1 xxxxx 00011 1", "orr", kLanes},
    {"0x0 01110 11 1 xxxxx 00011 1", "orn", kLanes},
    {"0x1 01110 00 1 xxxxx 00011 1", "eor", kLanes},
    {"0x1 01110 01 1 xxxxx 00011 1", "bsl", kLanes},
    {"0x1 01110 10 1 xxxxx 00011 1", "bit", kLanes},
    {"0x1 01110 11 1 xxxxx 00011 1", "bif", kLanes},
    SAME("0", "00000", "shadd"),
    SAME_BOTH("0", "00001", "sqadd"),
    SAME("0", "00010", "srhadd"),
    SAME("0", "00100", "shsub"),
    SAME_BOTH("0", "00101", "sqsub"),
    SAME_BOTH("0", "00110", "cmgt"),
    SAME_BOTH("0", "00111", "cmge"),
    SAME_BOTH("0", "01000", "sshl"),
    SAME_BOTH("0", "01001", "sqshl"),
    SAME_BOTH("0", "01010", "srshl"),
    SAME_BOTH("0", "01011", "sqrshl"),
    SAME("0", "01100", "smax"),
    SAME("0", "01101", "smin"),
    SAME("0", "01110", "sabd"),
    SAME("0", "01111", "saba"),
    SAME_BOTH("0", "10000", "add"),
    SAME_BOTH("0", "10001", "cmtst"),
    SAME("0", "10010", "mla"),
    SAME("0", "10011", "mul"),
    SAME("0", "10100", "smaxp"),
    SAME("0", "10101", "sminp"),
    SAME_BOTH("0", "10110", "sqdmulh"),
    SAME("0", "10111", "addp"),
    SAME("1", "00000", "uhadd"),
    SAME_BOTH("1", "00001", "uqadd"),
    SAME("1", "00010", "urhadd"),
    SAME("1", "00100", "uhsub"),
    SAME_BOTH("1", "00101", "uqsub"),
    SAME_BOTH("1", "00110", "cmhi"),
    SAME_BOTH("1", "00111", "cmhs"),
    SAME_BOTH("1", "01000", "ushl"),
    SAME_BOTH("1", "01001", "uqshl"),
    SAME_BOTH("1", "01010", "urshl"),
    SAME_BOTH("1", "01011", "uqrshl"),
    SAME("1", "01100", "umax"),
    SAME("1", "01101", "umin"),
    SAME("1", "01110", "uabd"),
    SAME("1", "01111", "uaba"),
    SAME_BOTH("1", "10000", "sub"),
    SAME_BOTH("1", "10001", "cmeq"),
    SAME("1", "10010", "mls"),
    SAME("1", "10011", "pmul"),
    SAME("1", "10100", "umaxp"),
    SAME("1", "10101", "uminp"),
    SAME_BOTH("1", "10110", "sqrdmulh"),

    {"0x0 01110 00 1 xxxxx 11101 1", "fmlal", Float(A64Shape::kMixedFloat, 2)},
    {"0x0 01110 10 1 xxxxx 11101 1", "fmlsl", Float(A64Shape::kMixedFloat, 2)},
    {"0x1 01110 00 1 xxxxx 11001 1", "fmlal2", Float(A64Shape::kMixedFloat, 2)},
    {"0x1 01110 10 1 xxxxx 11001 1", "fmlsl2", Float(A64Shape::kMixedFloat, 2)},
    F_SAME("0", "0", "000", "fmaxnm", 0),
    F_SAME("0", "0", "001", "fmla", 2),
    F_SAME("0", "0", "010", "fadd", 1),
    F_SAME_BOTH("0", "0", "011", "fmulx", 1),
    F_SAME_BOTH("0", "0", "100", "fcmeq", 0),
    F_SAME("0", "0", "110", "fmax", 0),
    F_SAME_BOTH("0", "0", "111", "frecps", 2),
    F_SAME("0", "1", "000", "fminnm", 0),
    F_SAME("0", "1", "001", "fmls", 2),
    F_SAME("0", "1", "010", "fsub", 1),
    F_SAME("0", "1", "110", "fmin", 0),
    F_SAME_BOTH("0", "1", "111", "frsqrts", 2),
    F_SAME("1", "0", "000", "fmaxnmp", 0),
    F_SAME("1", "0", "010", "faddp", 1),
    F_SAME("1", "0", "011", "fmul", 1),
    F_SAME_BOTH("1", "0", "100", "fcmge", 0),
    F_SAME_BOTH("1", "0", "101", "facge", 0),
    F_SAME("1", "0", "110", "fmaxp", 0),
    F_SAME("1", "0", "111", "fdiv", 1),
    F_SAME("1", "1", "000", "fminnmp", 0),
    F_SAME_BOTH("1", "1", "010", "fabd", 1),
    F_SAME_BOTH("1", "1", "100", "fcmgt", 0),
    F_SAME_BOTH("1", "1", "101", "facgt", 0),
    F_SAME("1", "1", "110", "fminp", 0),

    {"0x0 01110 10 0 xxxxx 1 0010 1", "sdot", kLanes},
    {"0x0 01110 10 0 xxxxx 1 0011 1", "usdot", kLanes},
    {"0x1 01110 10 0 xxxxx 1 0010 1", "udot", kLanes},
    {"010 01110 10 0 xxxxx 1 0100 1", "smmla", kWidening},
    {"010 01110 10 0 xxxxx 1 0101 1", "usmmla", kWidening},
    {"011 01110 10 0 xxxxx 1 0100 1", "ummla", kWidening},
    {"0x1 01110 xx 0 xxxxx 1 0000 1", "sqrdmlah", kLanes},
    {"0x1 01110 xx 0 xxxxx 1 0001 1", "sqrdmlsh", kLanes},
    {"011 11110 xx 0 xxxxx 1 0000 1", "sqrdmlah"},
    {"011 11110 xx 0 xxxxx 1 0001 1", "sqrdmlsh"},
    {"0x1 01110 01 0 xxxxx 1 10xx 1", "fcmla", Float(A64Shape::kVectorHalf, 2)},
    {"0x1 01110 1x 0 xxxxx 1 10xx 1", "fcmla", Float(A64Shape::kVectorFloat, 2)},
    {"0x1 01110 01 0 xxxxx 1 11x0 1", "fcadd", Float(A64Shape::kVectorHalf, 1)},
    {"0x1 01110 1x 0 xxxxx 1 11x0 1", "fcadd", Float(A64Shape::kVectorFloat, 1)},
    {"0x1 01110 01 0 xxxxx 1 1111 1", "bfdot", Float(A64Shape::kMixedFloat, 4)},
    {"001 01110 11 0 xxxxx 1 1111 1", "bfmlalb", Float(A64Shape::kMixedFloat128, 2)},
    {"011 01110 11 0 xxxxx 1 1111 1", "bfmlalt", Float(A64Shape::kMixedFloat128, 2)},
    {"011 01110 01 0 xxxxx 1 1101 1", "bfmmla", Float(A64Shape::kMixedFloat, 8)},

    WIDE("0", "0000", "saddl"),
    WIDE("0", "0001", "saddw"),
    WIDE("0", "0010", "ssubl"),
    WIDE("0", "0011", "ssubw"),
    WIDE("0", "0100", "addhn"),
    WIDE("0", "0101", "sabal"),
    WIDE("0", "0110", "subhn"),
    WIDE("0", "0111", "sabdl"),
    WIDE("0", "1000", "smlal"),
    WIDE("0", "1001", "sqdmlal"),
    WIDE("0", "1010", "smlsl"),
    WIDE("0", "1011", "sqdmlsl"),
    WIDE("0", "1100", "smull"),
    WIDE("0", "1101", "sqdmull"),
    WIDE("0", "1110", "pmull"),
    WIDE("1", "0000", "uaddl"),
    WIDE("1", "0001", "uaddw"),
    WIDE("1", "0010", "usubl"),
    WIDE("1", "0011", "usubw"),
    WIDE("1", "0100", "raddhn"),
    WIDE("1", "0101", "uabal"),
    WIDE("1", "0110", "rsubhn"),
    WIDE("1", "0111", "uabdl"),
    WIDE("1", "1000", "umlal"),
    WIDE("1", "1010", "umlsl"),
    WIDE("1", "1100", "umull"),
    {"010 11110 xx 1 xxxxx 1001 00", "sqdmlal"},
    {"010 11110 xx 1 xxxxx 1011 00", "sqdmlsl"},
    {"010 11110 xx 1 xxxxx 1101 00", "sqdmull"},

    MISC("0", "xx", "00000", "rev64"),
    MISC("0", "xx", "00001", "rev16"),
    MISC("0", "xx", "00010", "saddlp"),
    MISC_BOTH("0", "00011", "suqadd"),
    MISC("0", "xx", "00100", "cls"),
    MISC("0", "xx", "00101", "cnt"),
    MISC("0", "xx", "00110", "sadalp"),
    MISC_BOTH("0", "00111", "sqabs"),
    MISC_BOTH("0", "01000", "cmgt"),
    MISC_BOTH("0", "01001", "cmeq"),
    MISC_BOTH("0", "01010", "cmlt"),
    MISC_BOTH("0", "01011", "abs"),
    NARROW("0", "10010", "xtn"),
    NARROW("0", "10100", "sqxtn"),
    {"010 11110 xx 10000 10100 10", "sqxtn"},
    MISC("1", "xx", "00000", "rev32"),
    MISC("1", "xx", "00010", "uaddlp"),
    MISC_BOTH("1", "00011", "usqadd"),
    MISC("1", "xx", "00100", "clz"),
    MISC("1", "00", "00101", "not"),
    MISC("1", "01", "00101", "rbit"),
    MISC("1", "xx", "00110", "uadalp"),
    MISC_BOTH("1", "00111", "sqneg"),
    MISC_BOTH("1", "01000", "cmge"),
    MISC_BOTH("1", "01001", "cmle"),
    MISC_BOTH("1", "01011", "neg"),
    NARROW("1", "10010", "sqxtun"),
    {"011 11110 xx 10000 10010 10", "sqxtun"},
    NARROW("1", "10011", "shll"),
    NARROW("1", "10100", "uqxtn"),
    {"011 11110 xx 10000 10100 10", "uqxtn"},
    MISC("0", "10", "11100", "urecpe"),
    MISC("1", "10", "11100", "ursqrte"),

    {"000 01110 0x 10000 10110 10", "fcvtn", Float(A64Shape::kVector128)},
    {"010 01110 0x 10000 10110 10", "fcvtn2", Float(A64Shape::kVector128)},
    {"000 01110 10 10000 10110 10", "bfcvtn", Float(A64Shape::kVector128)},
    {"010 01110 10 10000 10110 10", "bfcvtn2", Float(A64Shape::kVector128)},
    {"000 01110 0x 10000 10111 10", "fcvtl", Float(A64Shape::kVector128)},
    {"010 01110 0x 10000 10111 10", "fcvtl2", Float(A64Shape::kVector128)},
    {"001 01110 01 10000 10110 10", "fcvtxn", Float(A64Shape::kVector128)},
    {"011 01110 01 10000 10110 10", "fcvtxn2", Float(A64Shape::kVector128)},
    {"011 11110 01 10000 10110 10", "fcvtxn", Float(A64Shape::kScalarSimdFloat)},
    F_MISC("0", "0", "11000", "frintn", 0),
    F_MISC("0", "0", "11001", "frintm", 0),
    F_MISC_BOTH("0", "0", "11010", "fcvtns", 0),
    F_MISC_BOTH("0", "0", "11011", "fcvtms", 0),
    F_MISC_BOTH("0", "0", "11100", "fcvtas", 0),
    F_MISC_BOTH("0", "0", "11101", "scvtf", 0),
    {"0x0 01110 0x 10000 11110 10", "frint32z", Float(A64Shape::kVectorFloat)},
    {"0x0 01110 0x 10000 11111 10", "frint64z", Float(A64Shape::kVectorFloat)},
    {"0x1 01110 0x 10000 11110 10", "frint32x", Float(A64Shape::kVectorFloat)},
    {"0x1 01110 0x 10000 11111 10", "frint64x", Float(A64Shape::kVectorFloat)},
    F_MISC_BOTH("0", "1", "01100", "fcmgt", 0),
    F_MISC_BOTH("0", "1", "01101", "fcmeq", 0),
    F_MISC_BOTH("0", "1", "01110", "fcmlt", 0),
    F_MISC("0", "1", "01111", "fabs", 0),
    F_MISC("0", "1", "11000", "frintp", 0),
    F_MISC("0", "1", "11001", "frintz", 0),
    F_MISC_BOTH("0", "1", "11010", "fcvtps", 0),
    F_MISC_BOTH("0", "1", "11011", "fcvtzs", 0),
    F_MISC_BOTH("0", "1", "11101", "frecpe", 0),
    {"010 11110 1x 10000 11111 10", "frecpx", Float(A64Shape::kScalarSimdFloat)},
    {"010 11110 11 11100 11111 10", "frecpx", Float(A64Shape::kHalfFloat)},
    F_MISC("1", "0", "11000", "frinta", 0),
    F_MISC("1", "0", "11001", "frintx", 0),
    F_MISC_BOTH("1", "0", "11010", "fcvtnu", 0),
    F_MISC_BOTH("1", "0", "11011", "fcvtmu", 0),
    F_MISC_BOTH("1", "0", "11100", "fcvtau", 0),
    F_MISC_BOTH("1", "0", "11101", "ucvtf", 0),
    F_MISC_BOTH("1", "1", "01100", "fcmge", 0),
    F_MISC_BOTH("1", "1", "01101", "fcmle", 0),
    F_MISC("1", "1", "01111", "fneg", 0),
    F_MISC("1", "1", "11001", "frinti", 0),
    F_MISC_BOTH("1", "1", "11010", "fcvtpu", 0),
    F_MISC_BOTH("1", "1", "11011", "fcvtzu", 0),
    F_MISC_BOTH("1", "1", "11101", "frsqrte", 0),
    F_MISC("1", "1", "11111", "fsqrt", 1),

    {"0x0 01110 xx 11000 00011 10", "saddlv", kLanes},
    {"0x0 01110 xx 11000 01010 10", "smaxv", kLanes},
    {"0x0 01110 xx 11000 11010 10", "sminv", kLanes},
    {"0x0 01110 xx 11000 11011 10", "addv", kLanes},
    {"0x1 01110 xx 11000 00011 10", "uaddlv", kLanes},
    {"0x1 01110 xx 11000 01010 10", "umaxv", kLanes},
    {"0x1 01110 xx 11000 11010 10", "uminv", kLanes},
    {"011 01110 00 11000 01100 10", "fmaxnmv", Float(A64Shape::kVectorFloat)},
    {"011 01110 10 11000 01100 10", "fminnmv", Float(A64Shape::kVectorFloat)},
    {"011 01110 00 11000 01111 10", "fmaxv", Float(A64Shape::kVectorFloat)},
    {"011 01110 10 11000 01111 10", "fminv", Float(A64Shape::kVectorFloat)},
    {"0x0 01110 00 11000 01100 10", "fmaxnmv", Float(A64Shape::kVectorHalf)},
    {"0x0 01110 10 11000 01100 10", "fminnmv", Float(A64Shape::kVectorHalf)},
    {"0x0 01110 00 11000 01111 10", "fmaxv", Float(A64Shape::kVectorHalf)},
    {"0x0 01110 10 11000 01111 10", "fminv", Float(A64Shape::kVectorHalf)},
    {"010 11110 11 11000 11011 10", "addp", kWidening},
    F_PAIR("0", "01100", "fmaxnmp", 0),
    F_PAIR("0", "01101", "faddp", 1),
    F_PAIR("0", "01111", "fmaxp", 0),
    F_PAIR("1", "01100", "fminnmp", 0),
    F_PAIR("1", "01111", "fminp", 0),
};

#undef SAME
#undef SAME_BOTH
#undef MISC
#undef MISC_BOTH
#undef NARROW
#undef WIDE
#undef F_SAME
#undef F_SAME_BOTH
#undef F_MISC
#undef F_MISC_BOTH
#undef F_PAIR

}  // namespace

std::span<const A64Row> A64SimdRows() { return kRows; }

}  // namespace tare::decode
