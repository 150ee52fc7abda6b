// count_set.h: counts of programs on several machines, read from tare's documents or CSV files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::machines {

// A count or a mean of counts, `whole` + `rest`. Counts up to 2^63 keep every digit.
struct CountValue {
  std::int64_t whole = 0;
  double rest = 0;  // in [0, 1)
};

// One run, or several runs of which the file has only mean and deviation.
struct CountRow {
  std::string benchmark;
  std::string machine;
  std::string run;  // its name; unique within a benchmark and machine
  CountValue count;
  std::int64_t runs = 1;
  double deviation = 0;  // over the runs (n - 1)
  std::string doubt;     // why the count is doubtful; empty if it is not
  std::string place;     // origin: "counts.csv, line 7"
};

struct CountSet {
  std::vector<CountRow> rows;
};

// A file's text and its name in messages.
struct CountFile {
  std::string name;
  std::string text;
};

// Joins files. Files that begin with { are documents of `tare count` (the column `metric` is used);
// all others are CSV with the columns benchmark, machine, run and count. If all files are documents
// of one machine, a row's machine is the engine; otherwise it is the machine, followed by the
// engine if there are several. kFormat for files that are neither, for counts that are negative or
// not numbers, and for duplicate runs.
Result<CountSet> JoinCounts(std::span<const CountFile> files, std::string_view metric);

// The same for files of at most 64 MiB. kUsage if there are none.
Result<CountSet> ReadCounts(std::span<const std::filesystem::path> paths, std::string_view metric);

}  // namespace tare::machines
