// study_file_parts.cc: executor, metrics of output, exclusions and names of a study file.
#include "analysis/study/study_file_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <set>
#include <thread>

#include "analysis/study/study_metrics.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/units.h"
#include "measure/engine/engine.h"

namespace tare::study {
namespace {

std::vector<std::string_view> Views(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

std::optional<std::uint64_t> WholeLevel(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || after != end) return std::nullopt;
  return number;
}

Result<void> ReadExpression(const TomlTable& table, const std::string& text, const Study& study,
                            OutputMetric& metric) {
  metric.from = OutputMetric::From::kExpression;
  auto expression = MetricExpression::Parse(text);
  if (!expression) return table.FailAtKey("expression", expression.error().message);
  TRY_VOID(RequireMetrics(table, "expression", expression->Names(), study));
  metric.expression = *std::move(expression);
  for (const std::string_view key : {"program", "column", "where"}) {
    if (table.Has(key)) {
      return table.FailAtKey(
          key, fmt::format("{} does not go with an expression, which reads no output", key));
    }
  }
  if (IsGiven(study, metric.name)) {
    return table.FailAtKey("name", fmt::format("there is already a metric '{}'", metric.name));
  }
  return {};
}

Result<OutputMetric> ReadOutputMetric(const TomlTable& table, const Study& study) {
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"name", "unit", "pattern", "json", "table", "expression", "column", "where", "program"});
  TRY_VOID(table.OnlyKeys(kKeys));
  OutputMetric metric;
  TRY(const auto name, table.Text("name"));
  if (!name) return table.FailHere("'name' is missing");
  metric.name = *name;
  TRY(const auto unit, table.Text("unit"));
  metric.unit = unit.value_or("");
  TRY(metric.programs, table.Texts("program"));
  for (const std::string& program : metric.programs) {
    TRY_VOID(RequireLevel(table, "program", "program", program, study));
  }
  TRY(const auto pattern, table.Text("pattern"));
  TRY(const auto json, table.Text("json"));
  TRY(const auto document, table.Text("table"));
  TRY(const auto expression, table.Text("expression"));
  if ((pattern ? 1 : 0) + (json ? 1 : 0) + (document ? 1 : 0) + (expression ? 1 : 0) != 1) {
    return table.FailHere(fmt::format(
        "metric {} needs one of 'pattern', 'json', 'table' and 'expression'", metric.name));
  }
  if (expression) {
    TRY_VOID(ReadExpression(table, *expression, study, metric));
  } else if (pattern) {
    metric.pattern = *pattern;
    // The standard library reports malformed expressions by an exception.
    try {
      if (std::regex(*pattern).mark_count() == 0) {
        return table.FailAtKey("pattern", "the pattern has no group (...) for the number");
      }
    } catch (const std::regex_error& error) {
      return table.FailAtKey("pattern", fmt::format("not a regular expression: {}", error.what()));
    }
  } else if (json) {
    metric.from = OutputMetric::From::kJson;
    metric.pattern = *json;
    if (!json->starts_with('/')) {
      return table.FailAtKey("json", "a JSON pointer starts with /, as in /blocks/0/id");
    }
  } else {
    metric.from = OutputMetric::From::kTable;
    metric.table = *document;
    TRY(const auto column, table.Text("column"));
    if (!column) return table.FailHere("'column' is missing");
    metric.column = *column;
    TRY(const auto where, table.Table("where"));
    if (where) {
      const auto keys = where->Keys();
      if (keys.size() != 1) return where->FailHere("'where' names one column and its text");
      metric.where_column = keys.front();
      TRY(const auto values, where->Values(keys.front()));
      if (values.size() != 1) return where->FailHere("'where' names one column and its text");
      metric.where_text = values.front();
    }
  }
  return metric;
}

Result<std::size_t> ExecutorNumber(const TomlTable& table, std::string_view key,
                                   std::size_t otherwise, std::int64_t min, std::size_t max) {
  TRY(const auto number, table.Number(key, min));
  if (number && *number > max) {
    return table.FailAtKey(key, fmt::format("{} must be {} or less", key, max));
  }
  return number.value_or(otherwise);
}

// Exact counts do not depend on what else runs; commands that prepare runs could disturb each
// other.
std::size_t UsualRunsAtOnce(const Study& study) {
  const bool exact = std::ranges::all_of(study.engines, [](const StudyEngine& used) {
    const auto engine = engine::ParseEngine(used.name);
    return engine && engine::Row(*engine).sees_instructions;
  });
  const bool prepares = std::ranges::any_of(
      study.programs, [](const StudyProgram& program) { return !program.prepare.empty(); });
  return exact && !prepares ? std::max(1U, std::thread::hardware_concurrency()) : 1;
}

}  // namespace

std::vector<std::string> InOrderOfFile(const TomlTable& table) {
  std::vector<std::string> keys = table.Keys();
  std::ranges::stable_sort(keys, {}, [&](const std::string& key) {
    const TomlPlace place = table.PlaceOf(key);
    return std::pair(place.line, place.column);
  });
  return keys;
}

Result<void> RequireFactor(const TomlTable& table, std::string_view key, const std::string& name,
                           const Study& study) {
  const auto names = FactorNames(study);
  if (std::ranges::find(names, name) != names.end()) return {};
  return table.FailAtKey(key,
                         fmt::format("there is no factor '{}'{}; there are {}", Printable(name),
                                     DidYouMean(name, Views(names)), fmt::join(names, ", ")));
}

Result<void> RequireLevel(const TomlTable& table, std::string_view key, const std::string& factor,
                          const std::string& level, const Study& study) {
  const auto levels = LevelsOf(study, factor);
  if (std::ranges::find(levels, level) != levels.end()) return {};
  std::vector<std::string> shown(
      levels.begin(),
      levels.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(levels.size(), 10)));
  return table.FailAtKey(
      key, fmt::format("{} has no level '{}'{}; it has {}{}", factor, Printable(level),
                       DidYouMean(level, Views(levels)), fmt::join(shown, ", "),
                       shown.size() < levels.size() ? ", ..." : ""));
}

Result<Levels> ReadLevels(const TomlTable& table, const Study& study, std::string_view but) {
  Levels levels;
  for (const std::string& factor : table.Keys()) {
    if (factor == but) continue;
    TRY_VOID(RequireFactor(table, factor, factor, study));
    TRY(const auto values, table.Values(factor));
    if (values.size() != 1) {
      return table.FailAtKey(factor, fmt::format("{} must be one value here", factor));
    }
    TRY_VOID(RequireLevel(table, factor, factor, values.front(), study));
    levels[factor] = values.front();
  }
  return levels;
}

Result<void> RequireDifferent(const TomlTable& table, std::string_view key,
                              std::span<const std::string> texts) {
  std::set<std::string_view> seen;
  for (const std::string& text : texts) {
    if (seen.insert(text).second) continue;
    return table.FailAtKey(key, fmt::format("{} has '{}' twice", key, Printable(text)));
  }
  return {};
}

Result<void> RequireOwnLevels(const TomlTable& table, const Study& study,
                              const StudyProgram& program) {
  if (program.levels.empty()) return {};
  TRY(const auto parameters, table.Table("parameters"));
  for (const auto& [name, levels] : program.levels) {
    const bool is_parameter = std::ranges::any_of(study.factors, [&](const StudyFactor& factor) {
      return factor.name == name && factor.kind == StudyFactor::Kind::kParameter;
    });
    if (!is_parameter) {
      std::vector<std::string_view> known;
      for (const StudyFactor& factor : study.factors) {
        if (factor.kind == StudyFactor::Kind::kParameter) known.push_back(factor.name);
      }
      return parameters->FailAtKey(name, fmt::format("[parameters] has no '{}'{}", Printable(name),
                                                     DidYouMeanOrAll(name, known, "there are")));
    }
    for (const std::string& level : levels) {
      TRY_VOID(RequireLevel(*parameters, name, name, level, study));
    }
  }
  return {};
}

std::vector<std::string> FactorNames(const Study& study) {
  std::vector<std::string> names = {"program", "input", "engine"};
  const bool has_variants = std::ranges::any_of(
      study.programs, [](const StudyProgram& program) { return !program.variants.empty(); });
  if (has_variants) names.emplace_back("variant");
  for (const StudyFactor& factor : study.factors) names.push_back(factor.name);
  if (study.layouts > 0) names.emplace_back("layout");
  if (study.executor.kind == ExecutorPlan::Kind::kSlurm) names.emplace_back("node");
  return names;
}

std::vector<std::string> LevelsOf(const Study& study, const std::string& factor) {
  std::vector<std::string> levels;
  if (factor == "program") {
    for (const StudyProgram& program : study.programs) levels.push_back(program.name);
  } else if (factor == "input") {
    for (const StudyInput& input : study.inputs) levels.push_back(input.name);
  } else if (factor == "engine") {
    for (const StudyEngine& engine : study.engines) levels.push_back(engine.name);
  } else if (factor == "variant") {
    for (const StudyProgram& program : study.programs) {
      for (const StudyVariant& variant : program.variants) {
        if (std::ranges::find(levels, variant.name) == levels.end()) levels.push_back(variant.name);
      }
    }
  } else if (factor == "node") {
    levels = study.executor.nodes;
  } else if (factor == "layout") {
    for (std::size_t i = 0; i < study.layouts; ++i) levels.push_back(std::to_string(i));
  } else {
    const auto found = std::ranges::find(study.factors, factor, &StudyFactor::name);
    if (found != study.factors.end()) levels = found->levels;
  }
  return levels;
}

std::optional<std::string> WrongSetting(const StudyFactor& factor) {
  for (const std::string& level : factor.levels) {
    if (factor.name == "aslr") {
      if (level != "true" && level != "false") return "aslr must be true or false";
    } else if (factor.name == "huge_pages") {
      if (level != "on" && level != "off") return "huge_pages must be \"on\" or \"off\"";
    } else if (!WholeLevel(level)) {
      return fmt::format("{} must be a whole number", factor.name);
    } else {
      run::Setting setting;
      ApplySetting(factor.name, level, setting);
      if (const auto sound = run::RequireSound(setting); !sound) return sound.error().message;
    }
  }
  return std::nullopt;
}

void ApplySetting(const std::string& name, const std::string& level, run::Setting& setting) {
  const std::uint64_t number = WholeLevel(level).value_or(0);
  if (name == "core") setting.core = static_cast<unsigned>(number);
  if (name == "env_bytes") setting.environment.bytes = number;
  if (name == "argv0_length") setting.argv0_length = number;
  if (name == "cwd_length") setting.cwd_length = number;
  if (name == "stack_offset") setting.layout.stack_bytes = number;
  if (name == "heap_offset") setting.layout.heap_bytes = number;
  if (name == "mapping_offset") setting.layout.mapping_bytes = number;
  if (name == "aslr") setting.randomize_addresses = level == "true";
  if (name == "huge_pages") setting.huge_pages = level == "on";
}

Result<void> ReadOutputMetrics(const TomlTable& root, Study& study) {
  TRY(const auto tables, root.Tables("metric"));
  for (const TomlTable& table : tables) {
    TRY(auto metric, ReadOutputMetric(table, study));
    const bool twice = std::ranges::any_of(study.output_metrics, [&](const OutputMetric& other) {
      return other.name == metric.name &&
             (other.programs.empty() || metric.programs.empty() ||
              std::ranges::any_of(other.programs, [&](const std::string& program) {
                return std::ranges::find(metric.programs, program) != metric.programs.end();
              }));
    });
    if (twice) {
      return table.FailAtKey("name", fmt::format("two metrics have the name '{}'", metric.name));
    }
    study.output_metrics.push_back(std::move(metric));
  }
  TRY(study.metrics, root.Texts("metrics"));
  TRY_VOID(RequireMetrics(root, "metrics", study.metrics, study));
  return RequirePrecision(root, study);
}

Result<void> ReadExclusions(const TomlTable& root, Study& study) {
  TRY(const auto tables, root.Tables("exclude"));
  for (const TomlTable& table : tables) {
    TRY(auto levels, ReadLevels(table, study));
    if (levels.empty()) return table.FailHere("an empty [[exclude]] would leave out everything");
    study.excluded.push_back(std::move(levels));
  }
  return {};
}

Result<void> ReadExecutor(const TomlTable& root, Study& study) {
  ExecutorPlan& executor = study.executor;
  executor.exclusive = std::ranges::any_of(
      study.engines, [](const StudyEngine& engine) { return engine.name == "time"; });
  executor.runs_at_once = UsualRunsAtOnce(study);
  TRY(const auto table, root.Table("executor"));
  if (!table) return {};
  constexpr auto kKeys = std::to_array<std::string_view>(
      {"kind", "exclusive", "runs_at_once", "nodes", "partition", "time_limit", "options", "batch",
       "tasks_at_once", "tasks_per_job", "jobs_at_once", "retries"});
  TRY_VOID(table->OnlyKeys(kKeys));
  TRY(const auto kind, table->Text("kind"));
  constexpr auto kKinds = std::to_array<std::string_view>({"local", "slurm"});
  if (kind && std::ranges::find(kKinds, *kind) == kKinds.end()) {
    return table->FailAtKey("kind", fmt::format("there is no executor '{}'{}; there are local, "
                                                "slurm",
                                                Printable(*kind), DidYouMean(*kind, kKinds)));
  }
  const bool is_slurm = kind == "slurm";
  executor.kind = is_slurm ? ExecutorPlan::Kind::kSlurm : ExecutorPlan::Kind::kLocal;
  if (table->Has("exclusive")) {
    TRY(executor.exclusive, table->Flag("exclusive"));
  }
  constexpr auto kLocalKeys =
      std::to_array<std::string_view>({"kind", "exclusive", "runs_at_once"});
  for (const std::string_view key : kKeys) {
    const bool is_local = std::ranges::find(kLocalKeys, key) != kLocalKeys.end();
    if (!is_slurm && !is_local && table->Has(key)) {
      return table->FailAtKey(key, fmt::format("{} needs kind = \"slurm\"", key));
    }
  }
  if (executor.exclusive) executor.runs_at_once = 1;
  TRY(executor.runs_at_once,
      ExecutorNumber(*table, "runs_at_once", executor.runs_at_once, 1, 1000));
  if (table->Has("runs_at_once") && is_slurm) {
    return table->FailAtKey("runs_at_once", "runs_at_once needs kind = \"local\"");
  }
  if (executor.runs_at_once > 1 && executor.exclusive) {
    return table->FailAtKey("runs_at_once",
                            "more than one run at once needs exclusive = false: runs that are "
                            "timed would disturb each other");
  }
  TRY(executor.nodes, table->Texts("nodes"));
  TRY_VOID(RequireDifferent(*table, "nodes", executor.nodes));
  TRY(const auto partition, table->Text("partition"));
  executor.partition = partition.value_or("");
  TRY(executor.options, table->Texts("options"));
  TRY(executor.batch, ExecutorNumber(*table, "batch", 10, 1, 10'000));
  TRY(executor.tasks_at_once, ExecutorNumber(*table, "tasks_at_once", 50, 1, 10'000));
  TRY(executor.tasks_per_job, ExecutorNumber(*table, "tasks_per_job", 500, 1, 100'000));
  TRY(executor.jobs_at_once, ExecutorNumber(*table, "jobs_at_once", 2, 1, 1000));
  TRY(executor.retries, ExecutorNumber(*table, "retries", 3, 0, 1000));
  TRY(const auto limit, table->Text("time_limit"));
  if (!limit) return {};
  const auto seconds = ParseDuration(*limit);
  if (!seconds || !(*seconds > 0)) {
    return table->FailAtKey("time_limit", "time_limit must be a time, such as \"10min\"");
  }
  if (*seconds < 60) {
    return table->FailAtKey("time_limit",
                            "time_limit must be 1min or more, because Slurm's limits are whole "
                            "minutes; 'timeout' at the top of the file limits a run");
  }
  executor.time_limit_seconds = *seconds;
  return {};
}

}  // namespace tare::study
