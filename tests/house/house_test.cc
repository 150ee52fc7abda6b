// house_test.cc: the project's rules that a compiler does not check.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace tare {
namespace {

namespace fs = std::filesystem;

const fs::path kSource = TARE_SOURCE_DIR;

std::string Text(const fs::path& path) { return ReadFile(path, 1 << 24).value_or(""); }

// The directories of src/ that are libraries, from the lowest layer to the highest, as the build
// declares them.
std::vector<std::string> Directories() {
  std::vector<std::string> directories;
  std::istringstream list(TARE_DIRECTORIES);
  for (std::string entry; list >> entry;) directories.push_back(entry);
  return directories;
}

// Returns the index of the innermost directory that `path`, relative to src/, is in; the number of
// directories if none.
std::size_t DirectoryOf(const std::vector<std::string>& directories, const std::string& path) {
  std::size_t found = directories.size();
  for (std::size_t i = 0; i < directories.size(); ++i) {
    if (!path.starts_with(directories[i] + "/")) continue;
    if (found == directories.size() || directories[i].size() > directories[found].size()) found = i;
  }
  return found;
}

std::vector<fs::path> SourceFiles(std::initializer_list<std::string_view> directories) {
  std::vector<fs::path> files;
  for (const std::string_view directory : directories) {
    if (!fs::exists(kSource / directory)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(kSource / directory)) {
      const auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc" || extension == ".c")
        files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

TEST(Layers, ADirectoryIncludesOnlyThoseBelowIt) {
  const auto directories = Directories();
  ASSERT_GE(directories.size(), 20u);
  const std::regex include(R"re(^\s*#\s*include\s*"([^"]+)")re");
  std::size_t seen = 0;
  for (const fs::path& file : SourceFiles({"src"})) {
    const std::string path = fs::relative(file, kSource / "src").string();
    const std::size_t own = DirectoryOf(directories, path);
    if (!path.contains('/')) continue;  // main.cc, tare_cc.cc
    ASSERT_LT(own, directories.size()) << path << " belongs to no library";
    std::istringstream lines(Text(file));
    for (std::string line; std::getline(lines, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      ++seen;
      const std::size_t other = DirectoryOf(directories, match[1]);
      ASSERT_LT(other, directories.size()) << path << " includes " << match[1];
      EXPECT_LE(other, own) << path << " includes " << match[1];
    }
  }
  EXPECT_GT(seen, 1000u);
}

TEST(Layers, LinksAndIncludesAreTheSame) {
  const std::regex include(R"re(#include "([^"]+)")re");
  const auto directories = Directories();
  for (std::size_t own = 0; own < directories.size(); ++own) {
    std::set<std::string> included;
    for (const fs::path& file : SourceFiles({"src/" + directories[own]})) {
      const std::string path = fs::relative(file, kSource / "src").string();
      if (DirectoryOf(directories, path) != own) continue;
      const std::string text = Text(file);
      for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end;
           ++match) {
        const std::size_t other = DirectoryOf(directories, (*match)[1]);
        if (other < directories.size() && other != own) included.insert(directories[other]);
      }
    }
    std::set<std::string> linked;
    std::istringstream words(Text(kSource / "src" / directories[own] / "CMakeLists.txt"));
    for (std::string word; words >> word;) {
      if (word.ends_with(')')) word.pop_back();
      if (std::ranges::find(directories, word) != directories.end()) linked.insert(word);
    }
    EXPECT_EQ(linked, included) << "src/" << directories[own] << "/CMakeLists.txt";
  }
}

// One place reads and writes JSON and TOML and solves linear systems, so that checks and messages
// are the same everywhere.
TEST(Layers, ALibraryThatOneDirectoryWrapsIsIncludedThereOnly) {
  struct Wrapped {
    std::string include;
    std::string link;
    std::string place;  // starts the path of each file that may include it
  };
  const Wrapped wrapped[] = {{"nlohmann/", "nlohmann_json::", "base/json_"},
                             {"toml++/", "", "base/toml_"},
                             {"Eigen/", "Eigen3::", "stats/least_squares.cc"}};
  for (const Wrapped& library : wrapped) {
    const std::string directory = library.place.substr(0, library.place.find('/'));
    std::size_t seen = 0;
    for (const fs::path& file : SourceFiles({"src"})) {
      const std::string path = fs::relative(file, kSource / "src").string();
      if (!Text(file).contains("#include <" + library.include)) continue;
      ++seen;
      EXPECT_TRUE(path.starts_with(library.place)) << path << " includes " << library.include;
    }
    EXPECT_GT(seen, 0u) << library.include;
    if (library.link.empty()) continue;
    for (const std::string& other : Directories()) {
      const std::string build = Text(kSource / "src" / other / "CMakeLists.txt");
      EXPECT_EQ(build.contains(library.link), other == directory) << "src/" << other;
    }
  }
}

TEST(Layers, ArchitecturePageNamesEveryDirectoryInItsOrder) {
  const std::string page = Text(kSource / "ARCHITECTURE.md");
  std::size_t last = 0;
  for (const std::string& directory : Directories()) {
    if (directory.starts_with("cli/commands/")) continue;  // one row for all
    const std::size_t place = page.find(fmt::format("| `{}` |", directory));
    ASSERT_NE(place, std::string::npos) << "src/" << directory;
    EXPECT_GT(place, last) << "src/" << directory;
    last = place;
  }
}

TEST(Layers, AtMostTwelveDirectoriesAtTheTop) {
  std::size_t directories = 0;
  for (const auto& entry : fs::directory_iterator(kSource / "src")) {
    if (entry.is_directory()) ++directories;
  }
  EXPECT_LE(directories, 12u);
}

TEST(Sources, HeaderNamesAreUnique) {
  std::map<std::string, fs::path> names;
  for (const fs::path& file : SourceFiles({"src"})) {
    if (file.extension() != ".h") continue;
    const auto [other, fresh] = names.emplace(file.filename().string(), file);
    EXPECT_TRUE(fresh) << file << " and " << other->second;
  }
}

// NAME.cc or NAME_PART.cc implements NAME.h.
TEST(Sources, EachImplementationHasItsHeader) {
  for (const fs::path& file : SourceFiles({"src"})) {
    const std::string path = fs::relative(file, kSource / "src").string();
    const bool is_command = path.starts_with("cli/commands/");  // registered in all_commands.cc
    if (file.extension() != ".cc" || !path.contains('/') || is_command) continue;
    bool found = false;
    for (std::string stem = file.stem(); !stem.empty() && !found;) {
      found = fs::exists(file.parent_path() / (stem + ".h"));
      const auto end = stem.rfind('_');
      stem.resize(end == std::string::npos ? 0 : end);
    }
    EXPECT_TRUE(found) << path;
  }
}

TEST(Commands, EachHasItsOwnDirectory) {
  for (const cli::TopName& top : cli::TopNames()) {
    EXPECT_TRUE(fs::is_directory(kSource / "src/cli/commands" / top.name)) << top.name;
  }
}

TEST(Sources, FirstLineSaysWhatTheFileIsFor) {
  for (const fs::path& file : SourceFiles({"src", "tests", "bench", "engines", "examples"})) {
    const std::string expected = fmt::format("{}: ", file.filename().string());
    const std::string text = Text(file);
    // Plain C files of the engines use block comments.
    EXPECT_TRUE(text.starts_with("// " + expected) || text.starts_with("/* " + expected))
        << file << " does not start with // " << expected;
  }
}

TEST(Layers, EnginesSeeNothingOfOursButTheWire) {
  const std::set<std::string> wire = {
      "wire.h",        "wire_writer.h",     "start_stack.h",     "counters_wire.h",
      "stream_wire.h", "instrument_plan.h", "system_log_wire.h", "flow_wire.h",
      "mpi_wire.h",    "inputs_wire.h"};
  const std::regex include(R"re(#include "([a-z_]+)/([a-z_]+\.h)")re");
  for (const fs::path& file : SourceFiles({"engines"})) {
    const std::string text = Text(file);
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end;
         ++match) {
      const std::string directory = (*match)[1];
      EXPECT_TRUE(directory == "engines" || (directory == "format" && wire.contains((*match)[2])))
          << file << " includes " << (*match)[0];
    }
  }
}

TEST(Sources, NoFileIsLongerThan500Lines) {
  for (const fs::path& file : SourceFiles({"src", "tests", "bench", "engines", "examples"})) {
    const std::string text = Text(file);
    EXPECT_LE(std::ranges::count(text, '\n'), 500) << file;
  }
}

TEST(Sources, OnlyTheCommandLinePrintsOrExits) {
  const std::regex prints(R"re(std::cout|std::cerr|\bprintf\(|fmt::print\(|[^a-zA-Z_]exit\()re");
  for (const std::string& directory : Directories()) {
    if (directory.starts_with("cli") || directory == "base") continue;
    for (const fs::path& file : SourceFiles({"src/" + directory})) {
      EXPECT_FALSE(std::regex_search(Text(file), prints)) << file;
    }
  }
}

// So that the sentence and the exit status are the same everywhere.
TEST(Sources, OnlyStoppedMakesTheErrorOfStoppedWork) {
  const std::regex makes(R"re((Fail\(|Error\{)\s*(tare::)?ErrorKind::kInterrupted)re");
  std::size_t seen = 0;
  for (const fs::path& file : SourceFiles({"src"})) {
    if (!std::regex_search(Text(file), makes)) continue;
    ++seen;
    EXPECT_EQ(file.filename(), "stop.cc") << file;
  }
  EXPECT_EQ(seen, 1u);
}

// The commands of a group share its page and its directory of cases.
std::string TopNameOf(const cli::Command& command) {
  const cli::CommandGroup* group = cli::GroupOf(command);
  return std::string(group == nullptr ? command.text.name : group->name);
}

TEST(Commands, EachHasAPageThatNamesEveryOption) {
  for (const cli::Command& command : cli::Commands()) {
    const std::string name = TopNameOf(command);
    const std::string page = Text(kSource / "docs/commands" / (name + ".md"));
    ASSERT_FALSE(page.empty()) << "docs/commands/" << name << ".md";
    EXPECT_NE(page.find(fmt::format("tare {}", command.text.name)), std::string::npos)
        << name << ".md does not name tare " << command.text.name;
    for (const cli::FlagText& flag : cli::FlagsOf(command).own) {
      EXPECT_NE(page.find(fmt::format("`{}", cli::LongName(flag))), std::string::npos)
          << name << ".md does not name " << cli::LongName(flag);
    }
  }
}

TEST(Commands, ThoseOfAGroupStandTogether) {
  const std::regex two_words("[a-z]+ [a-z]+");
  std::set<std::string> names;
  for (const cli::TopName& top : cli::TopNames()) {
    EXPECT_TRUE(names.insert(std::string(top.name)).second) << top.name << " is torn apart";
  }
  for (const cli::Command& command : cli::Commands()) {
    const std::string name(command.text.name);
    EXPECT_EQ(cli::GroupOf(command) != nullptr, std::regex_match(name, two_words)) << name;
  }
}

TEST(Commands, EachHasCasesForSuccessAndForBadInput) {
  for (const cli::Command& command : cli::Commands()) {
    const fs::path directory = kSource / "tests/cli" / TopNameOf(command);
    ASSERT_TRUE(fs::exists(directory)) << directory;
    int good = 0;
    int bad = 0;
    for (const auto& entry : fs::directory_iterator(directory)) {
      const std::string text = Text(entry.path());
      if (cli::GroupOf(command) != nullptr) {
        // The last line is the one that is tested.
        const std::string judged = text.substr(text.rfind("\n$ ", text.find("\n---")) + 1);
        const std::string line = judged.substr(0, judged.find('\n'));
        if (line.find(fmt::format("tare {}", command.text.name)) == std::string::npos) continue;
      }
      const bool fails = std::regex_search(text, std::regex("--- exit [1-9]"));
      ++(fails ? bad : good);
    }
    EXPECT_GE(good, 2) << directory << " " << command.text.name;
    EXPECT_GE(bad, 1) << directory << " " << command.text.name;
  }
}

TEST(Commands, EachHasExamplesAndOneLineSummaries) {
  for (const cli::Command& command : cli::Commands()) {
    EXPECT_GE(command.text.examples.size(), 2u) << command.text.name;
    EXPECT_LE(command.text.summary.size(), 90u) << command.text.name;
    EXPECT_FALSE(command.text.summary.ends_with('.')) << command.text.name;
    for (const cli::Example& example : command.text.examples) {
      EXPECT_TRUE(example.command.starts_with(fmt::format("tare {}", command.text.name)));
    }
  }
}

TEST(Readme, NamesEveryCommand) {
  const std::string readme = Text(kSource / "README.md");
  for (const cli::Command& command : cli::Commands()) {
    EXPECT_NE(readme.find(fmt::format("docs/commands/{}.md", TopNameOf(command))),
              std::string::npos)
        << command.text.name;
  }
}

}  // namespace
}  // namespace tare
