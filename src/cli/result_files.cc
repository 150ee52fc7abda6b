// result_files.cc: --html and --svg.
#include "cli/result_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/printable.h"
#include "report/page.h"
#include "report/svg.h"

namespace tare::cli {
namespace {

constexpr std::size_t kBriefRows = 20;

std::string WhereText(const CommonOptions& options) {
  std::string text;
  if (!options.html.empty()) {
    text = fmt::format("The report is in {}; open it in a browser.", Printable(options.html));
  }
  if (!options.svg.empty()) {
    text += fmt::format("{}The plot is in {}.", text.empty() ? "" : " ", Printable(options.svg));
  }
  return text;
}

}  // namespace

bool WritesFiles(const CommonOptions& options) {
  return !options.html.empty() || !options.svg.empty();
}

Result<void> CheckDirectory(const std::string& file) {
  if (file.empty()) return {};
  if (std::error_code ignored; std::filesystem::is_directory(file, ignored)) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot write {}: it is a directory; name a file", Printable(file)));
  }
  const auto directory = std::filesystem::path(file).parent_path();
  const std::string path = directory.empty() ? "." : directory.string();
  if (::access(path.c_str(), W_OK | X_OK) == 0) return {};
  return std::unexpected(SystemError("write to", path, errno));
}

Result<void> CheckFileOptions(const CommonOptions& options) {
  if (!options.figure.empty() && options.svg.empty()) {
    return Fail(ErrorKind::kUsage, "--figure names the plot for --svg; add --svg FILE");
  }
  if (!options.html.empty() && options.html == options.svg) {
    return Fail(ErrorKind::kUsage, "--html and --svg name the same file");
  }
  TRY_VOID(CheckDirectory(options.save));
  TRY_VOID(CheckDirectory(options.html));
  return CheckDirectory(options.svg);
}

Result<void> WriteResultFiles(const report::Document& document, const CommonOptions& options) {
  if (!options.html.empty()) {
    const report::PageResult result{"", document};
    TRY(const std::string page, report::ToHtml({&result, 1}));
    TRY_VOID(WriteFileAtomically(options.html, page));
  }
  if (!options.svg.empty()) {
    TRY(const std::string plot, report::ToSvg(document, options.figure));
    TRY_VOID(WriteFileAtomically(options.svg, plot));
  }
  return {};
}

report::Document BriefResult(report::Document document, const CommonOptions& options) {
  std::vector<report::Block> kept;
  bool has_block = false;
  for (report::Block& block : document.blocks) {
    const bool is_text = std::holds_alternative<report::Text>(block);
    if (!is_text && std::exchange(has_block, true)) continue;
    if (auto* table = std::get_if<report::Table>(&block);
        table != nullptr && table->rows.size() > kBriefRows) {
      table->rows.resize(kBriefRows);
    }
    kept.push_back(std::move(block));
  }
  if (!options.quiet) kept.emplace_back(report::Text{"files", WhereText(options)});
  document.blocks = std::move(kept);
  return document;
}

}  // namespace tare::cli
