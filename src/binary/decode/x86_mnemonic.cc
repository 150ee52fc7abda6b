// x86_mnemonic.cc: the naming rules of SSE, AVX and x87 instructions.
#include "binary/decode/x86_mnemonic.h"

#include <algorithm>
#include <array>

namespace tare::decode {
namespace {

template <std::size_t N>
bool IsOneOf(std::string_view name, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, name) != list.end();
}

template <std::size_t N>
bool BeginsWithOneOf(std::string_view name, const std::array<std::string_view, N>& list) {
  return std::ranges::any_of(list, [&](std::string_view one) { return name.starts_with(one); });
}

constexpr std::array<std::string_view, 8> kOnce = {"add",  "sub",  "mul",  "div",
                                                   "sqrt", "hadd", "hsub", "addsub"};
constexpr std::array<std::string_view, 5> kFused = {"fmadd", "fmsub", "fnmadd", "fnmsub", "dp"};
constexpr std::array<std::string_view, 17> kChecked = {
    "cmp",    "comi",    "ucomi",    "max",    "min",   "round",  "rcp",     "rsqrt", "rndscale",
    "getexp", "getmant", "fixupimm", "scalef", "range", "reduce", "fpclass", "frcz"};
constexpr std::array<std::string_view, 9> kOneLane = {"movss", "movsd", "movsh", "movd",     "movq",
                                                      "movw",  "pinsr", "pextr", "extractps"};
constexpr std::array<std::string_view, 9> kX87Once = {"fadd",  "fsub",  "fmul",  "fdiv", "fsqrt",
                                                      "fiadd", "fisub", "fimul", "fidiv"};
constexpr std::array<std::string_view, 20> kX87Checked = {
    "fcom",  "fucom",  "ficom", "ftst",  "fxam",  "fchs", "fabs",   "frndint", "fsin", "fcos",
    "fptan", "fpatan", "f2xm1", "fyl2x", "fprem", "fist", "fscale", "fxtract", "fild", "fisttp"};

// The element type at the end of a name, and whether it is scalar: "ps", "sd", "sh".
bool TakeSuffix(std::string_view& stem, X86Arithmetic& it) {
  if (stem.size() < 4) return false;
  const char kind = stem[stem.size() - 2];
  const char element = stem.back();
  if (kind != 's' && kind != 'p') return false;
  if (element != 's' && element != 'd' && element != 'h') return false;
  it.scalar = kind == 's';
  it.element_bits = element == 's' ? 32 : element == 'd' ? 64 : 16;
  stem.remove_suffix(2);
  return true;
}

X86Arithmetic Conversion(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  X86Arithmetic it;
  it.floating_point = true;
  it.scalar = has("si") || has("ss") || has("sd") || has("sh");
  it.element_bits = has("sd") || has("pd") ? 64 : has("ss") || has("ps") ? 32 : 16;
  return it;
}

}  // namespace

X86Arithmetic ArithmeticOfName(std::string_view name) {
  if (name.starts_with("f") && BeginsWithOneOf(name, kX87Once))
    return {.floating_point = true, .scalar = true, .element_bits = 80, .operations = 1};
  if (name.starts_with("f") && BeginsWithOneOf(name, kX87Checked))
    return {.floating_point = true, .scalar = true, .element_bits = 80};
  std::string_view stem = name;
  if (stem.starts_with("v")) stem.remove_prefix(1);
  if (stem.starts_with("cvt")) return Conversion(stem);
  if (BeginsWithOneOf(stem, kOneLane)) return {.scalar = stem != "movshdup" && stem != "movsldup"};
  X86Arithmetic it;
  if (!TakeSuffix(stem, it)) return {};
  if (IsOneOf(stem, kOnce))
    it.operations = 1;
  else if (BeginsWithOneOf(stem, kFused))
    it.operations = 2;
  else if (!BeginsWithOneOf(stem, kChecked))
    return {};
  it.floating_point = true;
  return it;
}

}  // namespace tare::decode
