// program_builds.cc: copies, builds and the linker that moves code.
#include "analysis/compare/program_builds.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "analysis/compare/shell_command.h"
#include "base/file.h"
#include "base/printable.h"

namespace tare::compare {
namespace {

namespace fs = std::filesystem;

// Shuffles the object files among their places on the command line and puts padding after each of
// them. gcc and clang find it by COMPILER_PATH, build systems that call the linker by PATH. The
// order is that of a checksum of seed and position, so it is the same for OLD and NEW. Partial
// links (-r) and links from response files stay as they are.
constexpr std::string_view kLinker = R"sh(#!/bin/bash
name=${0##*/}
own=${0%/*}
real=
IFS=: read -ra directories <<< "$TARE_LINKER_PATH"
for directory in "${directories[@]}"; do
  [ -x "$directory/$name" ] && [ ! "$directory" -ef "$own" ] && real=$directory/$name && break
done
[ -n "$real" ] || { echo "$name: not found in $TARE_LINKER_PATH" >&2; exit 127; }
for word in "$@"; do
  case $word in -r | -i | --relocatable) exec "$real" "$@" ;; esac
done
objects=()
before=
for word in "$@"; do
  case $word in
    */crt*.o | crt*.o | */Scrt1.o | */gcrt1.o | */Mcrt1.o | */rcrt1.o) ;;
    *.o) [ "$before" = -o ] || objects+=("$word") ;;
  esac
  before=$word
done
shuffled=()
if [ ${#objects[@]} -gt 0 ]; then
  while read -r key index; do shuffled+=("${objects[index]}"); done < <(
    for index in "${!objects[@]}"; do
      echo "$(printf '%s' "$TARE_BUILD $index" | cksum | cut -d' ' -f1) $index"
    done | sort -n)
fi
pads=$(mktemp -d) || exit 1
trap 'rm -rf "$pads"' EXIT
arguments=()
before=
next=0
for word in "$@"; do
  case $word in
    */crt*.o | crt*.o | */Scrt1.o | */gcrt1.o | */Mcrt1.o | */rcrt1.o) arguments+=("$word") ;;
    *.o)
      if [ "$before" = -o ]; then
        arguments+=("$word")
      else
        bytes=$(($(printf '%s' "$TARE_BUILD pad $next" | cksum | cut -d' ' -f1) % 251 * 16))
        printf '.text\n.skip %d\n.section .note.GNU-stack,"",%%progbits\n' "$bytes" |
          as -o "$pads/$next.o" - && arguments+=("$pads/$next.o")
        arguments+=("${shuffled[next]}")
        next=$((next + 1))
      fi
      ;;
    *) arguments+=("$word") ;;
  esac
  before=$word
done
"$real" "${arguments[@]}"
)sh";

constexpr std::string_view kLinkerNames[] = {"ld",     "ld.bfd",    "ld.gold",
                                             "ld.lld", "ld.lld-19", "ld.mold"};

std::string PathVariable() {
  const char* path = ::getenv("PATH");
  return path == nullptr ? "/usr/bin:/bin" : path;
}

}  // namespace

fs::path ProgramBuilds::CopyOf(std::size_t directory, std::size_t build) const {
  // Paths of the same length, because their length moves the stack.
  return root_.path() / fmt::format("{}{:02}", directory == 0 ? "old" : "new", build);
}

Result<void> ProgramBuilds::WriteLinker() const {
  const fs::path directory = root_.path() / "linker";
  std::error_code error;
  fs::create_directory(directory, error);
  if (error) return std::unexpected(SystemError("create", directory, error.value()));
  TRY_VOID(WriteFileAtomically(directory / "ld", kLinker));
  fs::permissions(directory / "ld", fs::perms::owner_all, error);
  for (const std::string_view name : kLinkerNames) {
    if (name != "ld") fs::create_symlink("ld", directory / name, error);
  }
  return {};
}

Result<void> ProgramBuilds::Build(std::size_t directory, std::size_t build) const {
  const fs::path copy = CopyOf(directory, build);
  std::error_code error;
  fs::copy(plan_.directories[directory], copy,
           fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  if (error) {
    return std::unexpected(SystemError("copy", plan_.directories[directory], error.value()));
  }
  ShellCommand command{"--build", plan_.command, copy};
  if (build > 0) {
    const std::string linker = (root_.path() / "linker").string();
    const std::string path = PathVariable();
    command.set = {{"TARE_PLACEMENT", std::to_string(plan_.seed * 1000 + build)},
                   {"TARE_BUILD", std::to_string(plan_.seed * 1000 + build)},
                   {"TARE_LINKER_PATH", path},
                   {"COMPILER_PATH", linker},
                   {"PATH", linker + ":" + path}};
    // What was built before would not be linked again.
    if (!plan_.words.front().starts_with('/')) fs::remove(copy / plan_.words.front(), error);
  }
  const auto done = RunShell(command, plan_.interrupted);
  if (!done) {
    return Fail(done.error().kind, fmt::format("{} in {}", done.error().message,
                                               Printable(plan_.directories[directory])));
  }
  if (fs::exists(Words(directory, build).front())) return {};
  return Fail(ErrorKind::kNotFound,
              fmt::format("--build '{}' in {} makes no {}", Printable(plan_.command),
                          Printable(plan_.directories[directory]), Printable(plan_.words.front())));
}

Result<ProgramBuilds> ProgramBuilds::Make(const BuildPlan& plan, const Progress& progress) {
  for (const std::string& directory : plan.directories) {
    std::error_code ignored;
    if (fs::is_directory(directory, ignored)) continue;
    return Fail(ErrorKind::kNotFound,
                fmt::format("--builds {}: no such directory", Printable(directory)));
  }
  TRY(auto root, PrivateDirectory::MakeOnDisk());
  ProgramBuilds builds(plan, std::move(root));
  TRY_VOID(builds.WriteLinker());
  const double all = static_cast<double>(plan.builds * plan.directories.size());
  double done = 0;
  for (std::size_t build = 0; build < plan.builds; ++build) {
    for (std::size_t directory = 0; directory < plan.directories.size(); ++directory) {
      if (!progress(done / all, fmt::format("building {} of {:.0f}", done + 1, all))) {
        return Stopped();
      }
      TRY_VOID(builds.Build(directory, build));
      done += 1;
    }
  }
  return builds;
}

std::vector<std::string> ProgramBuilds::Words(std::size_t directory, std::size_t build) const {
  const fs::path copy = CopyOf(directory, build);
  std::vector<std::string> words = plan_.words;
  if (!words.front().starts_with('/')) words.front() = (copy / words.front()).string();
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::error_code ignored;
    if (words[i].empty() || fs::exists(words[i], ignored)) continue;
    if (fs::exists(copy / words[i], ignored)) words[i] = (copy / words[i]).string();
  }
  return words;
}

}  // namespace tare::compare
