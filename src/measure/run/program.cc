// program.cc: the search in $PATH, permission checks and parsing of the file's first bytes.
#include "measure/run/program.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "base/descriptor.h"
#include "base/printable.h"
#include "machine/host/installed_program.h"

namespace tare::run {
namespace {

namespace fs = std::filesystem;

#if defined(__x86_64__)
constexpr std::uint16_t kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kOwnMachine = EM_AARCH64;
#endif

// The kernel reads at most 256 bytes of a script's first line (BINPRM_BUF_SIZE; see execve(2)).
constexpr std::size_t kFirstBytes = 256;

std::string FirstBytes(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, kFirstBytes> bytes;
  const ssize_t got = file.IsOpen() ? ::read(file.Number(), bytes.data(), bytes.size()) : -1;
  return got > 0 ? std::string(bytes.data(), static_cast<std::size_t>(got)) : "";
}

// `name`: as the user gave it, or where it was found.
std::unexpected<Error> Refused(std::string_view name, std::string_view why) {
  return Fail(ErrorKind::kCannotExecute, fmt::format("cannot run {}: {}", Printable(name), why));
}

// What may be meant by a name of a program that does not exist.
std::string_view AdviceOnName(std::string_view name) {
  return name.find(' ') == std::string_view::npos
             ? ""
             : "; write the program and its arguments as words of their own, not in quotes";
}

std::string WithoutPermission(const fs::path& path, std::string_view name) {
  const std::string first = FirstBytes(path);
  if (!first.starts_with("#!") && !first.starts_with(ELFMAG)) {
    return "it has no execute permission, and is neither a program nor a script";
  }
  return fmt::format("it has no execute permission; make it executable (chmod +x {})",
                     Printable(name));
}

Result<void> RequireRunnable(const fs::path& path, std::string_view name) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) {
    const bool absent = errno == ENOENT || errno == ENOTDIR;
    return Fail(
        absent ? ErrorKind::kNotFound : ErrorKind::kCannotExecute,
        fmt::format("cannot run {}: {}{}", Printable(name), std::generic_category().message(errno),
                    absent ? AdviceOnName(name) : ""));
  }
  if (S_ISDIR(found.st_mode)) return Refused(name, "it is a directory");
  if (!S_ISREG(found.st_mode)) return Refused(name, "it is not a regular file");
  if (::access(path.c_str(), X_OK) != 0) {
    const int reason = errno;
    return Refused(name, reason == EACCES ? WithoutPermission(path, name)
                                          : std::generic_category().message(reason));
  }
  if (found.st_size == 0) return Refused(name, "the file is empty");
  // S_ISGID without S_IXGRP marks mandatory locking; see inode(7).
  constexpr mode_t kSetGroup = S_ISGID | S_IXGRP;
  if ((found.st_mode & S_ISUID) != 0) {
    return Refused(name, "it is setuid; measure a copy without that bit");
  }
  if ((found.st_mode & kSetGroup) == kSetGroup) {
    return Refused(name, "it is setgid; measure a copy without that bit");
  }
  if (::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0) {
    return Refused(name, "it has file capabilities; measure a copy without them");
  }
  return {};
}

// "#! /usr/bin/perl -w": the kernel passes everything after the path as one argument; see
// execve(2).
void ReadFirstLine(std::string_view first_bytes, ResolvedProgram& program) {
  constexpr std::string_view kBlank = " \t";
  std::string_view line = first_bytes.substr(2, first_bytes.find('\n') - 2);
  const auto start = line.find_first_not_of(kBlank);
  if (start == std::string_view::npos) return;
  line.remove_prefix(start);
  const auto end = line.find_first_of(kBlank);
  program.interpreter = line.substr(0, end);
  if (end == std::string_view::npos) return;
  line.remove_prefix(end);
  const auto argument = line.find_first_not_of(kBlank);
  if (argument == std::string_view::npos) return;
  line.remove_prefix(argument);
  program.interpreter_argument = line.substr(0, line.find_last_not_of(kBlank) + 1);
}

// For 64-bit files in the host's byte order.
bool IsStaticPie(const fs::path& path, std::string_view first_bytes) {
  Elf64_Ehdr head;
  if (first_bytes.size() < sizeof head) return false;
  std::memcpy(&head, first_bytes.data(), sizeof head);
  if (head.e_type != ET_DYN || head.e_phentsize != sizeof(Elf64_Phdr)) return false;
  std::vector<Elf64_Phdr> parts(head.e_phnum);
  const std::size_t size = parts.size() * sizeof(Elf64_Phdr);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.IsOpen() || ::pread(file.Number(), parts.data(), size,
                                static_cast<off_t>(head.e_phoff)) != static_cast<ssize_t>(size)) {
    return false;
  }
  return std::ranges::none_of(parts,
                              [](const Elf64_Phdr& part) { return part.p_type == PT_INTERP; });
}

void ReadForm(std::string_view bytes, ResolvedProgram& program) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  if (bytes.starts_with("#!")) {
    program.form = ResolvedProgram::Form::kScript;
    ReadFirstLine(bytes, program);
  } else if (bytes.starts_with(ELFMAG) && bytes.size() >= sizeof(Elf32_Ehdr)) {
    // e_machine has the same offset in both ELF classes.
    constexpr std::size_t kMachine = offsetof(Elf64_Ehdr, e_machine);
    const bool little = byte(EI_DATA) == ELFDATA2LSB;
    const unsigned low = byte(kMachine + (little ? 0 : 1));
    const unsigned high = byte(kMachine + (little ? 1 : 0));
    program.form = ResolvedProgram::Form::kElf;
    program.bits = byte(EI_CLASS) == ELFCLASS64 ? 64 : 32;
    program.machine = static_cast<std::uint16_t>(high << 8 | low);
    program.foreign = program.bits != 64 || !little || program.machine != kOwnMachine;
    program.static_pie = program.bits == 64 && little && IsStaticPie(program.path, bytes);
  }
}

// Like execvp(3): an empty or relative entry of $PATH refers to the current directory.
Result<fs::path> Find(const std::string& name, std::string_view search_path) {
  std::error_code failed;
  if (name.find('/') != std::string::npos) {
    const auto path = fs::absolute(name, failed);
    if (failed) return Refused(name, failed.message());
    return path;
  }
  bool present = false;
  while (true) {
    const auto colon = search_path.find(':');
    const std::string_view entry = search_path.substr(0, colon);
    const fs::path candidate = fs::absolute(fs::path(entry.empty() ? "." : entry) / name, failed);
    struct stat found{};
    if (!failed && ::stat(candidate.c_str(), &found) == 0 && S_ISREG(found.st_mode)) {
      if (::access(candidate.c_str(), X_OK) == 0) return candidate;
      present = true;
    }
    if (colon == std::string_view::npos) break;
    search_path.remove_prefix(colon + 1);
  }
  if (present) return Refused(name, "no file of this name in $PATH has execute permission");
  return Fail(ErrorKind::kNotFound, fmt::format("cannot run {}: no such program in $PATH{}",
                                                Printable(name), AdviceOnName(name)));
}

}  // namespace

Result<ResolvedProgram> Resolve(const Program& program) {
  return Resolve(program, host::SearchPath());
}

Result<ResolvedProgram> Resolve(const Program& program, std::string_view search_path) {
  if (program.arguments.empty()) return Fail(ErrorKind::kUsage, "no program given");
  for (const std::string& argument : program.arguments) {
    if (argument.find('\0') != std::string::npos) {
      return Fail(ErrorKind::kUsage, "an argument of the program contains a zero byte");
    }
  }
  const std::string& name = program.arguments.front();
  if (name.empty()) return Fail(ErrorKind::kNotFound, "the name of the program is empty");
  ResolvedProgram resolved;
  TRY(resolved.path, Find(name, search_path));
  const bool is_path = name.find('/') != std::string::npos;
  TRY_VOID(RequireRunnable(resolved.path, is_path ? name : resolved.path.string()));
  resolved.arguments = program.arguments;
  ReadForm(FirstBytes(resolved.path), resolved);
  return resolved;
}

Result<ResolvedProgram> WithoutScript(const ResolvedProgram& program) {
  ResolvedProgram found = program;
  // The interpreter of a script may be a script; the kernel follows four levels (execve(2)).
  for (int level = 0; level < 4 && found.form == ResolvedProgram::Form::kScript; ++level) {
    std::vector<std::string> words;
    const bool by_name = fs::path(found.interpreter).filename() == "env" &&
                         !found.interpreter_argument.empty() &&
                         !found.interpreter_argument.starts_with('-') &&
                         found.interpreter_argument.find('=') == std::string::npos;
    if (by_name) {
      words = {found.interpreter_argument};
    } else {
      words = {found.interpreter};
      if (!found.interpreter_argument.empty()) words.push_back(found.interpreter_argument);
    }
    words.push_back(found.path.string());
    words.insert(words.end(), found.arguments.begin() + 1, found.arguments.end());
    auto interpreter = Resolve({std::move(words)});
    if (!interpreter) {
      return Fail(interpreter.error().kind,
                  fmt::format("the script {} needs an interpreter: {}",
                              Printable(found.path.string()), interpreter.error().message));
    }
    found = *std::move(interpreter);
    found.script = program.path;
  }
  return found;
}

const fs::path& GivenPath(const ResolvedProgram& program) {
  return program.script.empty() ? program.path : program.script;
}

std::string ShownName(const ResolvedProgram& program) {
  return Printable(GivenPath(program).filename().string());
}

bool ToleratesTunables(const ResolvedProgram& program) {
  return !program.static_pie || program.machine != EM_AARCH64;
}

Result<ResolvedProgram> Wrapped(ResolvedProgram program, std::vector<std::string> prefix) {
  const auto first = Resolve({prefix});
  if (!first) return Fail(ErrorKind::kUnsupported, first.error().message);
  prefix.front() = first->path.string();
  program.prefix = std::move(prefix);
  return program;
}

}  // namespace tare::run
