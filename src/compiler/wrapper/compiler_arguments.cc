// compiler_arguments.cc: the options of clang and gcc that matter to a wrapper.
#include "compiler/wrapper/compiler_arguments.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.h"

namespace tare::wrapper {
namespace {

constexpr std::uint64_t kMaxResponseBytes = 1 << 26;
constexpr int kDeepestResponse = 16;

// Options whose value is the next argument.
constexpr std::array<std::string_view, 65> kWithValue = {
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-V",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-b",
    "-cxx-isystem",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-e",
    "-framework",
    "-gcc-toolchain",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-imultiarch",
    "-imultilib",
    "-include",
    "-include-pch",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-main-file-name",
    "-mllvm",
    "-mthread-model",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "--serialize-diagnostics",
    "-stdlib++-isystem",
    "-target",
    "--param",
    "--sysroot",
    "-u",
    "-undefined",
    "-working-directory",
    "-wrapper",
    "-z",
    "--config",
};

constexpr std::array<std::string_view, 6> kQueries = {"--version",    "--help", "-dumpversion",
                                                      "-dumpmachine", "-help",  "--target-help"};
constexpr std::array<std::string_view, 6> kChecks = {"-fsyntax-only", "--analyze",   "-emit-ast",
                                                     "--precompile",  "-verify-pch", "-cc1"};

constexpr std::array<std::string_view, 15> kCxxEndings = {".cc", ".cp",  ".cpp", ".cxx",  ".c++",
                                                          ".C",  ".CPP", ".CC",  ".ii",   ".mm",
                                                          ".M",  ".mii", ".ixx", ".cppm", ".c++m"};
constexpr std::array<std::string_view, 5> kOtherEndings = {".c", ".i", ".m", ".mi", ".ll"};
constexpr std::array<std::string_view, 6> kCxxLanguages = {
    "c++",        "c++-cpp-output",   "objective-c++", "objective-c++-cpp-output",
    "c++-module", "objc++-cpp-output"};
constexpr std::array<std::string_view, 6> kOtherLanguages = {
    "c", "cpp-output", "c-cpp-output", "objective-c", "objective-c-cpp-output", "ir"};

template <std::size_t kCount>
bool Has(const std::array<std::string_view, kCount>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool IsQuery(std::string_view argument) {
  return Has(kQueries, argument) || argument.starts_with("-print-") ||
         argument.starts_with("--print-") || argument.starts_with("--help");
}

std::optional<DebugInformation> DebugLevel(std::string_view argument) {
  constexpr std::array<std::string_view, 4> kLines = {"-g1", "-ggdb1", "-gmlt",
                                                      "-gline-tables-only"};
  constexpr std::array<std::string_view, 9> kFull = {
      "-g", "-g2", "-g3", "-ggdb", "-ggdb2", "-ggdb3", "-gdwarf", "-gfull", "-gsplit-dwarf"};
  if (argument == "-g0" || argument == "-ggdb0") return DebugInformation::kNone;
  if (Has(kLines, argument) || argument == "-gline-directives-only") {
    return DebugInformation::kLines;
  }
  if (Has(kFull, argument) || argument.starts_with("-gdwarf-") ||
      argument.starts_with("-gsplit-dwarf=")) {
    return DebugInformation::kFull;
  }
  return std::nullopt;
}

class Reader {
 public:
  Reader(std::span<const std::string> arguments, bool cxx) : arguments_(arguments), cxx_(cxx) {}

  CompilerArguments Read() {
    while (at_ < arguments_.size()) ReadOne(arguments_[at_++]);
    return std::move(result_);
  }

 private:
  std::string Next() { return at_ < arguments_.size() ? arguments_[at_++] : ""; }

  // The value of an option, either joined to it or in the next argument.
  std::string Value(std::string_view argument, std::size_t name) {
    return argument.size() > name ? std::string(argument.substr(name)) : Next();
  }

  void EndAt(LastStep step) { result_.last_step = std::min(result_.last_step, step); }

  void ReadOne(std::string_view argument) {
    if (only_inputs_ || argument == "-" || !argument.starts_with('-')) return AddInput(argument);
    if (argument == "--") {
      only_inputs_ = true;
    } else if (argument.starts_with("-o") && !argument.starts_with("-object")) {
      result_.output = Value(argument, 2);
    } else if (argument.starts_with("--output=")) {
      result_.output = argument.substr(9);
    } else if (argument.starts_with("-x")) {
      language_ = Value(argument, 2);
    } else if (argument.starts_with("--language=")) {
      language_ = argument.substr(11);
    } else if (argument.starts_with("-l")) {
      result_.libraries.push_back(Value(argument, 2));
    } else if (argument.starts_with("-L")) {
      result_.library_directories.push_back(Value(argument, 2));
    } else if (Has(kWithValue, argument) || argument.starts_with("-Xarch_")) {
      const std::string value = Next();
      if (argument == "-Xlinker") ReadLinkerOption(value);
    } else if (argument.starts_with("-Wl,")) {
      ReadLinkerOptions(argument.substr(4));
    } else {
      ReadFlag(argument);
    }
  }

  void ReadFlag(std::string_view argument) {
    if (IsQuery(argument) || Has(kChecks, argument)) return EndAt(LastStep::kNothing);
    if (argument == "-E" || argument == "-M" || argument == "-MM" || argument == "--preprocess") {
      EndAt(LastStep::kPreprocess);
    } else if (argument == "-c" || argument == "-S" || argument == "--compile" ||
               argument == "--assemble") {
      EndAt(LastStep::kCompile);
    } else if (argument == "-shared" || argument == "--shared") {
      result_.shared = true;
    } else if (argument == "-r") {
      result_.relocatable = true;
    } else if (argument == "-###") {
      result_.dry = true;
    } else if (const auto debug = DebugLevel(argument)) {
      result_.debug = *debug;
    }
  }

  void ReadLinkerOptions(std::string_view list) {
    for (;;) {
      const std::size_t comma = list.find(',');
      ReadLinkerOption(list.substr(0, comma));
      if (comma == std::string_view::npos) return;
      list.remove_prefix(comma + 1);
    }
  }

  void ReadLinkerOption(std::string_view option) {
    if (option == "-r" || option == "--relocatable" || option == "-i") result_.relocatable = true;
    if (option == "-shared" || option == "--shared" || option == "-Bshareable") {
      result_.shared = true;
    }
  }

  void AddInput(std::string_view path) {
    CompilerInput input{.path = std::string(path), .source = false, .cxx = false, .at = at_ - 1};
    if (!language_.empty() && language_ != "none") {
      input.cxx = Has(kCxxLanguages, language_) || (cxx_ && language_ == "c++");
      input.source = input.cxx || Has(kOtherLanguages, language_);
    } else {
      const std::string ending = std::filesystem::path(path).extension().string();
      const bool plain = Has(kOtherEndings, ending) || ending == ".bc";
      // A C++ compiler treats C as C++, but not preprocessed or compiled files.
      input.cxx = Has(kCxxEndings, ending) || (cxx_ && ending == ".c");
      input.source = input.cxx || plain;
    }
    result_.inputs.push_back(std::move(input));
  }

  std::span<const std::string> arguments_;
  std::size_t at_ = 0;
  bool cxx_;
  bool only_inputs_ = false;
  std::string language_;
  CompilerArguments result_;
};

// Splits text with the quotes and backslashes of GNU response files.
std::vector<std::string> SplitResponse(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    const bool blank = letter == ' ' || (letter >= '\t' && letter <= '\r') || letter == 0;
    if (letter == '\\' && at + 1 < text.size()) {
      word += text[++at];
      inside = true;
    } else if (quote != 0) {
      if (letter == quote) {
        quote = 0;
      } else {
        word += letter;
      }
    } else if (letter == '\'' || letter == '"') {
      quote = letter;
      inside = true;
    } else if (!blank) {
      word += letter;
      inside = true;
    } else if (inside) {
      words.push_back(std::exchange(word, {}));
      inside = false;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

void Expand(std::span<const std::string> arguments, int depth, std::vector<std::string>& to) {
  for (const std::string& argument : arguments) {
    if (!argument.starts_with('@') || depth == kDeepestResponse) {
      to.push_back(argument);
      continue;
    }
    const auto text = ReadFile(argument.substr(1), kMaxResponseBytes);
    if (!text) {
      to.push_back(argument);
      continue;
    }
    Expand(SplitResponse(*text), depth + 1, to);
  }
}

}  // namespace

bool CompilerArguments::HasSource() const {
  return std::ranges::any_of(inputs, &CompilerInput::source);
}

bool CompilerArguments::Links() const {
  return last_step == LastStep::kLink && !relocatable && !inputs.empty();
}

CompilerArguments Understand(std::span<const std::string> arguments, bool cxx) {
  return Reader(arguments, cxx).Read();
}

std::vector<std::string> WithResponseFiles(std::span<const std::string> arguments) {
  std::vector<std::string> all;
  Expand(arguments, 0, all);
  return all;
}

bool IsLinkTimeOptimisation(std::string_view argument) {
  constexpr std::array<std::string_view, 6> kOptions = {"-flto",
                                                        "-ffat-lto-objects",
                                                        "-fwhole-program-vtables",
                                                        "-funified-lto",
                                                        "-fvirtual-function-elimination",
                                                        "-fsplit-lto-unit"};
  return Has(kOptions, argument) || argument.starts_with("-flto=") ||
         argument.starts_with("-flto-jobs=") || argument.starts_with("-fthinlto-index=");
}

}  // namespace tare::wrapper
