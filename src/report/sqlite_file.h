// sqlite_file.h: writes tables into an SQLite database.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "base/result.h"
#include "report/page.h"
#include "report/typed_columns.h"

namespace tare::report {

// A new database, which appears under its name in Finish(). Fails (kUnsupported) in a tare that was
// built without SQLite.
class SqliteFile {
 public:
  static Result<SqliteFile> Create(const std::filesystem::path& path);
  SqliteFile(SqliteFile&&) noexcept;
  SqliteFile& operator=(SqliteFile&&) = delete;
  ~SqliteFile();

  // Creates the table with the first rows of that name, and appends later ones, whose columns must
  // be the same.
  Result<void> Add(const TypedTable& table);
  Result<void> Finish();

 private:
  struct State;
  explicit SqliteFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The tables `results`, `caveats` and `texts`, and a table COMMAND_BLOCK for every block with
// numbers. Each has a column `result`, the number of the result.
Result<void> AddResults(SqliteFile& file, std::span<const PageResult> results);

}  // namespace tare::report
