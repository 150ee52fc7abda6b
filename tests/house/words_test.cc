// words_test.cc: rejects words that the project does not use; docs/glossary.md lists those that it
// does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <regex>
#include <sstream>

#include "base/file.h"

namespace tare {
namespace {

namespace fs = std::filesystem;

struct Word {
  const char* pattern;  // a whole word, case-insensitive
  const char* instead;
};

constexpr std::array kWords = {
    Word{"\\w*folders?\\w*", "directory"},
    Word{"foret(ell(s|ing)?|old)\\w*", "predict, prediction, mispredict"},
    Word{"\\w*keeper\\w*", "supervisor"},
    Word{"time-outs?|time_out\\w*", "timeout"},
    Word{"kMost[A-Z]\\w*|kLeast[A-Z]\\w*|kFewest[A-Z]\\w*", "kMax..., kMin..."},
    Word{"(most|fewest|least(?!_squares))_[a-z]\\w*", "max_..., min_..."},
    Word{"tapes?|tape_\\w+|\\w+_tapes?", "system log"},
    Word{"randomis\\w+", "randomize"},
    Word{"\\w*told\\w*", "state, report, describe; system input"},
    Word{"held_\\w*|\\w*_held|kHeld", "fixed, valid, stopped"},
    Word{"LayOver|LaidOut", "align; with layout"},
    Word{"asked_\\w+|\\w*_asked|asks_\\w+|question_\\w+", "requested_..., queries_..."},
    Word{"play(s|ed|ing)?_\\w+|\\w+_player|\\w*PlayedBack|CanBePlayed", "replay"},
    Word{"placing_\\w+", "memory_layout_..."},
    Word{"asides?", "exclude"},
    Word{"surroundings\\w*", "environment, setup"},
    Word{"forecast\\w*", "prediction"},
    Word{"moments?_|min_moments|missed-moments", "tick, time, sample"},
    Word{"made_\\w+|MadeUp\\w*", "synthetic"},
    Word{"\\w+AtMost", "...Cdf, max_..."},
    Word{"TakeBack|GiveBack|LetGo|GiveUp", "release, undo, fail"},
    Word{"Silenced|AddUp", "with output discarded; sum"},
    Word{"kNeither|as-read", "NINE; ignored"},
    Word{"ended-otherwise|endings-differ", "exit-status-differs, exit-status-varies"},
    Word{"Sharpness\\w*|AllAreSharp", "precision"},
    Word{"KernelRow|MemoryKernel\\w*|TARE_KERNEL\\w*", "loop, microbenchmark"},
    Word{"lies|stands? (twice|in|for)", "is at, is in"},
    Word{"(this|it|that) is no|is no power of two", "is not a"},
    Word{"(cannot|can|could) (not )?be had", "is not available, is not supported"},
    Word{"take \\d+ or more", "use at least N"},
};

// The changelog keeps the names of its time, and the corpus its bytes.
bool IsExempt(const std::string& path) {
  return path == "CHANGELOG.md" || path == "tests/house/words_test.cc" ||
         path.ends_with("LICENSE") || path.starts_with("tests/fuzz/corpus/");
}

bool IsText(const fs::path& path) {
  static const std::regex text(R"re(.*\.(h|cc|c|S|md|case|py|cmake|txt|toml|in)|[^.]*)re");
  return std::regex_match(path.filename().string(), text);
}

TEST(Words, TheFieldsOwnAreUsed) {
  const fs::path source = TARE_SOURCE_DIR;
  std::string all;
  for (const Word& word : kWords) all += fmt::format("{}{}", all.empty() ? "" : "|", word.pattern);
  const std::regex any(fmt::format("\\b({})\\b", all), std::regex::icase | std::regex::optimize);
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
        std::smatch found;
        if (!std::regex_search(line, found, any)) continue;
        for (const Word& word : kWords) {
          const std::regex one(fmt::format("\\b({})\\b", word.pattern), std::regex::icase);
          if (!std::regex_search(line, found, one)) continue;
          ADD_FAILURE() << path << ":" << number << ": '" << found.str() << "'; write "
                        << word.instead;
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
