// study_file.cc: programs, inputs, factors and limits of a study file.
#include "analysis/study/study_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "analysis/compare/command_words.h"
#include "analysis/study/study_file_parts.h"
#include "base/file.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/toml_table.h"
#include "base/units.h"
#include "measure/engine/engine.h"

namespace tare::study {
namespace {

constexpr std::uint64_t kMaxFileBytes = 4 << 20;
// Repetitions of one case.
constexpr std::uint64_t kMaxRuns = 10'000'000;

using Keys = std::span<const std::string_view>;

constexpr auto kTopKeys = std::to_array<std::string_view>(
    {"format",  "setup",    "name",       "description",  "seed",        "engines",    "metrics",
     "runs",    "warmup",   "timeout",    "max_failures", "budget",      "confidence", "precision",
     "program", "input",    "parameters", "settings",     "environment", "engine",     "exclude",
     "metric",  "analysis", "report",     "executor"});
constexpr auto kProgramKeys = std::to_array<std::string_view>(
    {"name", "command", "stdin", "environment", "directory", "exit_status", "prepare", "engines",
     "parameters", "variants", "build"});
constexpr auto kInputKeys = std::to_array<std::string_view>({"name", "file", "value", "files"});
constexpr auto kSettingKeys = std::to_array<std::string_view>(
    {"layouts", "core", "env_bytes", "argv0_length", "cwd_length", "stack_offset", "heap_offset",
     "mapping_offset", "aslr", "huge_pages"});
constexpr auto kReservedNames =
    std::to_array<std::string_view>({"program", "input", "engine", "variant", "flags", "node",
                                     "layout", "tare", "files", "metric"});

Result<std::string> RequiredText(const TomlTable& table, std::string_view key) {
  TRY(auto text, table.Text(key));
  if (!text) return table.FailHere(fmt::format("'{}' is missing", key));
  return *std::move(text);
}

bool IsName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

Result<void> ReadEnvironment(const TomlTable& table, StudyProgram& program) {
  TRY(const auto variables, table.Table("environment"));
  if (!variables) return {};
  for (const std::string& name : variables->Keys()) {
    TRY(const auto values, variables->Values(name));
    if (values.size() != 1) {
      return variables->FailAtKey(
          name, fmt::format("{} must be one value; a list belongs into [environment]", name));
    }
    program.environment.emplace_back(name, values.front());
  }
  return {};
}

Result<void> ReadEnginesOf(const TomlTable& table, const Study& study, StudyProgram& program) {
  TRY(program.engines, table.Texts("engines"));
  TRY_VOID(RequireDifferent(table, "engines", program.engines));
  const std::vector<std::string> of_study = LevelsOf(study, "engine");
  const std::vector<std::string_view> known(of_study.begin(), of_study.end());
  for (const std::string& name : program.engines) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return table.FailAtKey(
        "engines", fmt::format("the engine '{}' is not in the study's 'engines'{}", Printable(name),
                               DidYouMean(name, known)));
  }
  return {};
}

// Names, or a table of names and their flags, in the order of the file.
Result<void> ReadVariants(const TomlTable& table, StudyProgram& program) {
  std::vector<std::string> names;
  if (table.IsTable("variants")) {
    TRY(const auto variants, table.Table("variants"));
    names = InOrderOfFile(*variants);
    for (const std::string& name : names) {
      TRY(const auto flags, variants->Values(name));
      program.variants.push_back({name, fmt::format("{}", fmt::join(flags, " "))});
    }
  } else {
    TRY(names, table.Texts("variants"));
    TRY_VOID(RequireDifferent(table, "variants", names));
    for (const std::string& name : names) program.variants.push_back({name, ""});
  }
  if (table.Has("variants") && names.empty()) {
    return table.FailAtKey("variants", "variants is empty");
  }
  for (const std::string& name : names) {
    if (!IsName(name)) {
      return table.FailAtKey(
          "variants",
          fmt::format("'{}' is not a name: use letters, digits, _ and -", Printable(name)));
    }
  }
  TRY(const auto build, table.Text("build"));
  program.build = build.value_or("");
  return {};
}

// Some of the levels of [parameters]; checked once those are read.
Result<void> ReadOwnLevels(const TomlTable& table, StudyProgram& program) {
  TRY(const auto parameters, table.Table("parameters"));
  if (!parameters) return {};
  for (const std::string& name : parameters->Keys()) {
    TRY(auto levels, parameters->Values(name));
    if (levels.empty()) return parameters->FailAtKey(name, fmt::format("{} has no values", name));
    TRY_VOID(RequireDifferent(*parameters, name, levels));
    program.levels[name] = std::move(levels);
  }
  return {};
}

Result<StudyProgram> ReadProgram(const TomlTable& table, const Study& study) {
  TRY_VOID(table.OnlyKeys(kProgramKeys));
  StudyProgram program;
  TRY(program.name, RequiredText(table, "name"));
  if (!table.Has("command")) return table.FailHere("'command' is missing");
  if (table.IsText("command")) {
    TRY(const auto command, table.Text("command"));
    auto words = compare::SplitCommand(*command, R"(write ["sh", "-c", "..."])");
    if (!words) return table.FailAtKey("command", words.error().message);
    program.words = *std::move(words);
  } else {
    TRY(program.words, table.Texts("command"));
    if (program.words.empty()) return table.FailAtKey("command", "command is empty");
  }
  TRY(const auto input, table.Text("stdin"));
  program.input = input.value_or("");
  TRY(const auto directory, table.Text("directory"));
  program.directory = directory.value_or("");
  TRY(const auto prepare, table.Text("prepare"));
  program.prepare = prepare.value_or("");
  TRY_VOID(ReadEnvironment(table, program));
  TRY_VOID(ReadEnginesOf(table, study, program));
  TRY_VOID(ReadVariants(table, program));
  TRY_VOID(ReadOwnLevels(table, program));
  TRY(const auto statuses, table.Values("exit_status"));
  if (!statuses.empty()) program.exit_statuses.clear();
  for (const std::string& text : statuses) {
    int status = -1;
    const char* end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, status);
    if (error != std::errc() || after != end || status < 0 || status > 255) {
      return table.FailAtKey("exit_status", "exit_status must be from 0 to 255");
    }
    program.exit_statuses.insert(status);
  }
  return program;
}

std::vector<std::string> FilesLike(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return files;
}

Result<void> ReadInput(const TomlTable& table, Study& study) {
  TRY_VOID(table.OnlyKeys(kInputKeys));
  TRY(const auto pattern, table.Text("files"));
  if (pattern) {
    if (table.Has("file") || table.Has("value") || table.Has("name")) {
      return table.FailAtKey("files", "'files' takes the names from the files; give nothing else");
    }
    const auto files = FilesLike((study.directory / *pattern).string());
    if (files.empty()) {
      return table.FailAtKey("files", fmt::format("no file matches {}", Printable(*pattern)));
    }
    for (const std::string& file : files) {
      study.inputs.push_back({std::filesystem::path(file).filename().string(), file, true});
    }
    return {};
  }
  StudyInput input;
  TRY(input.name, RequiredText(table, "name"));
  if (table.Has("file") == table.Has("value")) {
    return table.FailHere(fmt::format("input {} needs either 'file' or 'value'", input.name));
  }
  input.is_file = table.Has("file");
  TRY(const auto text, table.Values(input.is_file ? "file" : "value"));
  if (text.size() != 1) return table.FailHere("an input has one value; write several [[input]]");
  input.text =
      input.is_file ? (study.directory / text.front()).lexically_normal().string() : text.front();
  study.inputs.push_back(std::move(input));
  return {};
}

Result<void> AddFactor(const TomlTable& table, std::string_view key, StudyFactor::Kind kind,
                       Study& study) {
  StudyFactor factor{std::string(key), kind, {}};
  if (!IsName(factor.name)) {
    return table.FailAtKey(
        key, fmt::format("'{}' is not a name: use letters, digits, _ and -", Printable(key)));
  }
  TRY(factor.levels, table.Values(key));
  if (factor.levels.empty()) return table.FailAtKey(key, fmt::format("{} has no values", key));
  TRY_VOID(RequireDifferent(table, key, factor.levels));
  const bool taken =
      std::ranges::find(kReservedNames, key) != kReservedNames.end() ||
      std::ranges::any_of(study.factors, [&](const auto& other) { return other.name == key; });
  if (taken) return table.FailAtKey(key, fmt::format("the name '{}' is already used", key));
  study.factors.push_back(std::move(factor));
  return {};
}

Result<void> ReadFactors(const TomlTable& root, Study& study) {
  TRY(const auto parameters, root.Table("parameters"));
  if (parameters) {
    for (const std::string& name : parameters->Keys()) {
      TRY_VOID(AddFactor(*parameters, name, StudyFactor::Kind::kParameter, study));
    }
  }
  TRY(const auto settings, root.Table("settings"));
  if (settings) {
    TRY_VOID(settings->OnlyKeys(kSettingKeys));
    for (const std::string& name : settings->Keys()) {
      if (name == "layouts") continue;
      TRY_VOID(AddFactor(*settings, name, StudyFactor::Kind::kSetting, study));
      const auto wrong = WrongSetting(study.factors.back());
      if (wrong) return settings->FailAtKey(name, *wrong);
    }
    TRY(const auto layouts, settings->Number("layouts", 1));
    study.layouts = layouts.value_or(0);
    if (study.layouts > 64) return settings->FailAtKey("layouts", "layouts must be 64 or fewer");
    const auto aslr = LevelsOf(study, "aslr");
    if (study.layouts > 0 && std::ranges::find(aslr, "true") != aslr.end()) {
      return settings->FailAtKey(
          "aslr", "layouts fixes all addresses, so aslr = true cannot be used with it");
    }
  }
  TRY(const auto variables, root.Table("environment"));
  if (!variables) return {};
  for (const std::string& name : variables->Keys()) {
    TRY_VOID(AddFactor(*variables, name, StudyFactor::Kind::kVariable, study));
  }
  return {};
}

Result<std::optional<double>> Duration(const TomlTable& table, std::string_view key) {
  TRY(const auto text, table.Text(key));
  if (!text) return std::nullopt;
  const auto seconds = ParseDuration(*text);
  if (!seconds) {
    return table.FailAtKey(key, fmt::format("{}: {}", key, seconds.error().message));
  }
  if (!(*seconds > 0)) return table.FailAtKey(key, fmt::format("{} must be more than 0", key));
  return *seconds;
}

Result<std::size_t> WholeOr(const TomlTable& table, std::string_view key, std::int64_t min,
                            std::size_t otherwise) {
  TRY(const auto number, table.Number(key, min));
  if (number && *number > kMaxRuns) {
    return table.FailAtKey(key, fmt::format("{} must be {} or less", key, kMaxRuns));
  }
  return number.value_or(otherwise);
}

Result<void> ReadLimits(const TomlTable& root, Study& study) {
  TRY(study.runs, WholeOr(root, "runs", 1, 10));
  TRY(study.warm_up_runs, WholeOr(root, "warmup", 0, 0));
  TRY(study.max_failures, WholeOr(root, "max_failures", 1, 3));
  TRY(study.timeout_seconds, Duration(root, "timeout"));
  TRY(study.budget_seconds, Duration(root, "budget"));
  TRY(const auto confidence, root.Real("confidence"));
  study.confidence = confidence.value_or(0.95);
  if (!(study.confidence > 0 && study.confidence < 1)) {
    return root.FailAtKey("confidence", "confidence must be between 0 and 1");
  }
  TRY(const auto table, root.Table("precision"));
  if (!table) return {};
  constexpr auto kKeys = std::to_array<std::string_view>({"width", "metric", "max_runs"});
  TRY_VOID(table->OnlyKeys(kKeys));
  PrecisionRule rule;
  TRY(const auto width, RequiredText(*table, "width"));
  const auto percent = ParsePercent(width);
  if (!percent) return table->FailAtKey("width", "width must be a percentage, such as \"2%\"");
  rule.relative_width = *percent;
  TRY(const auto metric, table->Text("metric"));
  if (metric) rule.metric = *metric;
  TRY(rule.max_runs, WholeOr(*table, "max_runs", 1, std::max<std::size_t>(100, study.runs)));
  if (rule.max_runs < study.runs) {
    return table->FailAtKey("max_runs", "max_runs must be at least as large as runs");
  }
  study.precision = rule;
  return {};
}

Result<void> ReadEngines(const TomlTable& root, Study& study) {
  std::vector<std::string_view> known = {"time"};
  for (const engine::EngineRow& row : engine::EngineTable()) known.push_back(row.name);
  TRY(auto names, root.Texts("engines"));
  if (names.empty()) {
    if (root.Has("engines")) return root.FailAtKey("engines", "engines is empty");
    names = {"time"};
  }
  TRY_VOID(RequireDifferent(root, "engines", names));
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      return root.FailAtKey("engines",
                            fmt::format("there is no engine '{}'{}; there are {}", Printable(name),
                                        DidYouMean(name, known), fmt::join(known, ", ")));
    }
    StudyEngine engine{name, 0, "", std::nullopt};
    const bool counts = name != "time" && name != "hardware" && name != "kernel";
    engine.runs = counts ? std::min<std::size_t>(study.runs, 2) : study.runs;
    study.engines.push_back(std::move(engine));
  }
  TRY(const auto tables, root.Table("engine"));
  if (!tables) return {};
  for (const std::string& name : tables->Keys()) {
    const auto found = std::ranges::find(study.engines, name, &StudyEngine::name);
    if (found == study.engines.end()) {
      return tables->FailAtKey(name, fmt::format("engine.{} is not in 'engines'", Printable(name)));
    }
    TRY(const auto table, tables->Table(name));
    constexpr auto kKeys = std::to_array<std::string_view>({"runs", "machine", "timeout"});
    TRY_VOID(table->OnlyKeys(kKeys));
    TRY(found->runs, WholeOr(*table, "runs", 1, found->runs));
    TRY(const auto machine, table->Text("machine"));
    found->machine = machine.value_or("");
    if (machine && name != "virtual") {
      return table->FailAtKey("machine", "only the engine virtual models a machine");
    }
    TRY(found->timeout_seconds, Duration(*table, "timeout"));
  }
  return {};
}

Result<void> RequireDifferentNames(const TomlTable& root, const Study& study) {
  std::set<std::string> names;
  for (const StudyProgram& program : study.programs) {
    if (!names.insert(program.name).second) {
      return root.FailAtKey("program",
                            fmt::format("two programs have the name '{}'", program.name));
    }
  }
  names.clear();
  for (const StudyInput& input : study.inputs) {
    if (!names.insert(input.name).second) {
      return root.FailAtKey("input", fmt::format("two inputs have the name '{}'", input.name));
    }
  }
  return {};
}

}  // namespace

std::optional<double> ParsePercent(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || after != end || !(number > 0) || !(number < 100)) return std::nullopt;
  return number / 100;
}

Result<Study> ParseStudy(std::string_view text, const std::filesystem::path& path,
                         const std::filesystem::path& directory) {
  TRY(const TomlFile file, TomlFile::Parse(text, path));
  const TomlTable root = file.Root();
  Study study;
  study.path = path;
  study.directory = directory;
  study.text = text;
  TRY(const auto format, root.Number("format", 0));
  if (!format) return root.FailHere("'format = 1' is missing: this is not a study file");
  if (*format != kStudyFormat) {
    return root.FailAtKey(
        "format",
        fmt::format("this file has format {}, this tare reads format {}", *format, kStudyFormat));
  }
  TRY_VOID(root.OnlyKeys(kTopKeys));
  TRY(const auto name, root.Text("name"));
  study.name = name.value_or(path.stem().string());
  TRY(const auto description, root.Text("description"));
  study.description = description.value_or("");
  TRY(const auto setup, root.Text("setup"));
  study.setup = setup.value_or("");
  TRY(const auto seed, root.Number("seed", 0));
  study.seed = seed.value_or(1);
  TRY_VOID(ReadLimits(root, study));
  TRY_VOID(ReadEngines(root, study));
  TRY(const auto programs, root.Tables("program"));
  if (programs.empty()) return root.FailHere("there is no [[program]]");
  for (const TomlTable& table : programs) {
    TRY(auto program, ReadProgram(table, study));
    study.programs.push_back(std::move(program));
  }
  TRY(const auto inputs, root.Tables("input"));
  for (const TomlTable& table : inputs) TRY_VOID(ReadInput(table, study));
  TRY_VOID(RequireDifferentNames(root, study));
  TRY_VOID(ReadFactors(root, study));
  for (std::size_t i = 0; i < programs.size(); ++i) {
    TRY_VOID(RequireOwnLevels(programs[i], study, study.programs[i]));
  }
  TRY_VOID(ReadExecutor(root, study));
  TRY_VOID(ReadOutputMetrics(root, study));
  TRY_VOID(ReadExclusions(root, study));
  TRY_VOID(ReadAnalyses(root, study));
  return study;
}

Result<Study> ReadStudy(const std::filesystem::path& path) {
  TRY(const std::string text, ReadFile(path, kMaxFileBytes));
  std::error_code error;
  const auto absolute = std::filesystem::canonical(path, error);
  if (error) return std::unexpected(SystemError("read", path, error.value()));
  return ParseStudy(text, path, absolute.parent_path());
}

}  // namespace tare::study
