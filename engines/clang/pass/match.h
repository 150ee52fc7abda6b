// match.h: whether a name or a path is meant by a metric.
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

// Whether the glob is the whole path or its end, beginning at a directory's name. An empty glob
// matches all.
bool MatchesPath(const std::string& glob, const std::string& path);

// "src/compress.c:120": the path's end and the number behind the last colon.
struct NumberedName {
  std::string name;
  unsigned number = 0;
};
NumberedName SplitNumber(llvm::StringRef text);

// "; did you mean NAME?", or nothing when none is near.
std::string DidYouMean(llvm::StringRef wanted, llvm::ArrayRef<std::string> names);

}  // namespace tare::clang_engine
