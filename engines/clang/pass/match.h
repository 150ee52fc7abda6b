// match.h: matches names and paths against the patterns of a metric.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Regex.h>

#include <memory>
#include <string>

#include "format/instrument_plan.h"

namespace tare::clang_engine {

class NamePattern {
 public:
  NamePattern(format::NameMatch match, std::string what);
  bool Matches(const std::string& name) const;
  bool MatchesOne(llvm::ArrayRef<std::string> names) const;

 private:
  format::NameMatch match_;
  std::string what_;
  std::unique_ptr<llvm::Regex> regex_;
};

// Whether the glob matches the whole path or a suffix of it that starts at a path component. An
// empty glob matches all paths.
bool MatchesPath(const std::string& glob, const std::string& path);

// "src/compress.c:120": the path suffix, and the number after the last colon.
struct NumberedName {
  std::string name;
  unsigned number = 0;
};
NumberedName SplitNumber(llvm::StringRef text);

// Returns "; did you mean NAME?", or an empty string when no name is close.
std::string DidYouMean(llvm::StringRef wanted, llvm::ArrayRef<std::string> names);

}  // namespace tare::clang_engine
