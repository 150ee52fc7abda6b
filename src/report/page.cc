// page.cc: fills the embedded page with data, title and text.
#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "report/json.h"
#include "report/page_payload.h"
#include "report/page_template.h"
#include "report/reduce.h"
#include "report/text.h"

namespace tare::report {
namespace {

constexpr int kPageFormat = 1;
// Shorter lines stay in the JSON.
constexpr std::size_t kMinColumn = 64;

constexpr std::string_view kFirstComment = "<!-- tare report;";

std::string_view NameOf(ColumnEncoding encoding) {
  switch (encoding) {
    case ColumnEncoding::kWhole:
      return "whole";
    case ColumnEncoding::kReal:
      return "real";
    case ColumnEncoding::kShortReal:
      return "short_real";
  }
  CHECK(false);
}

// Moves the numbers of long lines out of the documents.
class ColumnStore {
 public:
  struct Place {
    std::size_t result;
    std::size_t block;
    std::size_t line;
  };

  void Take(const Place& place, std::string_view field, std::vector<double>& values) {
    if (values.size() < kMinColumn) return;
    EncodedColumn column = EncodeColumn(values, field == "x");
    const std::size_t size = column.bytes.size();
    // Lines often have the same positions, which are then stored once.
    auto [stored, is_new] = offsets_.emplace(std::move(column.bytes), bytes_.size());
    if (is_new) bytes_ += stored->first;
    rows_ += rows_.empty() ? "\n" : ",\n";
    rows_ +=
        fmt::format(R"({{"result": {}, "block": {}, "line": {}, "field": "{}", "encoding": "{}", )"
                    R"("count": {}, "offset": {}, "bytes": {}}})",
                    place.result, place.block, place.line, field, NameOf(column.encoding),
                    values.size(), stored->second, size);
    values.clear();
  }

  void Take(std::size_t result, Document& document) {
    for (std::size_t b = 0; b < document.blocks.size(); ++b) {
      auto* series = std::get_if<Series>(&document.blocks[b]);
      if (series == nullptr) continue;
      for (std::size_t l = 0; l < series->lines.size(); ++l) {
        Line& line = series->lines[l];
        Take({result, b, l}, "x", line.x);
        Take({result, b, l}, "y", line.y);
        Take({result, b, l}, "low", line.low);
        Take({result, b, l}, "high", line.high);
      }
    }
  }

  const std::string& Rows() const { return rows_; }
  const std::string& Bytes() const { return bytes_; }

 private:
  std::map<std::string, std::size_t> offsets_;
  std::string rows_;
  std::string bytes_;
};

std::string TitleOf(std::span<const PageResult> results) {
  if (results.size() == 1) return results.front().document.title + " - tare";
  return fmt::format("{} results - tare", results.size());
}

// Cuts the template at its marks, so that nothing that is filled in is taken for a mark.
struct Fill {
  std::string_view mark;
  std::string_view text;
};

std::string FilledTemplate(std::span<const Fill> fills) {
  std::string page;
  const PagePieces pieces = EmbeddedPage();
  for (std::size_t i = 0; i < pieces.count; ++i) page += pieces.first[i];
  std::string filled;
  std::size_t at = 0;
  for (const Fill& fill : fills) {
    const std::size_t mark = page.find(fill.mark, at);
    CHECK(mark != std::string::npos);
    filled.append(page, at, mark - at);
    filled += fill.text;
    at = mark + fill.mark.size();
  }
  filled.append(page, at, std::string::npos);
  return filled;
}

}  // namespace

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

Result<std::string> PagePayload(std::span<const PageResult> results, std::size_t max_points) {
  PageLimits limits;
  const std::size_t parts = std::max<std::size_t>(results.size(), 1);
  limits.points = max_points / parts;
  limits.spans /= parts;
  ColumnStore store;
  std::string listed;
  for (std::size_t i = 0; i < results.size(); ++i) {
    Document document = results[i].document;
    const std::string note = Reduce(document, limits);
    store.Take(i, document);
    JsonWriter entry;
    entry.Raw("{");
    entry.TextField("name", results[i].name);
    entry.TextField("note", note);
    entry.Key("document");
    entry.Raw(ToJson(document));
    entry.Raw("}");
    listed += (i == 0 ? "\n" : ",\n") + entry.Take();
  }
  const std::string json = fmt::format("{{\"page\": {}, \"results\": [{}], \"columns\": [{}]}}\n",
                                       kPageFormat, listed, store.Rows());
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>((json.size() >> shift) & 0xff);
  }
  bytes += json;
  bytes += store.Bytes();
  return Gzip(bytes);
}

Result<std::string> ToHtml(std::span<const PageResult> results) {
  TRY(const std::string payload, PagePayload(results));
  std::string text;
  for (const PageResult& result : results) {
    Document shown = result.document;
    PageLimits few;
    few.points = 2'000;
    few.rows = 100;
    Reduce(shown, few);
    text += ToText(shown, TextStyle{}) + "\n";
  }
  const std::string fallback = fmt::format(
      "<p>This page shows plots and tables with a script, which is switched off here. The results "
      "as text:</p><pre>{}</pre>",
      EscapeHtml(text));
  const std::string title = EscapeHtml(Printable(TitleOf(results)));
  const std::string data = Base64(payload);
  const std::array fills = {Fill{"@CONNECT@", "'none'"}, Fill{"@TITLE@", title},
                            Fill{"@TEXT@", fallback}, Fill{"@LIVE@", ""}, Fill{"@DATA@", data}};
  return FilledTemplate(fills);
}

std::string LivePage() {
  constexpr std::array kFills = {Fill{"@CONNECT@", "'self'"}, Fill{"@TITLE@", "tare report"},
                                 Fill{"@TEXT@", "<p>This page needs scripts.</p>"},
                                 Fill{"@LIVE@", " data-live"}, Fill{"@DATA@", ""}};
  return FilledTemplate(kFills);
}

bool IsPage(std::string_view start) { return start.substr(0, 200).contains(kFirstComment); }

}  // namespace tare::report
