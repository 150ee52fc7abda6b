// sqlite_connection.cc: calls of SQLite, if tare was built with it.
#include "analysis/study/sqlite_connection.h"

#include <fmt/format.h>

#include "base/printable.h"

#ifdef TARE_SQLITE
#include <sqlite3.h>
#endif

namespace tare::study {

#ifdef TARE_SQLITE

namespace {

// Another process may hold the database for a transaction or a checkpoint.
constexpr int kBusyMilliseconds = 20'000;

std::unexpected<Error> Failed(sqlite3* database, const std::filesystem::path& path) {
  const int code = sqlite3_errcode(database) & 0xff;
  const std::string name = Printable(path.string());
  const std::string why = sqlite3_errmsg(database);
  switch (code) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Fail(
          ErrorKind::kFormat,
          fmt::format("{} is damaged ({}); tare study export writes what can be read", name, why));
    case SQLITE_FULL:
      return Fail(ErrorKind::kIo,
                  fmt::format("cannot write {}: the disk is full; finished runs are kept: free "
                              "space, then run the study again",
                              name));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Fail(ErrorKind::kIo, fmt::format("{} is in use by another process", name));
    default:
      return Fail(ErrorKind::kIo, fmt::format("cannot use {}: {}", name, why));
  }
}

}  // namespace

void SqliteStatement::Deleter::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}
void SqliteConnection::Deleter::operator()(sqlite3* database) const { sqlite3_close(database); }

// Binding fails only if the place does not exist, which the first step then reports as null.
SqliteStatement& SqliteStatement::Bind(int place, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), place, value);
  return *this;
}
SqliteStatement& SqliteStatement::Bind(int place, double value) {
  sqlite3_bind_double(statement_.get(), place, value);
  return *this;
}
SqliteStatement& SqliteStatement::Bind(int place, std::string_view text) {
  // SQLite copies the text: SQLITE_TRANSIENT is an old-style cast.
  const auto copied = reinterpret_cast<sqlite3_destructor_type>(-1);
  sqlite3_bind_text64(statement_.get(), place, text.data(), text.size(), copied, SQLITE_UTF8);
  return *this;
}
SqliteStatement& SqliteStatement::BindNull(int place) {
  sqlite3_bind_null(statement_.get(), place);
  return *this;
}

Result<bool> SqliteStatement::Step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) {
    Reset();
    return false;
  }
  auto failed = Failed(database_, *path_);
  Reset();
  return failed;
}

Result<void> SqliteStatement::Run() {
  while (true) {
    TRY(const bool more, Step());
    if (!more) return {};
  }
}

void SqliteStatement::Reset() { sqlite3_reset(statement_.get()); }

std::int64_t SqliteStatement::Whole(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}
double SqliteStatement::Real(int column) const {
  return sqlite3_column_double(statement_.get(), column);
}
std::string SqliteStatement::Text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
bool SqliteStatement::IsNull(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
bool SqliteStatement::IsWhole(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
}

Result<SqliteConnection> SqliteConnection::Open(const std::filesystem::path& path, Mode mode) {
  SqliteConnection connection(path);
  int flags = SQLITE_OPEN_NOMUTEX;
  flags |= mode == Mode::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == Mode::kCreate) flags |= SQLITE_OPEN_CREATE;
  sqlite3* database = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  connection.database_.reset(database);
  if (status != SQLITE_OK) {
    return Fail(ErrorKind::kIo,
                fmt::format("cannot open {}: {}", Printable(path.string()),
                            database == nullptr ? "out of memory" : sqlite3_errmsg(database)));
  }
  sqlite3_busy_timeout(database, kBusyMilliseconds);
  return connection;
}

Result<void> SqliteConnection::Execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return Failed(database_.get(), *path_);
  }
  return {};
}

Result<SqliteStatement> SqliteConnection::Prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    return Failed(database_.get(), *path_);
  }
  return SqliteStatement(statement, database_.get(), path_.get());
}

std::int64_t SqliteConnection::LastRow() const {
  return sqlite3_last_insert_rowid(database_.get());
}

#else

void SqliteStatement::Deleter::operator()(sqlite3_stmt*) const {}
void SqliteConnection::Deleter::operator()(sqlite3*) const {}
SqliteStatement& SqliteStatement::Bind(int, std::int64_t) { return *this; }
SqliteStatement& SqliteStatement::Bind(int, double) { return *this; }
SqliteStatement& SqliteStatement::Bind(int, std::string_view) { return *this; }
SqliteStatement& SqliteStatement::BindNull(int) { return *this; }
Result<bool> SqliteStatement::Step() { return false; }
Result<void> SqliteStatement::Run() { return {}; }
void SqliteStatement::Reset() {}
std::int64_t SqliteStatement::Whole(int) const { return 0; }
double SqliteStatement::Real(int) const { return 0; }
std::string SqliteStatement::Text(int) const { return {}; }
bool SqliteStatement::IsNull(int) const { return true; }
bool SqliteStatement::IsWhole(int) const { return false; }

Result<SqliteConnection> SqliteConnection::Open(const std::filesystem::path&, Mode) {
  return Fail(ErrorKind::kUnsupported,
              "this tare was built without SQLite, which stores the results of studies; install "
              "libsqlite3-dev and build it again");
}
Result<void> SqliteConnection::Execute(const std::string&) { return {}; }
Result<SqliteStatement> SqliteConnection::Prepare(const std::string&) const {
  return SqliteStatement(nullptr, nullptr, path_.get());
}
std::int64_t SqliteConnection::LastRow() const { return 0; }

#endif

Result<SqliteTransaction> SqliteTransaction::Begin(SqliteConnection& connection) {
  TRY_VOID(connection.Execute("BEGIN IMMEDIATE"));
  return SqliteTransaction(connection);
}

SqliteTransaction::~SqliteTransaction() {
  // A failed rollback leaves the transaction to be undone when the database is closed.
  if (connection_ != nullptr) static_cast<void>(connection_->Execute("ROLLBACK"));
}

Result<void> SqliteTransaction::Commit() {
  TRY_VOID(connection_->Execute("COMMIT"));
  connection_ = nullptr;
  return {};
}

}  // namespace tare::study
