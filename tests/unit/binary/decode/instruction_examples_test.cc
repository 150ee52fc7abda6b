// instruction_examples_test.cc: tests the examples of docs/methods/instruction-mix.md, with their
// bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "binary/decode/instruction.h"

namespace tare::decode {
namespace {

struct Example {
  const char* text;
  const char* bytes;  // hexadecimal, in the order of memory
  const char* category;
  const char* classes;
  const char* type;
};

constexpr Example kX86[] = {
    {"add rax, rbx", "4801d8", "Arith", "integer", "integer 64"},
    {"add rax, [rbx]", "480303", "Arith", "load, integer", "integer 64"},
    {"add qword [rbx], 1", "48830301", "Arith", "load, store, read-modify-write, integer",
     "integer 64"},
    {"inc dword [rip + 0x10]", "ff0510000000", "Arith", "load, store, read-modify-write, integer",
     "integer 32"},
    {"lea rax, [rbx + 8]", "488d4308", "Arith", "address, integer", "integer 64"},
    {"lea rax, [rip + 0x20]", "488d0520000000", "Arith", "address, integer", "integer 64"},
    {"xor eax, eax", "31c0", "Arith", "integer", "integer 32"},
    {"cmp eax, ecx", "39c8", "Arith", "compare, integer", "integer 32"},
    {"cmp byte [rbx], 0", "803b00", "Arith", "load, compare, integer", "integer 8"},
    {"test rax, rax", "4885c0", "Arith", "compare, integer", "integer 64"},
    {"bt rax, 3", "480fbae003", "Arith", "compare, integer", "integer 64"},
    {"sete al", "0f94c0", "Arith", "integer", "integer 8"},
    {"imul rax, rbx", "480fafc3", "Arith", "integer", "integer 64"},
    {"idiv rcx", "48f7f9", "Arith", "division, integer", "integer 64"},
    {"cqo", "4899", "Arith", "integer", "integer 64"},
    {"shl eax, 3", "c1e003", "Arith", "integer", "integer 32"},
    {"bswap eax", "0fc8", "Arith", "integer", "integer 32"},
    {"popcnt rax, rbx", "f3480fb8c3", "Arith", "integer", "integer 64"},
    {"lock add dword [rbx], eax", "f00103", "Arith",
     "load, store, read-modify-write, integer, atomic", "integer 32"},
    {"lock xadd dword [rbx], eax", "f00fc103", "Arith",
     "load, store, read-modify-write, integer, atomic", "integer 32"},
    {"addsd xmm0, xmm1", "f20f58c1", "Arith", "floating-point, scalar-float", "float 64"},
    {"addpd xmm0, xmmword [rax]", "660f5800", "Arith",
     "load, floating-point, packed-float, vector-128", "vector float 64"},
    {"vaddps ymm0, ymm1, ymm2", "c5f458c2", "Arith", "floating-point, packed-float, vector-256",
     "vector float 32"},
    {"vfmadd231pd zmm0, zmm1, zmm2", "62f2f548b8c2", "Arith",
     "fused, floating-point, packed-float, vector-512", "vector float 64"},
    {"sqrtsd xmm0, xmm1", "f20f51c1", "Arith", "division, floating-point, scalar-float",
     "float 64"},
    {"ucomisd xmm0, xmm1", "660f2ec1", "Arith", "compare, floating-point, scalar-float",
     "float 64"},
    {"cvtsi2sd xmm0, rax", "f2480f2ac0", "Arith", "conversion, floating-point, scalar-float",
     "float 64"},
    {"cvtss2sd xmm0, xmm1", "f30f5ac1", "Arith", "conversion, floating-point, scalar-float",
     "float 64"},
    {"xorps xmm0, xmm1", "0f57c1", "Arith", "integer, packed-integer, vector-128",
     "vector float 32"},
    {"paddd xmm0, xmm1", "660ffec1", "Arith", "integer, packed-integer, vector-128",
     "vector integer"},
    {"pcmpeqb xmm0, xmm1", "660f74c1", "Arith", "compare, integer, packed-integer, vector-128",
     "vector integer"},
    {"packuswb xmm0, xmm1", "660f67c1", "Arith", "integer, packed-integer, vector-128",
     "vector integer"},
    {"pslldq xmm0, 8", "660f73f808", "Arith", "integer, packed-integer, vector-128",
     "vector integer"},
    {"aesenc xmm0, xmm1", "660f38dcc1", "Arith", "integer, packed-integer, vector-128",
     "vector integer"},
    {"fadd st, st(1)", "d8c1", "Arith", "floating-point, scalar-float", "float 80"},
    {"fild dword [rax]", "db00", "Arith", "load, conversion, floating-point, scalar-float",
     "float 80"},
    {"kortestw k1, k1", "c5f898c9", "Arith", "compare, integer", "integer 64"},
    {"mov rax, [rbx]", "488b03", "Mem", "load", "integer 64"},
    {"mov [rbx], al", "8803", "Mem", "store", "integer 8"},
    {"mov [rsp + 8], rax", "4889442408", "Mem", "store, stack-access", "integer 64"},
    {"movzx eax, byte [rbx]", "0fb603", "Mem", "load", "integer 8"},
    {"cmove eax, [rbx]", "0f4403", "Mem", "load", "integer 32"},
    {"movsd xmm0, qword [rax]", "f20f1000", "Mem", "load", "float 64"},
    {"movaps xmmword [rsp], xmm0", "0f290424", "Mem", "store, stack-access, vector-128",
     "vector data"},
    {"vmovups ymm0, ymmword [rip + 0x40]", "c5fc100540000000", "Mem", "load, vector-256",
     "vector data"},
    {"vbroadcastss ymm0, dword [rax]", "c4e27d1800", "Mem", "load, shuffle, vector-256",
     "vector data"},
    {"pshufd xmm0, xmmword [rax], 0", "660f700000", "Mem", "load, shuffle, vector-128",
     "vector data"},
    {"pinsrd xmm0, dword [rax], 1", "660f3a220001", "Mem", "load, shuffle", "integer 32"},
    {"vgatherdpd ymm0, [rax + xmm1 * 8], ymm2", "c4e2ed9204c8", "Mem", "load, vector-256, gather",
     "vector data"},
    {"vmaskmovps ymm0, ymm1, ymmword [rax]", "c4e2752c00", "Mem", "load, vector-256",
     "vector data"},
    {"fld qword [rax]", "dd00", "Mem", "load", "float 80"},
    {"xchg [rbx], ecx", "870b", "Mem", "load, store, read-modify-write, atomic", "integer 32"},
    {"lock cmpxchg [rbx], ecx", "f00fb10b", "Mem", "load, store, read-modify-write, atomic",
     "integer 32"},
    {"rep movsb", "f3a4", "Mem", "load, store, string", "integer 8"},
    {"scasb", "ae", "Mem", "load, string", "integer 8"},
    {"ldmxcsr dword [rax]", "0fae10", "Mem", "load, system", "none"},
    {"call .+16", "e80b000000", "Calls", "store, stack-access", "none"},
    {"call rax", "ffd0", "Calls", "store, stack-access, indirect", "none"},
    {"call qword [rip + 0x30]", "ff1530000000", "Calls", "load, store, stack-access, indirect",
     "none"},
    {"je .+16", "740e", "Branches", "", "none"},
    {"loop .", "e2fe", "Branches", "", "none"},
    {"jrcxz .", "e3fe", "Branches", "", "none"},
    {"jmp .+16", "eb0e", "Unconditional Branches", "", "none"},
    {"jmp rax", "ffe0", "Unconditional Branches", "indirect", "none"},
    {"jmp qword [rip + 0x30]", "ff2530000000", "Unconditional Branches", "load, indirect", "none"},
    {"ret", "c3", "Unconditional Branches", "load, stack-access, return", "none"},
    {"push rax", "50", "Stack Ops", "store, stack-access", "integer 64"},
    {"push qword [rbx]", "ff33", "Stack Ops", "load, store, stack-access", "integer 64"},
    {"pop rbx", "5b", "Stack Ops", "load, stack-access", "integer 64"},
    {"pushfq", "9c", "Stack Ops", "store, stack-access", "integer 64"},
    {"enter 16, 0", "c8100000", "Stack Ops", "store, stack-access", "integer 64"},
    {"leave", "c9", "Stack Ops", "load, stack-access", "integer 64"},
    {"sub rsp, 24", "4883ec18", "Stack Ops", "integer", "integer 64"},
    {"add rsp, 24", "4883c418", "Stack Ops", "integer", "integer 64"},
    {"and rsp, -32", "4883e4e0", "Stack Ops", "integer", "integer 64"},
    {"lea rsp, [rbp - 40]", "488d65d8", "Stack Ops", "address, integer", "integer 64"},
    {"mov rsp, rbp", "4889ec", "Stack Ops", "move", "integer 64"},
    {"mov rax, rbx", "4889d8", "Unclassified", "move", "integer 64"},
    {"mov eax, 5", "b805000000", "Unclassified", "move", "integer 32"},
    {"mov rbp, rsp", "4889e5", "Unclassified", "move", "integer 64"},
    {"movzx eax, cl", "0fb6c1", "Unclassified", "move", "integer 32"},
    {"cdqe", "4898", "Unclassified", "move", "integer 64"},
    {"cmove eax, ecx", "0f44c1", "Unclassified", "move", "integer 32"},
    {"xchg rax, rbx", "4893", "Unclassified", "move", "integer 64"},
    {"movaps xmm0, xmm1", "0f28c1", "Unclassified", "move, vector-128", "vector data"},
    {"movq rax, xmm0", "66480f7ec0", "Unclassified", "move", "integer 64"},
    {"pshufd xmm0, xmm1, 0", "660f70c100", "Unclassified", "shuffle, vector-128", "vector data"},
    {"pmovzxbw xmm0, xmm1", "660f3830c1", "Unclassified", "shuffle, vector-128", "vector data"},
    {"pinsrd xmm0, eax, 1", "660f3a22c001", "Unclassified", "shuffle", "integer 32"},
    {"vextractf128 xmm0, ymm1, 1", "c4e37d19c801", "Unclassified", "shuffle, vector-256",
     "vector data"},
    {"nop dword [rax]", "0f1f00", "Unclassified", "nop", "none"},
    {"endbr64", "f30f1efa", "Unclassified", "nop", "none"},
    {"prefetcht0 [rax]", "0f1808", "Unclassified", "prefetch", "none"},
    {"pause", "f390", "Unclassified", "system", "none"},
    {"mfence", "0faef0", "Unclassified", "system", "none"},
    {"syscall", "0f05", "Unclassified", "system", "none"},
    {"cpuid", "0fa2", "Unclassified", "system", "none"},
    {"hlt", "f4", "Unclassified", "system", "none"},
    {"vzeroupper", "c5f877", "Unclassified", "system", "none"},
    {"clflush [rax]", "0fae38", "Unclassified", "system", "none"},
};

constexpr Example kA64[] = {
    {"add x0, x1, x2", "2000028b", "Arith", "integer", "integer 64"},
    {"add w0, w1, #4", "20100011", "Arith", "integer", "integer 32"},
    {"adr x0, .+32", "00010010", "Arith", "address, integer", "integer 64"},
    {"adrp x0, .", "00000090", "Arith", "address, integer", "integer 64"},
    {"subs w0, w1, #1", "20040071", "Arith", "integer", "integer 32"},
    {"cmp x0, x1", "1f0001eb", "Arith", "compare, integer", "integer 64"},
    {"tst w0, #1", "1f000072", "Arith", "compare, integer", "integer 32"},
    {"ccmp x0, x1, #0, eq", "000041fa", "Arith", "compare, integer", "integer 64"},
    {"cset w0, eq", "e0179f1a", "Arith", "integer", "integer 32"},
    {"csinc x0, x1, x2, eq", "2004829a", "Arith", "integer", "integer 64"},
    {"mvn x0, x1", "e00321aa", "Arith", "integer", "integer 64"},
    {"mul x0, x1, x2", "207c029b", "Arith", "integer", "integer 64"},
    {"sdiv w0, w1, w2", "200cc21a", "Arith", "division, integer", "integer 32"},
    {"lsl x0, x1, #3", "20f07dd3", "Arith", "integer", "integer 64"},
    {"ubfx x0, x1, #4, #4", "201c44d3", "Arith", "integer", "integer 64"},
    {"rev x0, x1", "200cc0da", "Arith", "integer", "integer 64"},
    {"crc32x w0, w1, x2", "204cc29a", "Arith", "integer", "integer 64"},
    {"ldadd w0, w1, [x2]", "410020b8", "Arith", "load, store, read-modify-write, integer, atomic",
     "integer 32"},
    {"fadd d0, d1, d2", "2028621e", "Arith", "floating-point, scalar-float", "float 64"},
    {"fmadd s0, s1, s2, s3", "200c021f", "Arith", "fused, floating-point, scalar-float",
     "float 32"},
    {"fadd v0.4s, v1.4s, v2.4s", "20d4224e", "Arith", "floating-point, packed-float, vector-128",
     "vector float 32"},
    {"fmla v0.2d, v1.2d, v2.2d", "20cc624e", "Arith",
     "fused, floating-point, packed-float, vector-128", "vector float 64"},
    {"fmla z0.d, p0/m, z1.d, z2.d", "2000e265", "Arith",
     "fused, floating-point, packed-float, scalable", "vector float 64"},
    {"fsqrt d0, d1", "20c0611e", "Arith", "division, floating-point, scalar-float", "float 64"},
    {"fcmp d0, d1", "0020611e", "Arith", "compare, floating-point, scalar-float", "float 64"},
    {"fneg d0, d1", "2040611e", "Arith", "floating-point, scalar-float", "float 64"},
    {"scvtf d0, x1", "2000629e", "Arith", "conversion, floating-point, scalar-float", "float 64"},
    {"fcvt d0, s1", "20c0221e", "Arith", "conversion, floating-point, scalar-float", "float 64"},
    {"fcvtzs x0, d1", "2000789e", "Arith", "conversion, floating-point, scalar-float", "float 64"},
    {"add v0.8b, v1.8b, v2.8b", "2084220e", "Arith", "integer, packed-integer, vector-64",
     "vector integer"},
    {"add z0.s, z1.s, z2.s", "2000a204", "Arith", "integer, packed-integer, scalable",
     "vector integer"},
    {"cmeq v0.16b, v1.16b, v2.16b", "208c226e", "Arith",
     "compare, integer, packed-integer, vector-128", "vector integer"},
    {"eor v0.16b, v1.16b, v2.16b", "201c226e", "Arith", "integer, packed-integer, vector-128",
     "vector integer"},
    {"whilelo p0.d, x0, x1", "001ce125", "Arith", "compare, integer, packed-integer, scalable",
     "vector integer"},
    {"incd x0", "e0e3f004", "Arith", "integer, scalable", "integer 64"},
    {"aese v0.16b, v1.16b", "2048284e", "Arith", "integer, packed-integer, vector-128",
     "vector integer"},
    {"ldr x0, [x1]", "200040f9", "Mem", "load", "integer 64"},
    {"ldrb w0, [x1]", "20004039", "Mem", "load", "integer 8"},
    {"ldr d0, [x1]", "200040fd", "Mem", "load", "float 64"},
    {"ldr q0, [x1]", "2000c03d", "Mem", "load, vector-128", "vector data"},
    {"ldr x0, .+64", "00020058", "Mem", "load", "integer 64"},
    {"ldp w0, w1, [x2]", "40044029", "Mem", "load", "integer 32"},
    {"str x0, [sp, #8]", "e00700f9", "Mem", "store, stack-access", "integer 64"},
    {"ldr x0, [x1], #8", "208440f8", "Mem", "load", "integer 64"},
    {"ld1 {v0.4s}, [x1]", "2078404c", "Mem", "load, vector-128", "vector data"},
    {"ld1r {v0.4s}, [x1]", "20c8404d", "Mem", "load, vector-128", "vector data"},
    {"ld1d {z0.d}, p0/z, [x1]", "20a0e0a5", "Mem", "load, scalable", "vector data"},
    {"ld1d {z0.d}, p0/z, [x1, z2.d]", "20c0c2c5", "Mem", "load, scalable, gather", "vector data"},
    {"ldar x0, [x1]", "20fcdfc8", "Mem", "load", "integer 64"},
    {"ldxr x0, [x1]", "207c5fc8", "Mem", "load, atomic", "integer 64"},
    {"stxr w0, x1, [x2]", "417c00c8", "Mem", "store, atomic", "integer 64"},
    {"cas w0, w1, [x2]", "417ca088", "Mem", "load, store, read-modify-write, atomic", "integer 32"},
    {"swp w0, w1, [x2]", "418020b8", "Mem", "load, store, read-modify-write, atomic", "integer 32"},
    {"dc zva, x0", "20740bd5", "Mem", "store, system", "none"},
    {"cpyfp [x0]!, [x1]!, x2!", "40040119", "Mem", "load, store, string", "none"},
    {"bl .+16", "04000094", "Calls", "", "none"},
    {"blr x1", "20003fd6", "Calls", "indirect", "none"},
    {"b.eq .+16", "80000054", "Branches", "", "none"},
    {"cbz x0, .+16", "800000b4", "Branches", "", "none"},
    {"tbnz w0, #1, .+16", "80000837", "Branches", "", "none"},
    {"b .+16", "04000014", "Unconditional Branches", "", "none"},
    {"br x16", "00021fd6", "Unconditional Branches", "indirect", "none"},
    {"ret", "c0035fd6", "Unconditional Branches", "return", "none"},
    {"stp x29, x30, [sp, #-16]!", "fd7bbfa9", "Stack Ops", "store, stack-access", "integer 64"},
    {"ldp x29, x30, [sp], #16", "fd7bc1a8", "Stack Ops", "load, stack-access", "integer 64"},
    {"str x0, [sp, #-16]!", "e00f1ff8", "Stack Ops", "store, stack-access", "integer 64"},
    {"sub sp, sp, #32", "ff8300d1", "Stack Ops", "integer", "integer 64"},
    {"add sp, sp, #32", "ff830091", "Stack Ops", "integer", "integer 64"},
    {"add sp, x29, #16", "bf430091", "Stack Ops", "integer", "integer 64"},
    {"mov sp, x29", "bf030091", "Stack Ops", "move", "integer 64"},
    {"and sp, x0, #-32", "1fe87b92", "Stack Ops", "integer", "integer 64"},
    {"addvl sp, sp, #-1", "ff573f04", "Stack Ops", "integer, scalable", "integer 64"},
    {"mov x0, x1", "e00301aa", "Unclassified", "move", "integer 64"},
    {"mov x0, #5", "a00080d2", "Unclassified", "move", "integer 64"},
    {"mov x29, sp", "fd030091", "Unclassified", "move", "integer 64"},
    {"mov x0, #-256", "e01f8092", "Unclassified", "move", "integer 64"},
    {"movk x0, #1, lsl #16", "2000a0f2", "Unclassified", "move", "integer 64"},
    {"sxtw x0, w1", "207c4093", "Unclassified", "move", "integer 64"},
    {"uxtb w0, w1", "201c0053", "Unclassified", "move", "integer 32"},
    {"csel x0, x1, x2, eq", "2000829a", "Unclassified", "move", "integer 64"},
    {"fmov d0, d1", "2040601e", "Unclassified", "move", "float 64"},
    {"fmov x0, d1", "2000669e", "Unclassified", "move", "float 64"},
    {"mov v0.16b, v1.16b", "201ca14e", "Unclassified", "move, vector-128", "vector data"},
    {"umov w0, v1.b[1]", "203c030e", "Unclassified", "move", "integer 8"},
    {"ins v0.s[0], v1.s[1]", "2024046e", "Unclassified", "shuffle", "integer 32"},
    {"zip1 v0.4s, v1.4s, v2.4s", "2038824e", "Unclassified", "shuffle, vector-128", "vector data"},
    {"uxtl v0.8h, v1.8b", "20a4082f", "Unclassified", "shuffle, vector-128", "vector data"},
    {"dup v0.4s, w1", "200c044e", "Unclassified", "shuffle, vector-128", "vector data"},
    {"movi v0.2d, #0", "00e4006f", "Unclassified", "move, vector-128", "vector data"},
    {"ptrue p0.d", "e0e3d825", "Unclassified", "move, scalable", "vector data"},
    {"nop", "1f2003d5", "Unclassified", "nop", "none"},
    {"bti c", "5f2403d5", "Unclassified", "nop", "none"},
    {"prfm pldl1keep, [x0]", "000080f9", "Unclassified", "prefetch", "none"},
    {"dmb ish", "bf3b03d5", "Unclassified", "system", "none"},
    {"svc #0", "010000d4", "Unclassified", "system", "none"},
    {"mrs x0, tpidr_el0", "40d03bd5", "Unclassified", "system", "none"},
    {"paciasp", "3f2303d5", "Unclassified", "system", "none"},
    {"brk #1", "200020d4", "Unclassified", "system", "none"},
};

std::vector<std::byte> BytesOf(std::string_view digits) {
  std::vector<std::byte> bytes;
  for (std::size_t at = 0; at < digits.size(); at += 2)
    bytes.push_back(
        static_cast<std::byte>(std::stoi(std::string(digits.substr(at, 2)), nullptr, 16)));
  return bytes;
}

std::string ClassList(ClassSet classes) {
  std::string list;
  classes.ForEach([&](InstructionClass one) {
    if (!list.empty()) list += ", ";
    list += TextOf(one).id;
  });
  return list;
}

void ExpectAll(Architecture architecture, std::span<const Example> examples) {
  for (const Example& one : examples) {
    const auto bytes = BytesOf(one.bytes);
    const auto it = Decode(architecture, bytes, 0x1000);
    ASSERT_TRUE(it) << one.text;
    EXPECT_EQ(it->length, bytes.size()) << one.text;
    EXPECT_EQ(CategoryName(CategoryOf(*it)), one.category) << one.text;
    EXPECT_EQ(ClassList(ClassesOf(*it)), one.classes) << one.text;
    EXPECT_EQ(OperandTypeName(OperandTypeOf(*it)), one.type) << one.text;
  }
}

std::set<std::string> ExamplesOfThePage() {
  std::ifstream page(TARE_SOURCE_DIR "/docs/methods/instruction-mix.md");
  std::set<std::string> examples;
  bool within = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("#")) within = line.starts_with("## Examples");
    if (within && line.starts_with("| `")) examples.insert(line);
  }
  return examples;
}

TEST(InstructionExamples, OfX86AreAsThePageSays) { ExpectAll(Architecture::kX86_64, kX86); }

TEST(InstructionExamples, OfA64AreAsThePageSays) { ExpectAll(Architecture::kAArch64, kA64); }

TEST(InstructionExamples, AndThePageHasAllOfThemAndNoOthers) {
  std::set<std::string> expected;
  for (const auto examples : {std::span<const Example>(kX86), std::span<const Example>(kA64)})
    for (const Example& one : examples)
      expected.insert(
          fmt::format("| `{}` | {} | {} | {} |", one.text, one.category, one.classes, one.type));
  EXPECT_EQ(ExamplesOfThePage(), expected);
}

}  // namespace
}  // namespace tare::decode
