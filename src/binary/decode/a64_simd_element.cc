// a64_simd_element.cc: A64 Advanced SIMD by element, shifts, permutations, copies and immediates.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

constexpr auto kLanes = Shaped(A64Shape::kVector);
constexpr auto kWidening = Shaped(A64Shape::kVector128);

// Multiplication by one element.
#define ELEMENT(u, opcode, name) {"0x" u "01111 xx xx xxxx" opcode "x 0", name, kLanes}
#define ELEMENT_WIDE(u, opcode, name)                           \
  {"00" u "01111 xx xx xxxx" opcode "x 0", name, kWidening}, {  \
    "01" u "01111 xx xx xxxx" opcode "x 0", name "2", kWidening \
  }
#define ELEMENT_SCALAR(u, opcode, name) {"01" u "11111 xx xx xxxx" opcode "x 0", name}
// 16-bit elements have size 00, others 1x.
#define ELEMENT_FLOAT(u, opcode, name, n)                                                   \
  {"0x" u "01111 00 xx xxxx" opcode "x 0", name, Float(A64Shape::kElementFloat, n)},        \
      {"0x" u "01111 1x xx xxxx" opcode "x 0", name, Float(A64Shape::kElementFloat, n)},    \
      {"01" u "11111 00 xx xxxx" opcode "x 0", name, Float(A64Shape::kScalarElement, n)}, { \
    "01" u "11111 1x xx xxxx" opcode "x 0", name, Float(A64Shape::kScalarElement, n)        \
  }

// Shifts by an immediate.
#define SHIFT(u, opcode, name) {"0x" u "011110 xxxx xxx" opcode "1", name, kLanes}
#define SHIFT_BOTH(u, opcode, name) \
  SHIFT(u, opcode, name), { "01" u "111110 xxxx xxx" opcode "1", name }
#define SHIFT_WIDE(u, opcode, name)                          \
  {"00" u "011110 xxxx xxx" opcode "1", name, kWidening}, {  \
    "01" u "011110 xxxx xxx" opcode "1", name "2", kWidening \
  }

constexpr A64Row kRows[] = {
    {"0x0 01110000 xxxxx 0 0000 1", "dup", kLanes},
    {"0x0 01110000 xxxxx 0 0001 1", "dup", kLanes},
    {"0x0 01110000 xxxxx 0 0101 1", "smov"},
    {"0x0 01110000 xxxxx 0 0111 1", "umov"},
    {"010 01110000 xxxxx 0 0011 1", "ins"},
    {"011 01110000 xxxxx 0 xxxx 1", "ins"},
    {"010 11110000 xxxxx 0 0000 1", "dup"},
    {"0x1 01110 000 xxxxx 0 xxxx 0", "ext", kLanes},
    {"0x0 01110 000 xxxxx 0 xx 0 00", "tbl", kLanes},
    {"0x0 01110 000 xxxxx 0 xx 1 00", "tbx", kLanes},
    {"0x0 01110 xx0 xxxxx 0 001 10", "uzp1", kLanes},
    {"0x0 01110 xx0 xxxxx 0 010 10", "trn1", kLanes},
    {"0x0 01110 xx0 xxxxx 0 011 10", "zip1", kLanes},
    {"0x0 01110 xx0 xxxxx 0 101 10", "uzp2", kLanes},
    {"0x0 01110 xx0 xxxxx 0 110 10", "trn2", kLanes},
    {"0x0 01110 xx0 xxxxx 0 111 10", "zip2", kLanes},

    {"0x0 0111100000 xxx 0xx0 01", "movi", kLanes},
    {"0x0 0111100000 xxx 0xx1 01", "orr", kLanes},
    {"0x0 0111100000 xxx 10x0 01", "movi", kLanes},
    {"0x0 0111100000 xxx 10x1 01", "orr", kLanes},
    {"0x0 0111100000 xxx 110x 01", "movi", kLanes},
    {"0x0 0111100000 xxx 1110 01", "movi", kLanes},
    {"0x0 0111100000 xxx 1111 x1", "fmov", kLanes},
    {"0x1 0111100000 xxx 0xx0 01", "mvni", kLanes},
    {"0x1 0111100000 xxx 0xx1 01", "bic", kLanes},
    {"0x1 0111100000 xxx 10x0 01", "mvni", kLanes},
    {"0x1 0111100000 xxx 10x1 01", "bic", kLanes},
    {"0x1 0111100000 xxx 110x 01", "mvni", kLanes},
    {"0x1 0111100000 xxx 1110 01", "movi", kLanes},
    {"011 0111100000 xxx 1111 01", "fmov", kLanes},

    SHIFT_BOTH("0", "00000", "sshr"),
    SHIFT_BOTH("0", "00010", "ssra"),
    SHIFT_BOTH("0", "00100", "srshr"),
    SHIFT_BOTH("0", "00110", "srsra"),
    SHIFT_BOTH("0", "01010", "shl"),
    SHIFT_BOTH("0", "01110", "sqshl"),
    SHIFT_WIDE("0", "10000", "shrn"),
    SHIFT_WIDE("0", "10001", "rshrn"),
    SHIFT_WIDE("0", "10010", "sqshrn"),
    SHIFT_WIDE("0", "10011", "sqrshrn"),
    {"010 111110 xxxx xxx 10010 1", "sqshrn"},
    {"010 111110 xxxx xxx 10011 1", "sqrshrn"},
    SHIFT_WIDE("0", "10100", "sshll"),
    SHIFT_BOTH("1", "00000", "ushr"),
    SHIFT_BOTH("1", "00010", "usra"),
    SHIFT_BOTH("1", "00100", "urshr"),
    SHIFT_BOTH("1", "00110", "ursra"),
    SHIFT_BOTH("1", "01000", "sri"),
    SHIFT_BOTH("1", "01010", "sli"),
    SHIFT_BOTH("1", "01100", "sqshlu"),
    SHIFT_BOTH("1", "01110", "uqshl"),
    SHIFT_WIDE("1", "10000", "sqshrun"),
    SHIFT_WIDE("1", "10001", "sqrshrun"),
    SHIFT_WIDE("1", "10010", "uqshrn"),
    SHIFT_WIDE("1", "10011", "uqrshrn"),
    {"011 111110 xxxx xxx 10000 1", "sqshrun"},
    {"011 111110 xxxx xxx 10001 1", "sqrshrun"},
    {"011 111110 xxxx xxx 10010 1", "uqshrn"},
    {"011 111110 xxxx xxx 10011 1", "uqrshrn"},
    SHIFT_WIDE("1", "10100", "ushll"),
    {"0x0 011110 xxxx xxx 11100 1", "scvtf", Float(A64Shape::kVector)},
    {"0x0 011110 xxxx xxx 11111 1", "fcvtzs", Float(A64Shape::kVector)},
    {"0x1 011110 xxxx xxx 11100 1", "ucvtf", Float(A64Shape::kVector)},
    {"0x1 011110 xxxx xxx 11111 1", "fcvtzu", Float(A64Shape::kVector)},
    {"010 111110 xxxx xxx 11100 1", "scvtf", Float(A64Shape::kPlain)},
    {"010 111110 xxxx xxx 11111 1", "fcvtzs", Float(A64Shape::kPlain)},
    {"011 111110 xxxx xxx 11100 1", "ucvtf", Float(A64Shape::kPlain)},
    {"011 111110 xxxx xxx 11111 1", "fcvtzu", Float(A64Shape::kPlain)},

    {"0x0 01111 10 xx xxxx 0000 x 0", "fmlal", Float(A64Shape::kMixedFloat, 2)},
    {"0x0 01111 10 xx xxxx 0100 x 0", "fmlsl", Float(A64Shape::kMixedFloat, 2)},
    {"0x1 01111 10 xx xxxx 1000 x 0", "fmlal2", Float(A64Shape::kMixedFloat, 2)},
    {"0x1 01111 10 xx xxxx 1100 x 0", "fmlsl2", Float(A64Shape::kMixedFloat, 2)},
    ELEMENT_FLOAT("0", "0001", "fmla", 2),
    ELEMENT_FLOAT("0", "0101", "fmls", 2),
    ELEMENT_FLOAT("0", "1001", "fmul", 1),
    ELEMENT_FLOAT("1", "1001", "fmulx", 1),
    {"0x1 01111 01 xx xxxx 0xx1 x 0", "fcmla", Float(A64Shape::kVectorHalf, 2)},
    {"011 01111 10 xx xxxx 0xx1 x 0", "fcmla", Float(A64Shape::kVectorFloat, 2)},
    ELEMENT_WIDE("0", "0010", "smlal"),
    ELEMENT_WIDE("0", "0011", "sqdmlal"),
    ELEMENT_WIDE("0", "0110", "smlsl"),
    ELEMENT_WIDE("0", "0111", "sqdmlsl"),
    ELEMENT("0", "1000", "mul"),
    ELEMENT_WIDE("0", "1010", "smull"),
    ELEMENT_WIDE("0", "1011", "sqdmull"),
    ELEMENT("0", "1100", "sqdmulh"),
    ELEMENT("0", "1101", "sqrdmulh"),
    ELEMENT_SCALAR("0", "0011", "sqdmlal"),
    ELEMENT_SCALAR("0", "0111", "sqdmlsl"),
    ELEMENT_SCALAR("0", "1011", "sqdmull"),
    ELEMENT_SCALAR("0", "1100", "sqdmulh"),
    ELEMENT_SCALAR("0", "1101", "sqrdmulh"),
    ELEMENT_SCALAR("1", "1101", "sqrdmlah"),
    ELEMENT_SCALAR("1", "1111", "sqrdmlsh"),
    {"0x0 01111 10 xx xxxx 1110 x 0", "sdot", kLanes},
    {"0x0 01111 00 xx xxxx 1111 x 0", "sudot", kLanes},
    {"0x0 01111 01 xx xxxx 1111 x 0", "bfdot", Float(A64Shape::kMixedFloat, 4)},
    {"0x0 01111 10 xx xxxx 1111 x 0", "usdot", kLanes},
    {"000 01111 11 xx xxxx 1111 x 0", "bfmlalb", Float(A64Shape::kMixedFloat128, 2)},
    {"010 01111 11 xx xxxx 1111 x 0", "bfmlalt", Float(A64Shape::kMixedFloat128, 2)},
    ELEMENT("1", "0000", "mla"),
    ELEMENT_WIDE("1", "0010", "umlal"),
    ELEMENT("1", "0100", "mls"),
    ELEMENT_WIDE("1", "0110", "umlsl"),
    ELEMENT_WIDE("1", "1010", "umull"),
    ELEMENT("1", "1101", "sqrdmlah"),
    {"0x1 01111 10 xx xxxx 1110 x 0", "udot", kLanes},
    ELEMENT("1", "1111", "sqrdmlsh"),
};

#undef ELEMENT
#undef ELEMENT_WIDE
#undef ELEMENT_SCALAR
#undef ELEMENT_FLOAT
#undef SHIFT
#undef SHIFT_BOTH
#undef SHIFT_WIDE

}  // namespace

std::span<const A64Row> A64SimdElementRows() { return kRows; }

}  // namespace tare::decode
