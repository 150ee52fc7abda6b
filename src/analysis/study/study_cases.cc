// study_cases.cc: the product of all factors, and the words of each command.
#include "analysis/study/study_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/study/study_file_parts.h"
#include "base/check.h"
#include "base/json_writer.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/sha256.h"

namespace tare::study {
namespace {

// The names in braces, as in "gzip -{level}".
std::vector<std::string> NamesIn(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  std::vector<std::string> names;
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > at + 1 && end < text.size() && text[end] == '}') {
      names.emplace_back(text.substr(at + 1, end - at - 1));
    }
  }
  return names;
}

std::string ReplaceAll(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

using Replacements = std::map<std::string, std::string>;

// In one pass: braces in a value stay.
std::string Replaced(std::string_view text, const Replacements& replacements) {
  std::string replaced;
  while (true) {
    const std::size_t open = text.find('{');
    replaced += text.substr(0, open);
    if (open == std::string_view::npos) return replaced;
    text.remove_prefix(open);
    const std::size_t end = text.find('}');
    const auto found = end == std::string_view::npos
                           ? replacements.end()
                           : replacements.find(std::string(text.substr(1, end - 1)));
    const bool is_known = found != replacements.end();
    replaced += is_known ? found->second : "{";
    text.remove_prefix(is_known ? end + 1 : 1);
  }
}

// All texts of a program in which names are replaced.
std::vector<std::string> TextsOf(const StudyProgram& program) {
  std::vector<std::string> texts = program.words;
  texts.push_back(program.input);
  texts.push_back(program.directory);
  texts.push_back(program.prepare);
  for (const auto& [name, value] : program.environment) texts.push_back(value);
  return texts;
}

const StudyVariant* FindVariant(const StudyProgram& program, const std::string& name) {
  const auto found = std::ranges::find(program.variants, name, &StudyVariant::name);
  return found == program.variants.end() ? nullptr : &*found;
}

class CaseMaker {
 public:
  CaseMaker(const Study& study, std::string tare) : study_(study), tare_(std::move(tare)) {}

  Result<StudyCases> All() {
    cases_.factors = FactorNames(study_);
    const std::vector<std::string_view> factors(cases_.factors.begin(), cases_.factors.end());
    for (const OutputMetric& metric : study_.output_metrics) {
      for (const std::string& name : NamesIn(metric.where_text)) {
        if (std::ranges::find(factors, name) != factors.end()) continue;
        return Wrong(fmt::format("metric {}: nothing replaces {{{}}}{}", metric.name, name,
                                 DidYouMeanOrAll(name, factors, "there are")));
      }
    }
    std::set<std::string> used;
    for (std::size_t p = 0; p < study_.programs.size(); ++p) {
      TRY_VOID(AddProgram(p, used));
    }
    for (const StudyFactor& factor : study_.factors) {
      if (factor.kind == StudyFactor::Kind::kParameter && !used.contains(factor.name)) {
        return Wrong(fmt::format("no program names the parameter '{}'; write {{{}}} in a command",
                                 factor.name, factor.name));
      }
    }
    if (!study_.inputs.empty() && !used.contains("input")) {
      return Wrong("there are inputs, but no program names {input}");
    }
    if (cases_.cases.empty()) return Wrong("[[exclude]] leaves out every combination");
    std::set<std::string_view> keys;
    for (const StudyCase& one : cases_.cases) CHECK(keys.insert(one.key).second);
    for (std::size_t i = 0; i < cases_.factors.size(); ++i) {
      const std::string& first = cases_.cases.front().levels[i];
      cases_.varies.push_back(std::ranges::any_of(
          cases_.cases, [&](const StudyCase& one) { return one.levels[i] != first; }));
    }
    return std::move(cases_);
  }

 private:
  std::unexpected<Error> Wrong(const std::string& message) const {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: {}", Printable(study_.path.string()), message));
  }

  Result<void> AddProgram(std::size_t index, std::set<std::string>& used) {
    const StudyProgram& program = study_.programs[index];
    std::vector<std::string_view> known = {"input", "tare", "files"};
    for (const StudyFactor& factor : study_.factors) {
      if (factor.kind == StudyFactor::Kind::kParameter) known.push_back(factor.name);
    }
    if (!program.variants.empty()) known.insert(known.end(), {"variant", "flags"});
    std::set<std::string> named;
    for (const std::string& text : TextsOf(program)) {
      for (const std::string& name : NamesIn(text)) {
        if (std::ranges::find(known, name) == known.end()) {
          return Wrong(fmt::format("program {}: nothing replaces {{{}}}{}; known are {}",
                                   program.name, name, DidYouMean(name, known),
                                   fmt::join(known, ", ")));
        }
        named.insert(name);
      }
    }
    TRY_VOID(RequireBuild(program, named));
    used.insert(named.begin(), named.end());
    if (named.contains("input") && study_.inputs.empty()) {
      return Wrong(
          fmt::format("program {} names {{input}}, but there is no [[input]]", program.name));
    }
    // The factors that apply to this program, each with its levels; index by factor.
    std::vector<std::vector<std::string>> levels;
    for (const std::string& factor : cases_.factors) {
      std::vector<std::string> own = LevelsOf(study_, factor);
      if (factor == "program") own = {program.name};
      if (factor == "engine" && !program.engines.empty()) own = program.engines;
      if (factor == "variant") {
        own.clear();
        for (const StudyVariant& variant : program.variants) own.push_back(variant.name);
      }
      if (const auto some = program.levels.find(factor); some != program.levels.end()) {
        own = some->second;
      }
      if (factor == "input" && !named.contains("input")) own = {""};
      const auto found = std::ranges::find(study_.factors, factor, &StudyFactor::name);
      if (found != study_.factors.end() && found->kind == StudyFactor::Kind::kParameter &&
          !named.contains(factor)) {
        own = {""};
      }
      if (own.empty()) own = {""};
      levels.push_back(std::move(own));
    }
    return AddProduct(index, levels);
  }

  // The builds of one program are different files, so the command names what the build names.
  Result<void> RequireBuild(const StudyProgram& program, const std::set<std::string>& named) const {
    if (!program.variants.empty() && !named.contains("variant")) {
      return Wrong(fmt::format("program {} has variants, but its command does not name {{variant}}",
                               program.name));
    }
    for (const auto& [parameter, levels] : program.levels) {
      if (!named.contains(parameter)) {
        return Wrong(fmt::format("program {} has its own values of '{}', but does not name {{{}}}",
                                 program.name, parameter, parameter));
      }
    }
    for (const std::string& name : NamesIn(program.build)) {
      if (name == "tare" || (name == "flags" && !program.variants.empty())) continue;
      if (!named.contains(name) || name == "files" || name == "input") {
        return Wrong(fmt::format(
            "program {}: 'build' names {{{}}}, but the command does not: each build needs a file "
            "of its own",
            program.name, name));
      }
    }
    return {};
  }

  Result<void> AddProduct(std::size_t program,
                          const std::vector<std::vector<std::string>>& levels) {
    std::size_t combinations = 1;
    for (const auto& own : levels) {
      combinations *= own.size();
      if (combinations > kMaxCases) break;
    }
    if (combinations + cases_.cases.size() > kMaxCases) {
      return Wrong(fmt::format("there are more than {} combinations", kMaxCases));
    }
    std::vector<std::size_t> at(levels.size(), 0);
    while (true) {
      StudyCase one;
      one.program = program;
      for (std::size_t i = 0; i < levels.size(); ++i) one.levels.push_back(levels[i][at[i]]);
      if (!IsExcluded(one)) {
        TRY_VOID(Complete(one));
        cases_.cases.push_back(std::move(one));
      }
      std::size_t digit = levels.size();
      while (digit > 0 && ++at[digit - 1] == levels[digit - 1].size()) at[--digit] = 0;
      if (digit == 0) return {};
    }
  }

  bool IsExcluded(const StudyCase& one) const {
    return std::ranges::any_of(study_.excluded, [&](const Levels& levels) {
      return std::ranges::all_of(levels, [&](const auto& level) {
        return one.levels[cases_.FactorIndex(level.first)] == level.second;
      });
    });
  }

  Result<void> Complete(StudyCase& one) {
    const StudyProgram& program = study_.programs[one.program];
    Replacements replacements = {{"tare", tare_}};
    run::Setting& setting = one.setting;
    std::string machine;
    for (std::size_t i = 0; i < cases_.factors.size(); ++i) {
      const std::string& factor = cases_.factors[i];
      const std::string& level = one.levels[i];
      if (factor == "engine") {
        one.engine = static_cast<std::size_t>(
            std::ranges::find(study_.engines, level, &StudyEngine::name) - study_.engines.begin());
      } else if (factor == "input" && !level.empty()) {
        const auto input = std::ranges::find(study_.inputs, level, &StudyInput::name);
        one.input = static_cast<std::size_t>(input - study_.inputs.begin());
        replacements["input"] = input->text;
      } else if (factor == "variant" && !level.empty()) {
        replacements["variant"] = level;
        replacements["flags"] = FindVariant(program, level)->flags;
      } else if (factor == "layout") {
        one.layout = std::stoul(level);
      } else if (factor == "node") {
        one.node = level;
      } else if (const auto found = std::ranges::find(study_.factors, factor, &StudyFactor::name);
                 found != study_.factors.end()) {
        if (found->kind == StudyFactor::Kind::kSetting) ApplySetting(factor, level, setting);
        if (found->kind == StudyFactor::Kind::kVariable) {
          setting.environment.set.emplace_back(factor, level);
        }
        if (found->kind == StudyFactor::Kind::kParameter) replacements[factor] = level;
      }
    }
    for (const std::string& word : program.words) {
      one.words.push_back(Replaced(word, replacements));
    }
    std::string& file = one.words.front();
    if (file.contains('/') && !file.starts_with('/')) {
      file = (study_.directory / file).lexically_normal().string();
    }
    if (!program.input.empty()) {
      one.input_file = (study_.directory / Replaced(program.input, replacements)).string();
    }
    one.prepare = Replaced(program.prepare, replacements);
    one.build = Replaced(program.build, replacements);
    setting.directory =
        (study_.directory / Replaced(program.directory, replacements)).lexically_normal();
    for (const auto& [name, value] : program.environment) {
      setting.environment.set.emplace_back(name, Replaced(value, replacements));
    }
    const StudyEngine& engine = study_.engines[one.engine];
    one.runs = engine.runs;
    setting.timeout_seconds =
        engine.timeout_seconds ? engine.timeout_seconds : study_.timeout_seconds;
    setting.timeout_ends_descendants = true;
    one.key = KeyOf(one, engine);
    return {};
  }

  // Everything that changes what a run measures; not the number of runs, nor limits.
  std::string KeyOf(const StudyCase& one, const StudyEngine& engine) const {
    JsonWriter json;
    const auto list = [&](const std::vector<std::string>& texts) {
      json.Inline(texts, [&](const std::string& text) { json.Text(text); });
    };
    list(cases_.factors);
    list(one.levels);
    // The path of tare differs between builds that measure the same.
    std::vector<std::string> words = one.words;
    for (std::string& word : words) word = ReplaceAll(word, tare_, "{tare}");
    list(words);
    json.Text(one.input_file);
    json.Text(one.prepare);
    if (!one.build.empty()) json.Text(ReplaceAll(one.build, tare_, "{tare}"));
    json.Text(one.setting.directory->string());
    for (const auto& [name, value] : one.setting.environment.set) list({name, value});
    json.Text(engine.machine);
    json.Whole(one.layout);
    return Sha256Of(json.Take()).substr(0, 32);
  }

  const Study& study_;
  std::string tare_;
  StudyCases cases_;
};

}  // namespace

std::size_t StudyCases::FactorIndex(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(factors, name) - factors.begin());
}

Result<StudyCases> MakeCases(const Study& study, const std::string& tare) {
  return CaseMaker(study, tare).All();
}

std::string CaseText(const StudyCases& cases, const StudyCase& one) {
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < cases.factors.size(); ++i) {
    if (one.levels[i].empty() || !cases.varies[i]) continue;
    const bool named = i >= 3;  // input and engine speak for themselves
    parts.push_back(named ? fmt::format("{} {}", cases.factors[i], one.levels[i]) : one.levels[i]);
  }
  if (parts.empty()) return Printable(one.levels.front());
  return Printable(fmt::format("{} ({})", one.levels.front(), fmt::join(parts, ", ")));
}

std::string WithLevels(std::string text, const StudyCases& cases, const StudyCase& one) {
  Replacements replacements;
  for (std::size_t i = 0; i < cases.factors.size(); ++i) {
    replacements[cases.factors[i]] = one.levels[i];
  }
  return Replaced(text, replacements);
}

std::vector<std::string> WithFiles(std::vector<std::string> words, const std::string& directory) {
  for (std::string& word : words) word = ReplaceAll(word, std::string(kFilesPlace), directory);
  return words;
}

bool NamesFiles(const StudyCase& one) {
  const auto names = [](const std::string& text) { return text.contains(kFilesPlace); };
  return std::ranges::any_of(one.words, names) || names(one.prepare);
}

}  // namespace tare::study
