// sqlite_connection.h: a connection to an SQLite database and its prepared statements.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace tare::study {

// Places of parameters start at 1, columns at 0.
class SqliteStatement {
 public:
  SqliteStatement(SqliteStatement&&) noexcept = default;
  SqliteStatement& operator=(SqliteStatement&&) noexcept = default;

  SqliteStatement& Bind(int place, std::int64_t value);
  SqliteStatement& Bind(int place, double value);
  SqliteStatement& Bind(int place, std::string_view text);
  SqliteStatement& BindNull(int place);

  // True: there is a row. False: the end; the statement is then reset and can be bound again.
  Result<bool> Step();
  // Executes a statement that gives no rows.
  Result<void> Run();
  void Reset();

  std::int64_t Whole(int column) const;
  double Real(int column) const;
  std::string Text(int column) const;
  bool IsNull(int column) const;
  bool IsWhole(int column) const;

 private:
  friend class SqliteConnection;
  struct Deleter {
    void operator()(sqlite3_stmt* statement) const;
  };
  SqliteStatement(sqlite3_stmt* statement, sqlite3* database, const std::filesystem::path* path)
      : statement_(statement), database_(database), path_(path) {}

  std::unique_ptr<sqlite3_stmt, Deleter> statement_;
  sqlite3* database_;
  const std::filesystem::path* path_;
};

// Errors: kIo if the disk is full or not writable, kFormat if the file is damaged or not a
// database, kUnsupported in a tare that was built without SQLite.
class SqliteConnection {
 public:
  enum class Mode { kRead, kWrite, kCreate };
  static Result<SqliteConnection> Open(const std::filesystem::path& path, Mode mode);
  SqliteConnection(SqliteConnection&&) noexcept = default;
  SqliteConnection& operator=(SqliteConnection&&) noexcept = default;

  Result<void> Execute(const std::string& sql);
  Result<SqliteStatement> Prepare(const std::string& sql) const;
  std::int64_t LastRow() const;

 private:
  struct Deleter {
    void operator()(sqlite3* database) const;
  };
  explicit SqliteConnection(std::filesystem::path path)
      : path_(std::make_unique<std::filesystem::path>(std::move(path))) {}

  std::unique_ptr<std::filesystem::path> path_;
  std::unique_ptr<sqlite3, Deleter> database_;
};

// A transaction that is rolled back unless it is committed.
class SqliteTransaction {
 public:
  static Result<SqliteTransaction> Begin(SqliteConnection& connection);
  SqliteTransaction(SqliteTransaction&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)) {}
  SqliteTransaction& operator=(SqliteTransaction&&) = delete;
  ~SqliteTransaction();
  Result<void> Commit();

 private:
  explicit SqliteTransaction(SqliteConnection& connection) : connection_(&connection) {}
  SqliteConnection* connection_;
};

}  // namespace tare::study
