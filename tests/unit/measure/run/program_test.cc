// program_test.cc: tests which files can be measured.
#include "measure/run/program.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cstring>

#include "test_programs.h"

namespace tare::run {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Error Refusal(const std::vector<std::string>& arguments, std::string_view path = "/usr/bin:/bin") {
  const auto resolved = Resolve({arguments}, path);
  EXPECT_FALSE(resolved);
  return resolved ? Error{ErrorKind::kIo, ""} : resolved.error();
}

std::string ElfHeader(unsigned char bits, std::uint16_t machine) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = bits == 64 ? ELFCLASS64 : ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = machine;
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

TEST(Resolve, DistinguishesStaticPieFromOtherPrograms) {
  EXPECT_TRUE(TestProgram("where_static_pie").static_pie);
  EXPECT_FALSE(TestProgram("where").static_pie);
  EXPECT_FALSE(TestProgram("where_static").static_pie);
  EXPECT_FALSE(TestProgram("where_fixed").static_pie);
}

// For the architecture that these tests run on.
TEST(Resolve, AStaticPieRunsInTheControlledEnvironment) {
  Setting setting = Captured();
  setting.environment.pin_dispatch = true;
  const auto finished = RunIt("where_static_pie", setting);
  EXPECT_EQ(finished.ended.ShellStatus(), 0);
}

TEST(Resolve, AFileWithoutItsProgramHeadersIsNotStaticPie) {
  const TemporaryDirectory directory;
  std::string bytes = ElfHeader(64, EM_AARCH64);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_type = ET_DYN;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 3;
  header.e_phoff = sizeof header;
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto cut = Resolve({{directory.Write("cut", bytes, 0755)}});
  ASSERT_TRUE(cut);
  EXPECT_FALSE(cut->static_pie);
  const auto whole = Resolve(
      {{directory.Write("whole", bytes + std::string(3 * sizeof(Elf64_Phdr), '\0'), 0755)}});
  ASSERT_TRUE(whole);
  EXPECT_TRUE(whole->static_pie);
  EXPECT_FALSE(ToleratesTunables(*whole));
}

TEST(Resolve, FindsAProgramInThePath) {
  const auto found = Resolve({{"sh", "-c", "true"}}, "/nonexistent:/bin");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->path, "/bin/sh");
  EXPECT_EQ(found->arguments.front(), "sh");
  EXPECT_EQ(found->form, ResolvedProgram::Form::kElf);
  EXPECT_EQ(found->bits, 64U);
  EXPECT_FALSE(found->foreign);
}

TEST(Resolve, ARelativePathBecomesAbsolute) {
  const TemporaryDirectory directory;
  const std::string path = directory.Write("x", "#!/bin/sh\n", 0755);
  const auto relative = std::filesystem::relative(path).string();
  const auto found = Resolve({{"./" + relative}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_TRUE(found->path.is_absolute());
  EXPECT_TRUE(std::filesystem::equivalent(found->path, path));
}

TEST(Resolve, AScriptNamesItsInterpreter) {
  const TemporaryDirectory directory;
  for (const auto& [text, interpreter] : std::vector<std::pair<std::string, std::string>>{
           {"#!/bin/sh\n", "/bin/sh"},
           {"#! /usr/bin/env python3\n", "/usr/bin/env"},
           {"#!/bin/sh -e", "/bin/sh"},
           {"#!\n", ""}}) {
    const auto found = Resolve({{directory.Write("script", text, 0755)}});
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->form, ResolvedProgram::Form::kScript);
    EXPECT_EQ(found->interpreter, interpreter);
  }
}

TEST(WithoutScript, GivesWhatTheKernelWouldStart) {
  const TemporaryDirectory directory;
  const std::string script = directory.Write("script", "#!/bin/sh -e \n", 0755);
  const auto resolved = Resolve({{script, "a", "b"}});
  ASSERT_TRUE(resolved);
  const auto found = WithoutScript(*resolved);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->path, "/bin/sh");
  EXPECT_THAT(found->arguments, testing::ElementsAre("/bin/sh", "-e", script, "a", "b"));
  EXPECT_EQ(found->form, ResolvedProgram::Form::kElf);
}

TEST(WithoutScript, LooksThroughEnv) {
  const TemporaryDirectory directory;
  const std::string script = directory.Write("script", "#!/usr/bin/env sh\n", 0755);
  const auto resolved = Resolve({{script}});
  ASSERT_TRUE(resolved);
  const auto found = WithoutScript(*resolved);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->path.filename(), "sh");
  EXPECT_THAT(found->arguments, testing::ElementsAre("sh", script));
}

TEST(ShownName, IsThatOfTheScript) {
  const TemporaryDirectory directory;
  const std::string script = directory.Write("script", "#!/bin/sh\n", 0755);
  const auto resolved = Resolve({{script}});
  ASSERT_TRUE(resolved);
  EXPECT_EQ(ShownName(*resolved), "script");
  const auto found = WithoutScript(*resolved);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(ShownName(*found), "script");
}

TEST(ShownName, IsThatOfTheProgram) {
  const auto resolved = Resolve({{"/bin/sh", "-c", "true"}});
  ASSERT_TRUE(resolved);
  EXPECT_EQ(ShownName(*resolved), "sh");
}

TEST(WithoutScript, LeavesAProgramAlone) {
  const auto resolved = Resolve({{"/bin/sh", "-c", "true"}});
  ASSERT_TRUE(resolved);
  const auto found = WithoutScript(*resolved);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, resolved->path);
  EXPECT_EQ(found->arguments, resolved->arguments);
}

TEST(WithoutScript, AScriptOfAMissingInterpreterIsNotFound) {
  const TemporaryDirectory directory;
  const auto resolved = Resolve({{directory.Write("script", "#!/no/such/program\n", 0755)}});
  ASSERT_TRUE(resolved);
  const auto found = WithoutScript(*resolved);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(found.error().message,
              HasSubstr("/script needs an interpreter: cannot run /no/such"));
}

TEST(Resolve, WhatIsMissingIsNotFound) {
  const TemporaryDirectory directory;
  EXPECT_EQ(Refusal({"no-such-program-anywhere"}).kind, ErrorKind::kNotFound);
  EXPECT_EQ(Refusal({directory.Path("missing")}).kind, ErrorKind::kNotFound);
  EXPECT_EQ(Refusal({directory.Write("file", "x") + "/below"}).kind, ErrorKind::kNotFound);
  EXPECT_EQ(Refusal({""}).kind, ErrorKind::kNotFound);
  EXPECT_EQ(Refusal({}).kind, ErrorKind::kUsage);
}

TEST(Resolve, ACommandInQuotesIsExplained) {
  EXPECT_THAT(Refusal({"sort file"}).message, HasSubstr("words of their own"));
  EXPECT_THAT(Refusal({"sort /etc/passwd"}).message, HasSubstr("words of their own"));
  EXPECT_THAT(Refusal({"./missing"}).message, StartsWith("cannot run ./missing: "));
  EXPECT_THAT(Refusal({"./missing"}).message, Not(HasSubstr("words of their own")));
}

TEST(Resolve, OnlyAProgramOrAScriptIsToBeMadeExecutable) {
  const TemporaryDirectory directory;
  EXPECT_THAT(Refusal({directory.Write("script", "#!/bin/sh\n")}).message, HasSubstr("chmod +x"));
  EXPECT_THAT(Refusal({directory.Write("text", "words\n")}).message,
              HasSubstr("neither a program nor a script"));
}

TEST(Resolve, WhatCannotRunIsRefusedWithTheReason) {
  const TemporaryDirectory directory;
  const auto refused = [](const std::vector<std::string>& arguments, std::string_view path = "") {
    const Error error = Refusal(arguments, path);
    EXPECT_EQ(error.kind, ErrorKind::kCannotExecute) << error.message;
    return error.message;
  };
  EXPECT_THAT(refused({directory.Path()}), HasSubstr("directory"));
  EXPECT_THAT(refused({directory.Write("plain", "#!/bin/sh\n")}),
              HasSubstr("no execute permission"));
  EXPECT_THAT(refused({"plain"}, directory.Path()), HasSubstr("execute permission"));
  EXPECT_THAT(refused({directory.Write("empty", "", 0755)}), HasSubstr("empty"));
  EXPECT_THAT(refused({"/dev/null"}), HasSubstr("not a regular file"));
}

TEST(Resolve, PrivilegesOfTheFileAreRefused) {
  const TemporaryDirectory directory;
  EXPECT_THAT(Refusal({directory.Write("u", "#!/bin/sh\n", 04755)}).message, HasSubstr("setuid"));
  EXPECT_THAT(Refusal({directory.Write("g", "#!/bin/sh\n", 02755)}).message, HasSubstr("setgid"));
  // Without the group's execute bit, set-group-ID means mandatory locking (inode(7)).
  EXPECT_TRUE(Resolve({{directory.Write("l", "#!/bin/sh\n", 02745)}}));
}

TEST(Resolve, FileCapabilitiesAreRefused) {
  const TemporaryDirectory directory;
  const std::string file = directory.Write("c", "#!/bin/sh\n", 0755);
  // VFS_CAP_REVISION_2 with CAP_NET_RAW permitted (linux/capability.h).
  const std::uint32_t capability[] = {0x02000001, 1U << 13, 0, 0, 0};
  if (::setxattr(file.c_str(), "security.capability", capability, sizeof capability, 0) != 0) {
    GTEST_SKIP() << "file capabilities cannot be set here";
  }
  EXPECT_THAT(Refusal({file}).message, HasSubstr("capabilities"));
}

TEST(Resolve, OtherMachinesAreFlagged) {
  const TemporaryDirectory directory;
  const auto s390 = Resolve({{directory.Write("s390", ElfHeader(64, EM_S390), 0755)}});
  ASSERT_TRUE(s390);
  EXPECT_TRUE(s390->foreign);
  EXPECT_EQ(s390->machine, EM_S390);
  const auto small = Resolve({{directory.Write("i386", ElfHeader(32, EM_386), 0755)}});
  ASSERT_TRUE(small);
  EXPECT_TRUE(small->foreign);
  EXPECT_EQ(small->bits, 32U);
  const auto cut = Resolve({{directory.Write("cut", ElfHeader(64, EM_S390).substr(0, 20), 0755)}});
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->form, ResolvedProgram::Form::kOther);
}

TEST(RunProgram, WhatTheKernelRefusesIsAnErrorWithTheReason) {
  const TemporaryDirectory directory;
  const auto failure = [&](std::string_view text) {
    const auto resolved = Resolve({{directory.Write("program", text, 0755)}});
    EXPECT_TRUE(resolved);
    const auto finished = RunProgram(*resolved, Captured());
    EXPECT_FALSE(finished);
    EXPECT_EQ(finished.error().kind, ErrorKind::kCannotExecute);
    return finished.error().message;
  };
  EXPECT_THAT(failure("#!/nonexistent/interpreter\n"), HasSubstr("/nonexistent/interpreter"));
  EXPECT_THAT(failure("neither ELF nor script\n"), HasSubstr("Exec format error"));
  EXPECT_THAT(failure(ElfHeader(64, EM_S390)), HasSubstr("another machine"));
}

TEST(Wrapped, ThePrefixRunsTheProgram) {
  const auto wrapped = Wrapped(TestProgram("environment one two"), {"env", "WRAPPED=yes"});
  ASSERT_TRUE(wrapped) << wrapped.error().message;
  const auto finished = RunProgram(*wrapped, Captured());
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_THAT(Values(finished->output, "variable"), testing::Contains("WRAPPED=yes"));
  EXPECT_THAT(Values(finished->output, "argument"), testing::ElementsAre("one", "two"));
  EXPECT_EQ(Value(finished->output, "name"), ProgramPath("environment"));
}

TEST(Wrapped, AMissingPrefixIsAnError) {
  EXPECT_FALSE(Wrapped(TestProgram("environment"), {"no-such-program-anywhere"}));
  EXPECT_FALSE(Wrapped(TestProgram("environment"), {}));
}

}  // namespace
}  // namespace tare::run
