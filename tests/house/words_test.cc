// words_test.cc: rejects words that the project does not use; docs/glossary.md lists those that it
// does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace tare {
namespace {

namespace fs = std::filesystem;

struct Word {
  std::string_view
      stems;            // one of these, in lower case, is in every match: quicker than the pattern
  const char* pattern;  // a whole word, case-insensitive
  const char* instead;
};

constexpr std::array kWords = {
    Word{"folder", "\\w*folders?\\w*", "directory"},
    Word{"foret", "foret(ell(s|ing)?|old)\\w*", "predict, prediction, mispredict"},
    Word{"keeper", "\\w*keeper\\w*", "supervisor"},
    Word{"time-out|time_out", "time-outs?|time_out\\w*", "timeout"},
    Word{"kmost|kleast|kfewest", "kMost[A-Z]\\w*|kLeast[A-Z]\\w*|kFewest[A-Z]\\w*",
         "kMax..., kMin..."},
    Word{"most_|least_|fewest_", "(most|least|fewest)_(?!squares)[a-z]\\w*", "max_..., min_..."},
    Word{"tape", "tapes?|tape_\\w+|\\w+_tapes?", "system log"},
    Word{"randomis", "randomis\\w+", "randomize"},
    Word{"told", "\\w*told\\w*", "state, report, describe; system input"},
    Word{"held", "held_\\w*|\\w*_held|kHeld", "fixed, valid, stopped"},
    Word{"layover|laidout", "LayOver|LaidOut", "align; with layout"},
    Word{"asked_|_asked|asks_|question_", "asked_\\w+|\\w*_asked|asks_\\w+|question_\\w+",
         "requested_..., queries_..."},
    Word{"play", "play(s|ed|ing)?_\\w+|\\w+_player|\\w*PlayedBack|CanBePlayed", "replay"},
    Word{"placing_", "placing_\\w+", "memory_layout_..."},
    Word{"aside", "asides?", "exclude"},
    Word{"surroundings", "surroundings\\w*", "environment, setup"},
    Word{"forecast", "forecast\\w*", "prediction"},
    Word{"moment", "moments?_|min_moments|missed-moments", "tick, time, sample"},
    Word{"made_|madeup", "made_\\w+|MadeUp\\w*", "synthetic"},
    Word{"atmost", "\\w+AtMost", "...Cdf, max_..."},
    Word{"takeback|giveback|letgo|giveup", "TakeBack|GiveBack|LetGo|GiveUp", "release, undo, fail"},
    Word{"silenced|addup", "Silenced|AddUp", "with output discarded; sum"},
    Word{"kneither|as-read", "kNeither|as-read", "NINE; ignored"},
    Word{"ended-otherwise|endings-differ", "ended-otherwise|endings-differ",
         "exit-status-differs, exit-status-varies"},
    Word{"sharp", "Sharpness\\w*|AllAreSharp", "precision"},
    Word{"kernelrow|memorykernel|tare_kernel", "KernelRow|MemoryKernel\\w*|TARE_KERNEL\\w*",
         "loop, microbenchmark"},
    Word{"lies|stand", "lies|stands? (twice|in|for)", "is at, is in"},
    Word{"is no", "(this|it|that) is no|is no power of two", "is not a"},
    Word{"be had", "(cannot|can|could) (not )?be had", "is not available, is not supported"},
    Word{"take ", "take \\d+ or more", "use at least N"},
};

// The changelog keeps the names of its time, and the corpus its bytes.
// The built part of studies/ has the sources of other projects.
bool IsExempt(const std::string& path) {
  return path == "CHANGELOG.md" || path == "tests/house/words_test.cc" ||
         path.ends_with("LICENSE") || path.starts_with("tests/fuzz/corpus/") ||
         path.starts_with("studies/built/");
}

bool IsText(const fs::path& path) {
  static const std::regex text(R"re(.*\.(h|cc|c|S|md|case|py|cmake|txt|toml|in)|[^.]*)re");
  return std::regex_match(path.filename().string(), text);
}

std::string Lower(const std::string& line) {
  std::string lower = line;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

bool HasStem(const std::string& lower, const Word& word) {
  for (std::string_view rest = word.stems;;) {
    const std::size_t bar = rest.find('|');
    if (lower.find(rest.substr(0, bar)) != std::string::npos) return true;
    if (bar == std::string_view::npos) return false;
    rest.remove_prefix(bar + 1);
  }
}

TEST(Words, TheFieldsOwnAreUsed) {
  const fs::path source = TARE_SOURCE_DIR;
  std::vector<std::regex> patterns;
  for (const Word& word : kWords) {
    patterns.emplace_back(fmt::format("\\b({})\\b", word.pattern), std::regex::icase);
  }
  std::size_t files = 0;
  for (const char* top :
       {"src", "engines", "tests", "bench", "docs", "script", "studies", "accuracy", "examples",
        "cmake", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"}) {
    const auto check = [&](const fs::path& file) {
      const std::string path = fs::relative(file, source).string();
      if (IsExempt(path) || !IsText(file)) return;
      ++files;
      std::istringstream lines(ReadFile(file, 1 << 24).value_or(""));
      std::size_t number = 0;
      for (std::string line; std::getline(lines, line);) {
        ++number;
        const std::string lower = Lower(line);
        for (std::size_t i = 0; i < kWords.size(); ++i) {
          std::smatch found;
          if (!HasStem(lower, kWords[i]) || !std::regex_search(line, found, patterns[i])) continue;
          ADD_FAILURE() << path << ":" << number << ": '" << found.str() << "'; write "
                        << kWords[i].instead;
        }
      }
    };
    if (fs::is_regular_file(source / top)) {
      check(source / top);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(source / top)) {
      if (entry.is_regular_file()) check(entry.path());
    }
  }
  EXPECT_GT(files, 1000u);
}

}  // namespace
}  // namespace tare
