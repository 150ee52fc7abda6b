// weights.cc: joining tables of counts with the functions and blocks of a file.
#include "binary/mix/weights.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "base/file.h"
#include "base/printable.h"
#include "binary/code/clone_name.h"
#include "format/sampled_profile_file.h"
#include "report/json.h"

namespace tare::mix {
namespace {

std::optional<std::size_t> ColumnOf(const report::Table& table, std::string_view name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == name) return i;
  return std::nullopt;
}

double NumberIn(const report::Cell& cell) {
  std::optional<Number> number;
  if (const auto* bare = std::get_if<Number>(&cell)) number = *bare;
  if (const auto* measured = std::get_if<Measured>(&cell)) number = measured->value;
  const double value = number ? AsDouble(*number) : 0;
  return std::isfinite(value) && value > 0 ? value : 0;
}

std::string TextIn(const report::Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

void AddFunctions(const report::Table& table, Weights& weights) {
  const auto object = ColumnOf(table, "object");
  const auto function = ColumnOf(table, "function");
  auto instructions = ColumnOf(table, "instructions");
  if (!instructions) {
    instructions = ColumnOf(table, "samples");
    weights.of_time = instructions.has_value();
  }
  if (!object || !function || !instructions) return;
  for (const auto& row : table.rows)
    weights.functions.push_back(
        {TextIn(row[*object]), TextIn(row[*function]), NumberIn(row[*instructions])});
}

// Samples by function, of every object.
Weights WeightsOf(const format::SampledProfile& profile) {
  std::vector<double> samples(profile.functions.size());
  for (const auto& sample : profile.samples)
    samples[profile.locations[profile.stacks[sample.stack].front()].function] += 1;
  Weights weights;
  weights.of_time = true;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i] == 0) continue;
    const auto& function = profile.functions[i];
    const std::filesystem::path object = profile.objects[function.object].path;
    weights.functions.push_back(
        {Printable(object.filename().string()), ShownName(function.name), samples[i]});
  }
  return weights;
}

void AddBlocks(const report::Table& table, Weights& weights) {
  const auto object = ColumnOf(table, "object");
  const auto offset = ColumnOf(table, "offset");
  const auto instructions = ColumnOf(table, "instructions");
  const auto executions = ColumnOf(table, "executions");
  if (!object || !offset || !instructions || !executions) return;
  for (const auto& row : table.rows) {
    std::string text = TextIn(row[*offset]);
    if (text.starts_with("0x")) text.erase(0, 2);
    Weights::Block block{TextIn(row[*object]), 0, NumberIn(row[*instructions]),
                         NumberIn(row[*executions])};
    const auto read = std::from_chars(text.data(), text.data() + text.size(), block.offset, 16);
    if (read.ec == std::errc()) weights.blocks.push_back(std::move(block));
  }
}

void WeighFunctions(const FileMix& file, const std::vector<Weights::Function>& rows,
                    WeightedMix& result) {
  // Functions with the same name share its count.
  std::map<std::string, std::pair<double, Counts>> named;
  for (const auto& row : rows) named[row.function].first += row.instructions;
  const auto& functions = file.image->functions();
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto found = named.find(ShownName(functions[i].name));
    if (found != named.end()) Add(file.code->functions()[i].mix, found->second.second);
  }
  for (const auto& [name, sums] : named) {
    const auto& [ran, counts] = sums;
    const auto instructions = static_cast<double>(Sum(counts));
    if (instructions == 0) {
      result.missed += ran;
      continue;
    }
    result.covered += ran;
    result.factor[name] = ran / instructions;
    for (std::size_t c = 0; c < counts.size(); ++c)
      result.counts[c] += ran * static_cast<double>(counts[c]) / instructions;
  }
}

void WeighBlocks(const FileMix& file, const std::vector<Weights::Block>& rows,
                 WeightedMix& result) {
  decode::Decoder decoder(file.image->architecture());
  std::map<std::uint32_t, double> ran;  // by function
  for (const auto& row : rows) {
    const auto address = file.image->AddressOf(row.offset);
    const auto count = static_cast<std::uint64_t>(row.instructions);
    const double all = row.instructions * row.executions;
    std::uint64_t at = address.value_or(0);
    WeightedCounts counts = {};
    bool decoded = address.has_value();
    for (std::uint64_t i = 0; i < count && decoded; ++i) {
      const auto instruction = decoder.TryDecode(file.image->Code(at, 16), at);
      decoded = instruction.has_value();
      if (!decoded) break;
      counts[static_cast<std::size_t>(CategoryOf(*instruction))] += row.executions;
      at += instruction->length;
    }
    (decoded ? result.covered : result.missed) += all;
    if (!decoded) continue;
    for (std::size_t c = 0; c < counts.size(); ++c) result.counts[c] += counts[c];
    ran[file.code->targets().FunctionHolding(*address)] += all;
  }
  for (const auto& [function, instructions] : ran) {
    if (function == code::kNowhere) continue;
    const auto own = static_cast<double>(file.code->functions()[function].mix.Instructions());
    if (own > 0)
      result.factor[ShownName(file.image->functions()[function].name)] = instructions / own;
  }
}

// The rows of this file; rows of other objects are only summed.
template <typename Row, typename Ran>
std::vector<Row> OwnRows(const FileMix& file, const std::vector<Row>& rows, Ran ran,
                         WeightedMix& result) {
  const std::string own = Printable(file.path.filename().string());
  std::vector<Row> kept;
  for (const auto& row : rows) {
    if (row.object == own) {
      kept.push_back(row);
    } else {
      result.of_others += ran(row);
    }
  }
  return kept;
}

}  // namespace

Result<Weights> WeightsFrom(const report::Document& document) {
  Weights weights;
  if (const auto* table = report::FindTable(document, "functions")) AddFunctions(*table, weights);
  if (const auto* table = report::FindTable(document, "blocks")) AddBlocks(*table, weights);
  if (!weights.functions.empty() || !weights.blocks.empty()) return weights;
  return Fail(ErrorKind::kFormat,
              "no counts by function or block; create them with: tare count --per function --top 0 "
              "--save FILE -- PROGRAM");
}

Result<Weights> ReadWeights(const std::filesystem::path& path) {
  if (format::IsProfile(path)) {
    TRY(const auto profile, format::ReadProfile(path));
    return WeightsOf(profile);
  }
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  TRY(const auto text, ReadFile(path, kMaxBytes));
  const auto document = report::FromJson(text);
  if (!document)
    return Fail(document.error().kind,
                fmt::format("{}: {}", Printable(path.string()), document.error().message));
  auto weights = WeightsFrom(*document);
  if (!weights)
    return Fail(weights.error().kind,
                fmt::format("{}: {}", Printable(path.string()), weights.error().message));
  return weights;
}

WeightedMix Weigh(const FileMix& file, const Weights& weights) {
  WeightedMix result;
  // A document of samples has blocks, too, but they say nothing about executions.
  result.of_time = weights.of_time;
  result.by_block = !weights.blocks.empty();
  if (result.by_block) {
    const auto ran = [](const Weights::Block& row) { return row.instructions * row.executions; };
    WeighBlocks(file, OwnRows(file, weights.blocks, ran, result), result);
  } else {
    const auto ran = [](const Weights::Function& row) { return row.instructions; };
    WeighFunctions(file, OwnRows(file, weights.functions, ran, result), result);
  }
  return result;
}

WeightedMix WeighLike(const FileMix& other, const WeightedMix& weighted) {
  WeightedMix result;
  // Clones and parts get the weight of their function.
  std::map<std::string, double> by_base;
  for (const auto& [name, factor] : weighted.factor)
    by_base.try_emplace(name.substr(0, name.find(" [")), factor);
  const auto& functions = other.image->functions();
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto& mix = other.code->functions()[i].mix;
    const auto exact = weighted.factor.find(ShownName(functions[i].name));
    double factor = exact == weighted.factor.end() ? 0 : exact->second;
    if (exact == weighted.factor.end()) {
      const auto base = by_base.find(ShownName(std::string(code::BaseName(functions[i].name))));
      if (base == by_base.end()) continue;
      factor = base->second;
    }
    for (std::size_t c = 0; c < mix.counts.size(); ++c)
      result.counts[c] += factor * static_cast<double>(mix.counts[c]);
    result.covered += factor * static_cast<double>(mix.Instructions());
  }
  return result;
}

}  // namespace tare::mix
