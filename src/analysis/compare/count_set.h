// count_set.h: counts of programs on several machines, as files of ours or of others hold them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::compare {

// A count or a mean of counts, `whole` + `rest`: counts up to 2^63 lose no digit.
struct CountValue {
  std::int64_t whole = 0;
  double rest = 0;  // in [0, 1)
};

// One run, or several of which a file holds no more than mean and deviation.
struct CountRow {
  std::string benchmark;
  std::string machine;
  std::string run;  // its name; no two rows of a benchmark and machine share one
  CountValue count;
  std::int64_t runs = 1;
  double deviation = 0;  // over the runs, n - 1
  std::string doubt;     // why the count is doubtful; empty when it is not
  std::string place;     // "counts.csv, line 7"
};

struct CountSet {
  std::vector<CountRow> rows;
};

// A file's text and the name that messages call it by.
struct CountFile {
  std::string name;
  std::string text;
};

// Joins files: those that begin with { are documents of `tare count` (their column `metric` is
// taken), all others CSV with the columns benchmark, machine, run and count. In documents the
// machine is the engine where all files are documents of one machine; otherwise the machine, with
// the engine behind it where there are several. Fails (kFormat) on files that are neither, counts
// that are negative or no numbers, and the same run told twice.
Result<CountSet> JoinCounts(std::span<const CountFile> files, std::string_view metric);

// The same of files of at most 64 MiB. Fails with kUsage when there is none.
Result<CountSet> ReadCounts(std::span<const std::filesystem::path> paths, std::string_view metric);

}  // namespace tare::compare
