// elf_image_test.cc: tests this program itself, the C library, generated programs, and damaged
// files.
#include "binary/elf/elf_image.h"

#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "binary/decode/instruction.h"
#include "synthetic_program.h"
#include "tests/programs/toolchain.h"

namespace tare::elf {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

std::string LibraryPath(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

using OfArchitecture = ::testing::TestWithParam<decode::Architecture>;

// The C library of this process, or of the cross compiler.
std::string CLibrary(decode::Architecture architecture) {
  if (architecture == decode::HostArchitecture()) return LibraryPath(dlsym(RTLD_DEFAULT, "qsort"));
  std::string path =
      Directory().Output(CommandFor(architecture, "gcc") + " -print-file-name=libc.so.6");
  return path.substr(0, path.find('\n'));
}

class CLibraryImage : public OfArchitecture {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
    auto image = OpenElf(CLibrary(GetParam()));
    ASSERT_TRUE(image) << image.error().message;
    ASSERT_EQ(image->architecture(), GetParam());
    image_.emplace(std::move(*image));
  }
  std::optional<ElfImage> image_;
};
INSTANTIATE_TEST_SUITE_P(Machines, CLibraryImage, ::testing::ValuesIn(kArchitectures));

void Marker() {}

TEST(ElfImage, ThisProgramKnowsItself) {
  const auto image = OpenElf("/proc/self/exe");
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->architecture(), decode::HostArchitecture());
  EXPECT_FALSE(image->stripped());
  const auto main = image->FindMain();
  ASSERT_TRUE(main) << main.error().message;
  EXPECT_EQ(main->name, "main");
  ASSERT_NE(image->FunctionAt(main->end - 1), nullptr);
  EXPECT_EQ(image->FunctionAt(main->end - 1)->start, main->start);
}

TEST(ElfImage, AnAddressOfThisProcessLeadsToItsFunction) {
  const auto image = OpenElf("/proc/self/exe");
  ASSERT_TRUE(image);
  Dl_info info{};
  link_map* map = nullptr;
  void* where = reinterpret_cast<void*>(&Marker);
  ASSERT_NE(dladdr1(where, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP), 0);
  const Function* function =
      image->FunctionAt(reinterpret_cast<std::uint64_t>(where) - map->l_addr);
  ASSERT_NE(function, nullptr);
  EXPECT_THAT(Demangled(function->name), HasSubstr("Marker"));
}

void ExpectSortedAndApart(const ElfImage& image) {
  const auto& functions = image.functions();
  ASSERT_FALSE(functions.empty());
  for (std::size_t i = 0; i < functions.size(); ++i) {
    EXPECT_LT(functions[i].start, functions[i].end);
    if (i > 0) {
      EXPECT_LE(functions[i - 1].end, functions[i].start);
    }
    EXPECT_EQ(image.FunctionAt(functions[i].start), &functions[i]);
  }
}

TEST(ElfImage, FunctionsAreSortedAndApart) {
  const auto image = OpenElf("/proc/self/exe");
  ASSERT_TRUE(image) << image.error().message;
  ExpectSortedAndApart(*image);
}

TEST_P(CLibraryImage, FunctionsAreSortedAndApart) { ExpectSortedAndApart(*image_); }

TEST_P(CLibraryImage, OffsetsAndAddressesTranslateBothWays) {
  const auto& image = image_;
  const auto function = image->FindFunction("qsort");
  ASSERT_TRUE(function) << function.error().message;
  const auto offset = image->FileOffsetOf(function->start);
  ASSERT_TRUE(offset);
  EXPECT_EQ(image->AddressOf(*offset), function->start);
  EXPECT_EQ(image->Code(function->start, 4).size(), 4U);
  EXPECT_TRUE(image->Code(UINT64_MAX - 8, 64).empty());
  EXPECT_FALSE(image->FileOffsetOf(UINT64_MAX));
  EXPECT_EQ(image->FunctionAt(0), nullptr);
}

TEST_P(CLibraryImage, IsALibraryWithDispatchedFunctions) {
  const auto& image = image_;
  EXPECT_EQ(image->type(), FileType::kSharedLibrary);
  EXPECT_FALSE(image->is_static());
  EXPECT_EQ(image->build_id().size(), 40U);
  EXPECT_FALSE(image->FindMain());
  const auto dispatches = image->IfuncCandidates();
  const auto copy = std::ranges::find(dispatches, "memcpy", &Dispatch::name);
  if (copy == dispatches.end()) GTEST_SKIP() << "this C library has one memcpy for all processors";
  EXPECT_GE(copy->candidates.size(), 2U);
  for (const auto address : copy->candidates) EXPECT_EQ(image->FunctionAt(address)->start, address);
}

TEST_P(CLibraryImage, ANameThatIsNearlyRightIsCorrected) {
  const auto function = image_->FindFunction("qsotr");
  ASSERT_FALSE(function);
  EXPECT_THAT(function.error().message, HasSubstr("did you mean"));
}

TEST(ElfImage, ProcessorQueriesAreFoundInAFunctionsCode) {
  const auto image = OpenElf("/proc/self/exe");
  ASSERT_TRUE(image);
  const auto plain = image->FindFunction("tare::elf::(anonymous namespace)::Marker");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_FALSE(image->QueriesProcessor(*plain));
}

struct Build {
  const char* options;
  FileType type;
  bool is_static;
};

class SyntheticProgram : public ::testing::TestWithParam<std::tuple<decode::Architecture, Build>> {
};

TEST_P(SyntheticProgram, MainIsFoundWithAndWithoutSymbols) {
  const auto& [architecture, build] = GetParam();
  if (const auto reason = WhyNoToolchain(architecture); !reason.empty()) GTEST_SKIP() << reason;
  const Directory directory;
  std::ofstream(directory / "p.c") << "#include <stdio.h>\n"
                                      "int main(int c, char** v) { puts(v[0]); return c; }\n";
  const auto program = (directory / "p").string();
  if (!Runs(CommandFor(architecture, "gcc -O1 ") + build.options + " -o " + program + " " +
            (directory / "p.c").string()))
    GTEST_SKIP() << "gcc " << build.options << " does not work here";
  const auto full = OpenElf(program);
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_EQ(full->architecture(), architecture);
  EXPECT_EQ(full->type(), build.type);
  EXPECT_EQ(full->is_static(), build.is_static);
  EXPECT_EQ(full->interpreter().empty(), build.is_static);
  EXPECT_FALSE(full->stripped());
  const auto by_symbol = full->FindMain();
  ASSERT_TRUE(by_symbol);

  if (!Runs(CommandFor(architecture, "strip ") + program)) GTEST_SKIP() << "there is no strip";
  const auto bare = OpenElf(program);
  ASSERT_TRUE(bare);
  EXPECT_TRUE(bare->stripped());
  EXPECT_EQ(bare->build_id(), full->build_id());
  const auto by_code = bare->FindMain();
  ASSERT_TRUE(by_code) << by_code.error().message;
  EXPECT_EQ(by_code->start, by_symbol->start);
  EXPECT_EQ(by_code->end, by_symbol->end);
  EXPECT_EQ(by_code->name, "main");
  if (!build.is_static) {
    EXPECT_THAT(bare->functions(), Contains(Field(&Function::name, "puts@plt")));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, SyntheticProgram,
    ::testing::Combine(::testing::ValuesIn(kArchitectures),
                       ::testing::Values(Build{"-static", FileType::kExecutable, true},
                                         Build{"-static-pie", FileType::kPie, true},
                                         Build{"-fPIE -pie", FileType::kPie, false},
                                         Build{"-fno-pie -no-pie", FileType::kExecutable, false})));

using ElfObject = OfArchitecture;

TEST_P(ElfObject, AddressesAreOffsets) {
  const Directory directory;
  std::ofstream(directory / "o.c")
      << "int f(int a) { return a + 1; }\nint g(int a) { return a; }\n";
  const auto object = (directory / "o.o").string();
  if (!Runs(CommandFor(GetParam(), "clang-19 -O1 -ffunction-sections -c -o ") + object + " " +
            (directory / "o.c").string()))
    GTEST_SKIP() << "there is no clang-19";
  const auto image = OpenElf(object);
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->type(), FileType::kObject);
  const auto f = image->FindFunction("f");
  const auto g = image->FindFunction("g");
  ASSERT_TRUE(f && g);
  EXPECT_NE(f->start, g->start);
  EXPECT_EQ(image->FileOffsetOf(f->start), f->start);
  EXPECT_TRUE(decode::Decode(image->architecture(), image->Code(f->start, 16), f->start));
}

TEST_P(ElfObject, ProcessorQueriesAreFound) {
  const Directory directory;
  const bool x86 = GetParam() == decode::Architecture::kX86_64;
  directory.Write("q.s", std::string(".text\n.globl asks\n.type asks,%function\nasks:\n") +
                             (x86 ? "cpuid" : "mrs x0, midr_el1") +
                             "\nret\n.size asks,.-asks\n.globl does_not\n.type "
                             "does_not,%function\ndoes_not:\nret\n.size does_not,.-does_not\n");
  if (!directory.Runs(CommandFor(GetParam(), "clang-19 -c q.s -o q.o")))
    GTEST_SKIP() << "there is no clang-19";
  const auto image = OpenElf(directory / "q.o");
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_TRUE(image->QueriesProcessor(*image->FindFunction("asks")));
  EXPECT_FALSE(image->QueriesProcessor(*image->FindFunction("does_not")));
}

INSTANTIATE_TEST_SUITE_P(Machines, ElfObject, ::testing::ValuesIn(kArchitectures));

TEST(ElfErrors, WhatAFileIsInsteadIsSaid) {
  const auto message = [](std::string bytes) {
    const auto image = ElfImage::Parse(std::move(bytes));
    EXPECT_FALSE(image);
    return image ? "" : image.error().message;
  };
  EXPECT_EQ(message(""), "not an ELF file");
  EXPECT_THAT(message("#! /bin/sh -e\necho\n"), HasSubstr("a script for /bin/sh,"));
  std::string bytes = Contents("/proc/self/exe").substr(0, 64);
  bytes[EI_CLASS] = ELFCLASS32;
  bytes[18] = EM_386;
  EXPECT_EQ(message(bytes), "a 32-bit program for i386: tare reads 64-bit x86-64 and AArch64");
  bytes[EI_CLASS] = ELFCLASS64;
  bytes[18] = static_cast<char>(EM_RISCV);
  EXPECT_THAT(message(bytes), HasSubstr("a program for RISC-V"));
}

TEST(ElfErrors, KindsDistinguishMissingFromDamaged) {
  EXPECT_EQ(OpenElf("/no/such/program").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(ElfImage::Parse("#!/bin/sh\n").error().kind, ErrorKind::kUnsupported);
  EXPECT_EQ(ElfImage::Parse(Contents("/proc/self/exe").substr(0, 40)).error().kind,
            ErrorKind::kFormat);
  EXPECT_EQ(OpenElf("/").error().kind, ErrorKind::kIo);
}

// Calls every accessor, to expose invalid data.
void QueryImage(const ElfImage& image) {
  for (const auto& function : image.functions()) {
    ASSERT_LT(function.start, function.end);
    image.QueriesProcessor(function);
  }
  image.IfuncCandidates();
  (void)image.FindMain();
  (void)image.FindFunction("nothing of this name");
}

class Damage : public OfArchitecture {
 protected:
  void SetUp() override {
    if (const auto reason = WhyNoToolchain(GetParam()); !reason.empty()) GTEST_SKIP() << reason;
    const Directory directory;
    std::ofstream(directory / "d.c") << "#include <stdio.h>\nint main(void) { puts(\"\"); }\n";
    const auto program = (directory / "d").string();
    if (!Runs(CommandFor(GetParam(), "gcc -O1 -o ") + program + " " + (directory / "d.c").string()))
      GTEST_SKIP() << "there is no C compiler";
    bytes_ = Contents(program);
  }
  std::string bytes_;
};

TEST_P(Damage, CutAnywhereItIsRefusedOrRead) {
  int refused = 0;
  for (std::size_t size = 0; size < bytes_.size(); size += size < 1024 ? 1 : 97) {
    const auto image = ElfImage::Parse(bytes_.substr(0, size));
    if (image) {
      QueryImage(*image);
    } else {
      ++refused;
      EXPECT_FALSE(image.error().message.empty());
    }
  }
  EXPECT_GT(refused, 1024);
}

TEST_P(Damage, WithAnyBitOfItsBeginningFlippedItDoesNoHarm) {
  const std::size_t bits = std::min<std::size_t>(bytes_.size(), 4096) * 8;
  for (std::size_t bit = 0; bit < bits; bit += bit < 4096 ? 1 : 7) {
    std::string damaged = bytes_;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    if (const auto image = ElfImage::Parse(std::move(damaged))) QueryImage(*image);
  }
  EXPECT_TRUE(ElfImage::Parse(bytes_));
}

INSTANTIATE_TEST_SUITE_P(Machines, Damage, ::testing::ValuesIn(kArchitectures));

TEST(Demangling, LeavesOtherNamesAlone) {
  EXPECT_EQ(Demangled("main"), "main");
  EXPECT_EQ(Demangled("_ZN2ns5twiceEi"), "ns::twice(int)");
  EXPECT_EQ(Demangled("_ZdlPv@plt"), "operator delete(void*)@plt");
  EXPECT_EQ(Demangled("_Znonsense"), "_Znonsense");
  EXPECT_EQ(Demangled("_Rnonsense"), "_Rnonsense");
}

TEST(Demangling, NamesTheCopiesThatACompilerMade) {
  EXPECT_EQ(Demangled("_ZN2ns5twiceEi.cold"), "ns::twice(int) [clone .cold]");
  EXPECT_EQ(Demangled("_ZN2ns5twiceEi.isra.0.constprop.0"),
            "ns::twice(int) [clone .isra.0] [clone .constprop.0]");
}

// Both mangling schemes, from Rust's RFC 2603 and its tests.
TEST(Demangling, KnowsBothKindsOfRustNames) {
  EXPECT_EQ(Demangled("_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
  EXPECT_EQ(Demangled("_ZN4core3fmt5write17h0123456789abcdefE.llvm.7"),
            "core::fmt::write [clone .llvm.7]");
  EXPECT_EQ(Demangled("_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate"),
            "<std::path::PathBuf>::new");
  EXPECT_EQ(Demangled("_RNvCs1234_7mycrate3foo.cold"), "mycrate::foo [clone .cold]");
}

TEST(Demangling, ANameThatWouldExpandBeyondMemoryIsUnchanged) {
  // Each pair contains the previous one twice, so the name grows exponentially.
  std::string name = "_Z1fSt4pairIiiES_IS0_S0_E";
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t i = 1; i < 34; ++i)
    name += std::string("S_IS") + digits[i] + "_S" + digits[i] + "_E";
  const std::string readable = Demangled(name);
  EXPECT_LE(readable.size(), 70000U);
  for (const char* piece : {"P", "I", "T", "N", "S_", "F"}) {
    std::string deep = "_Z1f";
    for (int i = 0; i < 20000; ++i) deep += piece;
    EXPECT_EQ(Demangled(deep), deep);
    deep[1] = 'R';
    EXPECT_EQ(Demangled(deep), deep);
  }
}

TEST(OpenElf, AFileThatIsNotRegularIsNotRead) {
  const Directory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  for (const auto& path :
       {directory.path(), directory / "pipe", std::filesystem::path("/dev/zero")}) {
    const auto image = OpenElf(path);
    ASSERT_FALSE(image) << path;
    EXPECT_EQ(image.error().kind, ErrorKind::kIo) << path;
  }
}

TEST(OpenElf, AHugeFileIsRefusedBeforeItIsRead) {
  const Directory directory;
  directory.Write("huge",
                  "\x7f"
                  "ELF");
  std::error_code full;
  std::filesystem::resize_file(directory / "huge", std::uint64_t{1} << 40, full);
  if (full) GTEST_SKIP() << "no file of a terabyte here: " << full.message();
  const auto image = OpenElf(directory / "huge");
  ASSERT_FALSE(image);
  EXPECT_THAT(image.error().message, ::testing::HasSubstr("the maximum is"));
}

}  // namespace
}  // namespace tare::elf
