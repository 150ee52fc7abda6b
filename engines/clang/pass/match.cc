// match.cc: matches exact names, globs and regular expressions.
#include "match.h"

#include <fnmatch.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>

namespace tare::clang_engine {
namespace {

// Demanglers and users place blanks differently.
std::string WithoutBlanks(llvm::StringRef text) {
  std::string kept;
  for (const char letter : text) {
    if (letter != ' ') kept += letter;
  }
  return kept;
}

}  // namespace

NamePattern::NamePattern(format::NameMatch match, std::string what)
    : match_(match), what_(std::move(what)) {
  if (match_ == format::NameMatch::kRegex) {
    regex_ = std::make_unique<llvm::Regex>("^(" + what_ + ")$");
  }
}

bool NamePattern::Matches(const std::string& name) const {
  if (match_ == format::NameMatch::kRegex) return regex_->match(name);
  if (match_ == format::NameMatch::kGlob) return ::fnmatch(what_.c_str(), name.c_str(), 0) == 0;
  return name == what_ ||
         (llvm::StringRef(what_).contains("(") && WithoutBlanks(name) == WithoutBlanks(what_));
}

bool NamePattern::MatchesOne(llvm::ArrayRef<std::string> names) const {
  return llvm::any_of(names, [this](const std::string& name) { return Matches(name); });
}

bool MatchesPath(const std::string& glob, const std::string& path) {
  if (glob.empty() || ::fnmatch(glob.c_str(), path.c_str(), 0) == 0) return true;
  return glob.front() != '/' && ::fnmatch(("*/" + glob).c_str(), path.c_str(), 0) == 0;
}

NumberedName SplitNumber(llvm::StringRef text) {
  NumberedName split;
  const auto [name, digits] = text.rsplit(':');
  split.name = name.str();
  if (!llvm::to_integer(digits, split.number, 10)) split.name = text.str();
  return split;
}

std::string DidYouMean(llvm::StringRef wanted, llvm::ArrayRef<std::string> names) {
  const std::string* best = nullptr;
  unsigned least = static_cast<unsigned>(std::max<std::size_t>(2, wanted.size() / 3)) + 1;
  for (const std::string& name : names) {
    const unsigned distance = wanted.edit_distance(name, true, least);
    if (distance >= least) continue;
    least = distance;
    best = &name;
  }
  return best == nullptr ? "" : "; did you mean " + *best + "?";
}

}  // namespace tare::clang_engine
