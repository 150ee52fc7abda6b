// variant_builds.cc: build commands, and which of them are done.
#include "analysis/study/variant_builds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <system_error>
#include <vector>

#include "analysis/compare/shell_command.h"
#include "base/file.h"
#include "base/printable.h"
#include "base/sha256.h"

namespace tare::study {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxCommandBytes = 4 << 20;

// The file that remembers the command which made the program of this case.
fs::path MemoryOf(const StudyCase& one, const fs::path& results) {
  return results / "builds" / Sha256Of(fmt::format("{}", fmt::join(one.words, "\n"))).substr(0, 32);
}

bool IsBuilt(const StudyCase& one, const fs::path& memory) {
  std::error_code ignored;
  const bool is_file = one.words.front().contains('/');
  if (is_file && !fs::exists(one.words.front(), ignored)) return false;
  const auto command = ReadFile(memory, kMaxCommandBytes);
  return command && *command == one.build;
}

}  // namespace

Result<void> BuildPrograms(const Study& study, const StudyCases& cases, const fs::path& results,
                           const std::string& tare, const StopAsked& interrupted,
                           const Progress& progress) {
  std::set<std::string> seen;
  std::vector<const StudyCase*> left;
  for (const StudyCase& one : cases.cases) {
    if (one.build.empty() || !seen.insert(one.build).second) continue;
    if (!IsBuilt(one, MemoryOf(one, results))) left.push_back(&one);
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const StudyCase& one = *left[i];
    const std::string& program = study.programs[one.program].name;
    const bool goes_on =
        progress(static_cast<double>(i) / static_cast<double>(left.size()),
                 fmt::format("build {} of {}: {}", i + 1, left.size(), Printable(program)));
    if (!goes_on) return Stopped();
    const auto built = compare::RunShell({fmt::format("build of program {}", Printable(program)),
                                          one.build,
                                          study.directory,
                                          {{"TARE", tare}}},
                                         interrupted);
    if (!built) return std::unexpected(built.error());
    const fs::path memory = MemoryOf(one, results);
    std::error_code error;
    fs::create_directories(memory.parent_path(), error);
    if (error) return std::unexpected(SystemError("create", memory.parent_path(), error.value()));
    TRY_VOID(WriteFileAtomically(memory, one.build));
  }
  return {};
}

}  // namespace tare::study
