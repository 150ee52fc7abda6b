// a64_float.cc: A64 scalar floating point, and the cryptographic instructions encoded next to it.
#include "binary/decode/a64.h"

namespace tare::decode {
namespace {

constexpr auto kCheck = Float(A64Shape::kScalarFloat);
constexpr auto kOne = Float(A64Shape::kScalarFloat, 1);
constexpr auto kFused = Float(A64Shape::kScalarFloat, 2);
constexpr auto kBlock = Shaped(A64Shape::kVector128);

// One row per floating-point type: single, double, half.
#define TYPED(before, after, name, effect) \
  {before "0x" after, name, effect}, { before "11" after, name, effect }
// The result is a general-purpose register of 32 or 64 bits, or comes from one.
#define CONVERTED(after, name) TYPED("x 0011110", after, name, kCheck)
#define UNARY(opcode, name, effect) TYPED("00011110", "1" opcode "10000", name, effect)
#define BINARY(opcode, name, effect) TYPED("00011110", "1 xxxxx" opcode "10", name, effect)

constexpr A64Row kRows[] = {
    CONVERTED("0 00010", "scvtf"),
    CONVERTED("0 00011", "ucvtf"),
    CONVERTED("0 11000", "fcvtzs"),
    CONVERTED("0 11001", "fcvtzu"),
    CONVERTED("1 00000 000000", "fcvtns"),
    CONVERTED("1 00001 000000", "fcvtnu"),
    CONVERTED("1 00010 000000", "scvtf"),
    CONVERTED("1 00011 000000", "ucvtf"),
    CONVERTED("1 00100 000000", "fcvtas"),
    CONVERTED("1 00101 000000", "fcvtau"),
    CONVERTED("1 01000 000000", "fcvtps"),
    CONVERTED("1 01001 000000", "fcvtpu"),
    CONVERTED("1 10000 000000", "fcvtms"),
    CONVERTED("1 10001 000000", "fcvtmu"),
    CONVERTED("1 11000 000000", "fcvtzs"),
    CONVERTED("1 11001 000000", "fcvtzu"),
    {"0 0011110 01 1 11110 000000", "fjcvtzs", kCheck},
    {"0 0011110 00 1 0011x 000000", "fmov"},
    {"1 0011110 01 1 0011x 000000", "fmov"},
    {"1 0011110 10 1 0111x 000000", "fmov"},
    {"x 0011110 11 1 0011x 000000", "fmov"},

    TYPED("00011110", "1 000000 10000", "fmov", A64Effect{}),
    TYPED("00011110", "1 xxxxxxxx 100 00000", "fmov", A64Effect{}),
    UNARY("000001", "fabs", kCheck),
    UNARY("000010", "fneg", kCheck),
    UNARY("000011", "fsqrt", kOne),
    UNARY("001000", "frintn", kCheck),
    UNARY("001001", "frintp", kCheck),
    UNARY("001010", "frintm", kCheck),
    UNARY("001011", "frintz", kCheck),
    UNARY("001100", "frinta", kCheck),
    UNARY("001110", "frintx", kCheck),
    UNARY("001111", "frinti", kCheck),
    {"00011110 0x 1 010000 10000", "frint32z", kCheck},
    {"00011110 0x 1 010001 10000", "frint32x", kCheck},
    {"00011110 0x 1 010010 10000", "frint64z", kCheck},
    {"00011110 0x 1 010011 10000", "frint64x", kCheck},
    {"00011110 00 1 000101 10000", "fcvt", kCheck},
    {"00011110 00 1 000111 10000", "fcvt", kCheck},
    {"00011110 01 1 000100 10000", "fcvt", kCheck},
    {"00011110 01 1 000111 10000", "fcvt", kCheck},
    {"00011110 01 1 000110 10000", "bfcvt", Float(A64Shape::kPlain)},
    {"00011110 11 1 00010x 10000", "fcvt", kCheck},
    TYPED("00011110", "1 xxxxx 001000 xxxxx 0x000", "fcmp", kCheck),
    TYPED("00011110", "1 xxxxx 001000 xxxxx 1x000", "fcmpe", kCheck),
    TYPED("00011110", "1 xxxxx xxxx 01 xxxxx 0", "fccmp", kCheck),
    TYPED("00011110", "1 xxxxx xxxx 01 xxxxx 1", "fccmpe", kCheck),
    TYPED("00011110", "1 xxxxx xxxx 11", "fcsel", A64Effect{}),
    BINARY("0000", "fmul", kOne),
    BINARY("0001", "fdiv", kOne),
    BINARY("0010", "fadd", kOne),
    BINARY("0011", "fsub", kOne),
    BINARY("0100", "fmax", kCheck),
    BINARY("0101", "fmin", kCheck),
    BINARY("0110", "fmaxnm", kCheck),
    BINARY("0111", "fminnm", kCheck),
    BINARY("1000", "fnmul", kOne),
    TYPED("00011111", "0 xxxxx 0", "fmadd", kFused),
    TYPED("00011111", "0 xxxxx 1", "fmsub", kFused),
    TYPED("00011111", "1 xxxxx 0", "fnmadd", kFused),
    TYPED("00011111", "1 xxxxx 1", "fnmsub", kFused),

    {{0x4e284800, 0xfffffc00}, "aese", kBlock},
    {{0x4e285800, 0xfffffc00}, "aesd", kBlock},
    {{0x4e286800, 0xfffffc00}, "aesmc", kBlock},
    {{0x4e287800, 0xfffffc00}, "aesimc", kBlock},
    {{0x5e000000, 0xffe0fc00}, "sha1c", kBlock},
    {{0x5e001000, 0xffe0fc00}, "sha1p", kBlock},
    {{0x5e002000, 0xffe0fc00}, "sha1m", kBlock},
    {{0x5e003000, 0xffe0fc00}, "sha1su0", kBlock},
    {{0x5e004000, 0xffe0fc00}, "sha256h", kBlock},
    {{0x5e005000, 0xffe0fc00}, "sha256h2", kBlock},
    {{0x5e006000, 0xffe0fc00}, "sha256su1", kBlock},
    {{0x5e280800, 0xfffffc00}, "sha1h"},
    {{0x5e281800, 0xfffffc00}, "sha1su1", kBlock},
    {{0x5e282800, 0xfffffc00}, "sha256su0", kBlock},
    {{0xce000000, 0xffe08000}, "eor3", kBlock},
    {{0xce200000, 0xffe08000}, "bcax", kBlock},
    {{0xce400000, 0xffe08000}, "sm3ss1", kBlock},
    {{0xce408000, 0xffe0cc00}, "sm3tt1a", kBlock},
    {{0xce408400, 0xffe0cc00}, "sm3tt1b", kBlock},
    {{0xce408800, 0xffe0cc00}, "sm3tt2a", kBlock},
    {{0xce408c00, 0xffe0cc00}, "sm3tt2b", kBlock},
    {{0xce608000, 0xffe0fc00}, "sha512h", kBlock},
    {{0xce608400, 0xffe0fc00}, "sha512h2", kBlock},
    {{0xce608800, 0xffe0fc00}, "sha512su1", kBlock},
    {{0xce608c00, 0xffe0fc00}, "rax1", kBlock},
    {{0xce60c000, 0xffe0fc00}, "sm3partw1", kBlock},
    {{0xce60c400, 0xffe0fc00}, "sm3partw2", kBlock},
    {{0xce60c800, 0xffe0fc00}, "sm4ekey", kBlock},
    {{0xce800000, 0xffe00000}, "xar", kBlock},
    {{0xcec08000, 0xfffffc00}, "sha512su0", kBlock},
    {{0xcec08400, 0xfffffc00}, "sm4e", kBlock},
};

#undef TYPED
#undef CONVERTED
#undef UNARY
#undef BINARY

}  // namespace

std::span<const A64Row> A64FloatRows() { return kRows; }

}  // namespace tare::decode
