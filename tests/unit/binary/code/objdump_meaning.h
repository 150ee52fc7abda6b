// objdump_meaning.h: derives an instruction's category from objdump's text, by independent rules.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "binary/decode/architecture.h"
#include "binary/decode/instruction_class.h"

namespace tare::code {

// What an operation does, regardless of its operands.
enum class Meaning : unsigned char {
  kUnknown,
  kCall,
  kConditionalBranch,
  kJump,
  kStack,     // changes the stack pointer implicitly
  kComputes,  // arithmetic, also with a memory operand
  kCopies,    // accesses memory only with a memory operand
  kMemory,    // always accesses memory
  kNothing,   // neither computes nor accesses memory
};

namespace objdump {

using Words = std::initializer_list<std::string_view>;

inline bool IsOneOf(std::string_view word, Words words) {
  return std::ranges::find(words, word) != words.end();
}

inline bool BeginsWithOneOf(std::string_view word, Words beginnings) {
  return std::ranges::any_of(beginnings, [&](auto one) { return word.starts_with(one); });
}

// Whether the word, such as "addps", is one of `stems` directly followed by one of `endings`.
inline bool IsComposed(std::string_view word, Words stems, Words endings) {
  return std::ranges::any_of(stems, [&](auto stem) {
    return word.starts_with(stem) && IsOneOf(word.substr(stem.size()), endings);
  });
}

inline bool X86Computes(std::string_view word) {
  if (IsOneOf(word, {"add",  "sub",  "adc",   "sbb",   "mul",   "imul",   "mulx",  "div",  "idiv",
                     "inc",  "dec",  "neg",   "not",   "and",   "or",     "xor",   "andn", "shl",
                     "shr",  "sar",  "sal",   "rol",   "ror",   "rcl",    "rcr",   "shld", "shrd",
                     "shlx", "shrx", "sarx",  "rorx",  "cmp",   "test",   "bt",    "bts",  "btr",
                     "btc",  "bsf",  "bsr",   "tzcnt", "lzcnt", "popcnt", "bswap", "lea",  "cdq",
                     "cqo",  "cwd",  "xadd",  "bzhi",  "bextr", "blsr",   "blsi",  "pdep", "pext",
                     "adcx", "adox", "crc32", "blsmsk"}))
    return true;
  if (word.starts_with("set") && word.size() <= 6) return true;
  if (IsOneOf(word, {"fadd",   "faddp",   "fiadd",  "fsub",   "fsubp",   "fsubr", "fsubrp", "fisub",
                     "fmul",   "fmulp",   "fimul",  "fdiv",   "fdivp",   "fdivr", "fdivrp", "fidiv",
                     "fabs",   "fchs",    "fsqrt",  "fucomi", "fcomi",   "fild",  "fist",   "fistp",
                     "fisttp", "fucomip", "fcomip", "fprem",  "frndint", "fscale"}))
    return true;
  if (word.starts_with('v')) word.remove_prefix(1);
  if (IsComposed(word,
                 {"add", "sub", "mul", "div", "sqrt", "min", "max", "and", "andn", "or", "xor",
                  "comi", "ucomi", "hadd", "hsub", "round"},
                 {"ss", "sd", "ps", "pd"}))
    return true;
  if (BeginsWithOneOf(word, {"cvt", "fmadd", "fmsub", "fnmadd", "fnmsub", "aesenc", "aesdec",
                             "aesimc", "aeskeygen", "pclmul"}))
    return true;
  if (word == "pand" || word == "pandn" || word == "por" || word == "pxor" || word == "psadbw")
    return true;
  return IsComposed(
      word, {"padd",  "paddu",  "padds", "paddus", "psub",  "psubu",  "psubs",  "psubus", "pmull",
             "pmulh", "pmulhu", "pmulu", "pmul",   "pmadd", "pcmpeq", "pcmpgt", "pmins",  "pminu",
             "pmaxs", "pmaxu",  "pavg",  "psll",   "psrl",  "psra",   "packss", "packus", "pabs"},
      {"b", "w", "d", "q", "dq", "wd", "wb", "dw", "ubsw"});
}

inline bool X86Copies(std::string_view word) {
  if (IsOneOf(word,
              {"mov",     "movabs",  "movzx",      "movsx",     "movsxd",  "movbe",   "movd",
               "movq",    "cbw",     "cwde",       "cdqe",      "xchg",    "cmpxchg", "fld",
               "fst",     "fstp",    "fxch",       "fld1",      "fldz",    "fldcw",   "fnstcw",
               "ldmxcsr", "stmxcsr", "cmpxchg16b", "cmpxchg8b", "fnstenv", "fldenv"}))
    return true;
  if (word.starts_with("cmov")) return true;
  if (word.starts_with('v')) word.remove_prefix(1);
  return IsOneOf(word,
                 {"movaps",  "movups",  "movapd",   "movupd",   "movdqa",   "movdqu",   "movss",
                  "movsd",   "movhps",  "movlps",   "movhpd",   "movlpd",   "movntps",  "movntdq",
                  "movhlps", "movlhps", "lddqu",    "pshufd",   "pshufb",   "pshufhw",  "pshuflw",
                  "shufps",  "shufpd",  "unpcklps", "unpckhps", "unpcklpd", "unpckhpd", "palignr",
                  "movd",    "movq",    "movdqa64", "movdqu64", "movdqu8"}) ||
         BeginsWithOneOf(word, {"punpck", "pinsr", "pextr", "pbroadcast", "broadcast", "inserti",
                                "insertf", "extracti", "extractf", "perm2", "pmovzx", "pmovsx"});
}

inline Meaning X86Meaning(std::string_view word) {
  if (word == "call" || word == "callw") return Meaning::kCall;
  if (IsOneOf(word, {"jmp", "jmpw", "ret", "retw"})) return Meaning::kJump;
  if (word.starts_with('j') || word.starts_with("loop")) return Meaning::kConditionalBranch;
  if (IsOneOf(word, {"push", "pop", "pushf", "popf", "enter", "leave", "pushw", "popw", "pushq",
                     "popq", "pushfq", "popfq"}))
    return Meaning::kStack;
  if (X86Computes(word)) return Meaning::kComputes;
  if (IsOneOf(word, {"movs", "stos", "lods", "scas", "cmps"})) return Meaning::kMemory;
  if (X86Copies(word)) return Meaning::kCopies;
  if (IsOneOf(word, {"nop",      "nopw",    "nopl",   "endbr64", "pause", "mfence", "lfence",
                     "sfence",   "syscall", "cpuid",  "hlt",     "ud2",   "int3",   "vzeroupper",
                     "vzeroall", "rdtsc",   "xgetbv", "cld",     "std",   "fwait",  "emms"}) ||
      BeginsWithOneOf(word, {"prefetch", "clflush"}))
    return Meaning::kNothing;
  return Meaning::kUnknown;
}

inline bool A64Computes(std::string_view word) {
  return IsOneOf(
             word,
             {"add",    "adds",   "sub",    "subs",   "adc",    "adcs",   "sbc",     "sbcs",
              "neg",    "negs",   "ngc",    "cmp",    "cmn",    "tst",    "ccmp",    "ccmn",
              "mul",    "mneg",   "madd",   "msub",   "smull",  "umull",  "smulh",   "umulh",
              "sdiv",   "udiv",   "and",    "ands",   "orr",    "eor",    "bic",     "bics",
              "orn",    "eon",    "mvn",    "lsl",    "lsr",    "asr",    "ror",     "bfi",
              "bfxil",  "bfc",    "ubfx",   "sbfx",   "ubfiz",  "sbfiz",  "extr",    "clz",
              "cls",    "rbit",   "cset",   "csetm",  "cinc",   "cinv",   "cneg",    "csinc",
              "csinv",  "csneg",  "adr",    "adrp",   "umaddl", "smaddl", "umsubl",  "smsubl",
              "fadd",   "fsub",   "fmul",   "fdiv",   "fsqrt",  "fabs",   "fneg",    "fmax",
              "fmin",   "fmaxnm", "fminnm", "fnmul",  "fmadd",  "fmsub",  "fnmadd",  "fnmsub",
              "fmla",   "fmls",   "fcmp",   "fcmpe",  "fccmp",  "fccmpe", "scvtf",   "ucvtf",
              "fcvt",   "fcvtzs", "fcvtzu", "fcvtl",  "fcvtn",  "mla",    "mls",     "cmeq",
              "cmgt",   "cmge",   "cmhi",   "cmhs",   "cmtst",  "addp",   "addv",    "ushr",
              "sshr",   "shl",    "usra",   "ssra",   "bsl",    "bit",    "bif",     "not",
              "umaxp",  "umaxv",  "uminp",  "uminv",  "abs",    "cnt",    "aese",    "aesmc",
              "aesd",   "aesimc", "pmull",  "pmull2", "eor3",   "umull2", "smull2",  "umlal",
              "umlal2", "rev16",  "uaddlv", "ushl",   "sri",    "sli",    "sha256h", "sha256h2"}) ||
         BeginsWithOneOf(word, {"ldadd", "ldclr", "ldeor", "ldset", "stadd", "stclr", "steor",
                                "stset", "crc32", "frint"});
}

inline Meaning A64Meaning(std::string_view word) {
  if (word == "bl" || word.starts_with("blr")) return Meaning::kCall;
  if (word.starts_with("b.") || IsOneOf(word, {"cbz", "cbnz", "tbz", "tbnz"}))
    return Meaning::kConditionalBranch;
  if (IsOneOf(word, {"b", "br", "ret", "retaa", "retab", "braa", "braaz"})) return Meaning::kJump;
  if (A64Computes(word)) return Meaning::kComputes;
  if (BeginsWithOneOf(
          word, {"ldr",  "ldur", "ldp", "ldnp", "ldar", "ldap", "ldx",  "ldax", "ldtr",  "ld1",
                 "ld2",  "ld3",  "ld4", "str",  "stur", "stp",  "stnp", "stlr", "stlur", "stx",
                 "stlx", "sttr", "st1", "st2",  "st3",  "st4",  "cas",  "swp"}))
    return Meaning::kMemory;
  if (IsOneOf(word, {"mov",  "movk",  "fmov", "csel", "fcsel", "sxtw", "sxtb", "sxth", "uxtb",
                     "uxth", "uxtw",  "umov", "smov", "dup",   "movi", "mvni", "ext",  "zip1",
                     "zip2", "uzp1",  "uzp2", "trn1", "trn2",  "tbl",  "tbx",  "uxtl", "uxtl2",
                     "sxtl", "sxtl2", "xtn",  "xtn2", "rev64", "ins"}))
    return Meaning::kCopies;
  if (IsOneOf(word, {"nop", "bti", "hint", "svc", "brk", "hlt", "udf", "mrs", "msr", "dmb", "dsb",
                     "isb", "prfm", "prfum", "yield", "clrex", "paciasp", "autiasp", "xpaclri"}))
    return Meaning::kNothing;
  return Meaning::kUnknown;
}

inline bool IsX86StackPointer(std::string_view operand) {
  return IsOneOf(operand, {"rsp", "esp", "sp", "spl"});
}

inline bool X86WritesStackPointer(std::string_view operation, std::string_view operands) {
  const auto comma = operands.find(',');
  if (operation == "xchg" && IsX86StackPointer(operands.substr(operands.rfind(',') + 1)))
    return true;
  if (!IsX86StackPointer(operands.substr(0, comma))) return false;
  if (comma == operands.npos && IsOneOf(operation, {"mul", "imul", "div", "idiv"})) return false;
  return !IsOneOf(operation, {"cmp", "test", "bt"});
}

// Also by writeback: [sp, #-16]! and [sp], #16.
inline bool A64WritesStackPointer(std::string_view operation, std::string_view operands) {
  const auto first = operands.substr(0, operands.find(','));
  if (IsOneOf(first, {"sp", "wsp"})) return !IsOneOf(operation, {"cmp", "cmn", "tst"});
  const auto place = operands.find("[sp");
  if (place == operands.npos) return false;
  const auto behind = operands.substr(std::min(operands.find(']', place), operands.size()));
  return behind.starts_with("]!") || behind.starts_with("],");
}

// Aliases that copy: a shift by 0, and the byte reversal of a vector.
inline bool A64Copies(std::string_view operation, std::string_view operands) {
  if (operation == "lsr") return operands.ends_with(", #0");
  return operation == "rev16" && operands.starts_with('v');
}

// SVE instructions, for which there are no rules.
inline bool IsScalable(std::string_view operands) {
  return operands.starts_with('z') || operands.starts_with('p') || operands.starts_with("{z");
}

}  // namespace objdump

inline Meaning MeaningOf(decode::Architecture architecture, std::string_view operation) {
  return architecture == decode::Architecture::kX86_64 ? objdump::X86Meaning(operation)
                                                       : objdump::A64Meaning(operation);
}

// Returns nothing for an operation that the rules do not cover. `operands` in Intel's order.
inline std::optional<decode::Category> CategoryIn(decode::Architecture architecture,
                                                  Meaning meaning, std::string_view operation,
                                                  std::string_view operands) {
  using decode::Category;
  const bool x86 = architecture == decode::Architecture::kX86_64;
  const bool moves_stack_pointer = x86 ? objdump::X86WritesStackPointer(operation, operands)
                                       : objdump::A64WritesStackPointer(operation, operands);
  if (!x86 && objdump::A64Copies(operation, operands)) meaning = Meaning::kCopies;
  if (!x86 && objdump::IsScalable(operands) && meaning != Meaning::kNothing) return std::nullopt;
  switch (meaning) {
    case Meaning::kCall:
      return Category::kCalls;
    case Meaning::kConditionalBranch:
      return Category::kBranches;
    case Meaning::kJump:
      return Category::kUnconditionalBranches;
    case Meaning::kStack:
      return Category::kStackOps;
    case Meaning::kNothing:
      return Category::kUnclassified;
    case Meaning::kComputes:
      return moves_stack_pointer ? Category::kStackOps : Category::kArith;
    case Meaning::kMemory:
      return moves_stack_pointer ? Category::kStackOps : Category::kMem;
    case Meaning::kCopies: {
      if (moves_stack_pointer) return Category::kStackOps;
      const bool memory =
          x86 && (operands.find('[') != operands.npos || operands.find("s:0x") != operands.npos);
      return memory ? Category::kMem : Category::kUnclassified;
    }
    case Meaning::kUnknown:
      break;
  }
  return std::nullopt;
}

}  // namespace tare::code
