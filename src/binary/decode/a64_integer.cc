// a64_integer.cc: A64 arithmetic and logic on general-purpose registers.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

// Shifted registers: the shift of a 32-bit register is below 32.
#define SHIFTED(bits, negated, name) \
  {"0" bits "01010 xx" negated "xxxxx 0", name}, { "1" bits "01010 xx" negated, name }
#define ADD_SHIFTED(bits, name)                                                 \
  {"0" bits "01011 0x 0 xxxxx 0", name}, {"0" bits "01011 10 0 xxxxx 0", name}, \
      {"1" bits "01011 0x 0", name}, {                                          \
    "1" bits "01011 10 0", name                                                 \
  }
// Extended registers: the shift is at most 4.
#define ADD_EXTENDED(bits, name) \
  {"x" bits "01011 001 xxxxx xxx 0xx", name}, { "x" bits "01011 001 xxxxx xxx 100", name }

constexpr A64Row kRows[] = {
    {"0 xx 10000", "adr"},
    {"1 xx 10000", "adrp"},
    {"x 00 100010", "add"},
    {"x 01 100010", "adds"},
    {"x 10 100010", "sub"},
    {"x 11 100010", "subs"},
    {"1 00 100011 0", "addg"},
    {"1 10 100011 0", "subg"},
    {"x 00 100011 1 0000", "smax"},
    {"x 00 100011 1 0001", "umax"},
    {"x 00 100011 1 0010", "smin"},
    {"x 00 100011 1 0011", "umin"},
    {"0 00 100100 0", "and"},
    {"1 00 100100", "and"},
    {"0 01 100100 0", "orr"},
    {"1 01 100100", "orr"},
    {"0 10 100100 0", "eor"},
    {"1 10 100100", "eor"},
    {"0 11 100100 0", "ands"},
    {"1 11 100100", "ands"},
    {"0 00 100101 0", "movn"},
    {"1 00 100101", "movn"},
    {"0 10 100101 0", "movz"},
    {"1 10 100101", "movz"},
    {"0 11 100101 0", "movk"},
    {"1 11 100101", "movk"},
    {"0 00 100110 0 0xxxxx 0", "sbfm"},
    {"1 00 100110 1", "sbfm"},
    {"0 01 100110 0 0xxxxx 0", "bfm"},
    {"1 01 100110 1", "bfm"},
    {"0 10 100110 0 0xxxxx 0", "ubfm"},
    {"1 10 100110 1", "ubfm"},
    {"0 00 100111 0 0 xxxxx 0", "extr"},
    {"1 00 100111 1 0", "extr"},

    SHIFTED("00", "0", "and"),
    SHIFTED("00", "1", "bic"),
    SHIFTED("01", "0", "orr"),
    SHIFTED("01", "1", "orn"),
    SHIFTED("10", "0", "eor"),
    SHIFTED("10", "1", "eon"),
    SHIFTED("11", "0", "ands"),
    SHIFTED("11", "1", "bics"),
    ADD_SHIFTED("00", "add"),
    ADD_SHIFTED("01", "adds"),
    ADD_SHIFTED("10", "sub"),
    ADD_SHIFTED("11", "subs"),
    ADD_EXTENDED("00", "add"),
    ADD_EXTENDED("01", "adds"),
    ADD_EXTENDED("10", "sub"),
    ADD_EXTENDED("11", "subs"),
    {"x 00 11010000 xxxxx 000000", "adc"},
    {"x 01 11010000 xxxxx 000000", "adcs"},
    {"x 10 11010000 xxxxx 000000", "sbc"},
    {"x 11 11010000 xxxxx 000000", "sbcs"},
    {"1 01 11010000 xxxxxx 00001 xxxxx 0", "rmif"},
    {{0x3a00080d, 0xfffffc1f}, "setf8"},
    {{0x3a00480d, 0xfffffc1f}, "setf16"},
    {"x 01 11010010 xxxxx xxxx x0 xxxxx 0", "ccmn"},
    {"x 11 11010010 xxxxx xxxx x0 xxxxx 0", "ccmp"},
    {"x 00 11010100 xxxxx xxxx 00", "csel"},
    {"x 00 11010100 xxxxx xxxx 01", "csinc"},
    {"x 10 11010100 xxxxx xxxx 00", "csinv"},
    {"x 10 11010100 xxxxx xxxx 01", "csneg"},
    {"x 00 11011 000 xxxxx 0", "madd"},
    {"x 00 11011 000 xxxxx 1", "msub"},
    {"1 00 11011 001 xxxxx 0", "smaddl"},
    {"1 00 11011 001 xxxxx 1", "smsubl"},
    {"1 00 11011 010 xxxxx 0", "smulh"},
    {"1 00 11011 101 xxxxx 0", "umaddl"},
    {"1 00 11011 101 xxxxx 1", "umsubl"},
    {"1 00 11011 110 xxxxx 0", "umulh"},

    {"1 00 11010110 xxxxx 000000", "subp"},
    {"1 01 11010110 xxxxx 000000", "subps"},
    {"x 00 11010110 xxxxx 000010", "udiv"},
    {"x 00 11010110 xxxxx 000011", "sdiv"},
    {"1 00 11010110 xxxxx 000100", "irg"},
    {"1 00 11010110 xxxxx 000101", "gmi"},
    {"x 00 11010110 xxxxx 001000", "lslv"},
    {"x 00 11010110 xxxxx 001001", "lsrv"},
    {"x 00 11010110 xxxxx 001010", "asrv"},
    {"x 00 11010110 xxxxx 001011", "rorv"},
    {"1 00 11010110 xxxxx 001100", "pacga"},
    {"0 00 11010110 xxxxx 010000", "crc32b"},
    {"0 00 11010110 xxxxx 010001", "crc32h"},
    {"0 00 11010110 xxxxx 010010", "crc32w"},
    {"1 00 11010110 xxxxx 010011", "crc32x"},
    {"0 00 11010110 xxxxx 010100", "crc32cb"},
    {"0 00 11010110 xxxxx 010101", "crc32ch"},
    {"0 00 11010110 xxxxx 010110", "crc32cw"},
    {"1 00 11010110 xxxxx 010111", "crc32cx"},
    {"x 00 11010110 xxxxx 011000", "smax"},
    {"x 00 11010110 xxxxx 011001", "umax"},
    {"x 00 11010110 xxxxx 011010", "smin"},
    {"x 00 11010110 xxxxx 011011", "umin"},

    {"x 10 11010110 00000 000000", "rbit"},
    {"x 10 11010110 00000 000001", "rev16"},
    {"0 10 11010110 00000 000010", "rev"},
    {"1 10 11010110 00000 000010", "rev32"},
    {"1 10 11010110 00000 000011", "rev"},
    {"x 10 11010110 00000 000100", "clz"},
    {"x 10 11010110 00000 000101", "cls"},
    {"x 10 11010110 00000 000110", "ctz"},
    {"x 10 11010110 00000 000111", "cnt"},
    {"x 10 11010110 00000 001000", "abs"},
    {"1 10 11010110 00001 000000", "pacia"},
    {"1 10 11010110 00001 000001", "pacib"},
    {"1 10 11010110 00001 000010", "pacda"},
    {"1 10 11010110 00001 000011", "pacdb"},
    {"1 10 11010110 00001 000100", "autia"},
    {"1 10 11010110 00001 000101", "autib"},
    {"1 10 11010110 00001 000110", "autda"},
    {"1 10 11010110 00001 000111", "autdb"},
    {"1 10 11010110 00001 001000 11111", "paciza"},
    {"1 10 11010110 00001 001001 11111", "pacizb"},
    {"1 10 11010110 00001 001010 11111", "pacdza"},
    {"1 10 11010110 00001 001011 11111", "pacdzb"},
    {"1 10 11010110 00001 001100 11111", "autiza"},
    {"1 10 11010110 00001 001101 11111", "autizb"},
    {"1 10 11010110 00001 001110 11111", "autdza"},
    {"1 10 11010110 00001 001111 11111", "autdzb"},
    {"1 10 11010110 00001 010000 11111", "xpaci"},
    {"1 10 11010110 00001 010001 11111", "xpacd"},
};

#undef SHIFTED
#undef ADD_SHIFTED
#undef ADD_EXTENDED

}  // namespace

std::span<const A64Row> A64IntegerRows() { return kRows; }

}  // namespace tare::decode
