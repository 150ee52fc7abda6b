// line_counts.cc: looks up the line of each executed instruction once.
#include "measure/count/line_counts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "binary/dwarf/separate_debug_file.h"

namespace tare::count {
namespace {

// The lines of one object.
class ObjectLines {
 public:
  ObjectLines(const std::string& object, Images& images) : image_(images.Open(object)) {
    if (image_ == nullptr) return;
    auto found = dwarf::FindSourceMap(*image_, object);
    if (found) sources_ = std::move(*found);
  }

  std::optional<dwarf::SourceLine> At(std::uint64_t offset) const {
    if (!sources_) return std::nullopt;
    const auto address = image_->AddressOf(offset);
    const auto line = address ? sources_->LineAt(*address) : std::nullopt;
    if (!line || line->file == dwarf::kUnknown || line->line == 0) return std::nullopt;
    return line;
  }

  const std::string& File(dwarf::SourceLine line) const {
    CHECK(sources_);
    return sources_->files()[line.file];
  }

 private:
  const elf::ElfImage* image_;
  std::optional<dwarf::SourceMap> sources_;
};

}  // namespace

LineCounts CountLines(const Tally& tally, Images& images) {
  std::vector<ObjectLines> objects;
  for (const std::string& object : tally.objects) objects.emplace_back(object, images);
  struct Sum {
    CountedLine line;
    std::map<const Place*, std::uint64_t> functions;
  };
  std::map<std::tuple<std::string_view, std::uint32_t, std::uint32_t>, Sum> sums;
  std::vector<std::uint64_t> missing(objects.size());
  LineCounts counts;
  for (const CodeTally& code : tally.code) {
    const ObjectLines& object = objects[code.object];
    const auto line = object.At(code.offset);
    if (!line) {
      counts.without_line += code.instructions;
      missing[code.object] += code.instructions;
      continue;
    }
    Sum& sum = sums[{object.File(*line), line->line, code.object}];
    sum.line.instructions += code.instructions;
    sum.line.loads += code.loads;
    sum.line.stores += code.stores;
    sum.functions[code.place] += code.instructions;
  }
  for (auto& [key, sum] : sums) {
    const auto& [file, line, object] = key;
    const Place* most = std::ranges::max_element(sum.functions, {}, [](const auto& of) {
                          return of.second;
                        })->first;
    sum.line.file = file;
    sum.line.line = line;
    sum.line.object = tally.objects[object];
    if (most != nullptr) sum.line.function = most->function;
    counts.lines.push_back(std::move(sum.line));
  }
  std::ranges::stable_sort(counts.lines, std::ranges::greater(), &CountedLine::instructions);
  std::vector<std::size_t> order(objects.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t i) { return missing[i]; });
  for (const std::size_t i : order) {
    if (missing[i] > 0) counts.missing.push_back(tally.objects[i]);
  }
  return counts;
}

}  // namespace tare::count
