// sqlite_file.cc: the database, if tare was built with SQLite.
#include "report/sqlite_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/printable.h"

#ifdef TARE_SQLITE
#include <sqlite3.h>
#endif

namespace tare::report {

#ifdef TARE_SQLITE

namespace {

std::string Quoted(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

int Bind(sqlite3_stmt* statement, int place, std::int64_t value) {
  return sqlite3_bind_int64(statement, place, value);
}
int Bind(sqlite3_stmt* statement, int place, double value) {
  return sqlite3_bind_double(statement, place, value);
}
int Bind(sqlite3_stmt* statement, int place, const std::string& value) {
  // A null destructor means that the text stays valid until the row is written.
  return sqlite3_bind_text64(statement, place, value.data(), value.size(), nullptr, SQLITE_UTF8);
}

}  // namespace

struct SqliteFile::State {
  std::filesystem::path path;
  std::filesystem::path temporary;
  sqlite3* database = nullptr;
  std::set<std::string> tables = {};

  ~State() {
    sqlite3_close(database);
    std::error_code ignored;
    if (!temporary.empty()) std::filesystem::remove(temporary, ignored);
  }

  std::unexpected<Error> Failed() const {
    return Fail(ErrorKind::kIo, fmt::format("cannot write {}: {}", Printable(path.string()),
                                            sqlite3_errmsg(database)));
  }

  Result<void> Execute(const std::string& sql) {
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      return Failed();
    }
    return {};
  }

  Result<void> CreateTable(const TypedTable& table) {
    if (!tables.insert(table.name).second) return {};
    constexpr const char* kTypes[] = {"INTEGER", "REAL", "TEXT"};
    std::vector<std::string> columns;
    for (const TypedColumn& column : table.columns) {
      columns.push_back(Quoted(column.name) + " " + kTypes[column.values.index()]);
    }
    return Execute(
        fmt::format("CREATE TABLE {} ({})", Quoted(table.name), fmt::join(columns, ", ")));
  }

  Result<void> Insert(const TypedTable& table) {
    std::vector<std::string> names;
    for (const TypedColumn& column : table.columns) names.push_back(Quoted(column.name));
    const std::vector<std::string> marks(names.size(), "?");
    const std::string sql = fmt::format("INSERT INTO {} ({}) VALUES ({})", Quoted(table.name),
                                        fmt::join(names, ", "), fmt::join(marks, ", "));
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      return Failed();
    }
    const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> owner(statement, sqlite3_finalize);
    for (std::size_t row = 0; row < table.rows; ++row) {
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const int place = static_cast<int>(c) + 1;
        const int status = std::visit(
            [&](const auto& values) {
              return values[row] ? Bind(statement, place, *values[row])
                                 : sqlite3_bind_null(statement, place);
            },
            table.columns[c].values);
        if (status != SQLITE_OK) return Failed();
      }
      if (sqlite3_step(statement) != SQLITE_DONE) return Failed();
      sqlite3_reset(statement);
    }
    return {};
  }
};

Result<SqliteFile> SqliteFile::Create(const std::filesystem::path& path) {
  auto state = std::make_unique<State>(path, path);
  state->temporary += fmt::format(".{}.new", ::getpid());
  std::error_code ignored;
  std::filesystem::remove(state->temporary, ignored);
  if (sqlite3_open(state->temporary.c_str(), &state->database) != SQLITE_OK) {
    return state->Failed();
  }
  // The file is thrown away unless it is complete, so that no journal is needed.
  TRY_VOID(state->Execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN"));
  return SqliteFile(std::move(state));
}

Result<void> SqliteFile::Add(const TypedTable& table) {
  if (table.columns.empty()) return {};
  // The default limit of SQLite.
  constexpr std::size_t kMaxColumns = 2000;
  if (table.columns.size() > kMaxColumns) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("table {} has {} columns and SQLite takes {}; export it as Parquet",
                            Printable(table.name), table.columns.size(), kMaxColumns));
  }
  TRY_VOID(state_->CreateTable(table));
  return state_->Insert(table);
}

Result<void> SqliteFile::Finish() {
  TRY_VOID(state_->Execute("COMMIT"));
  if (sqlite3_close(std::exchange(state_->database, nullptr)) != SQLITE_OK) {
    return state_->Failed();
  }
  std::error_code error;
  std::filesystem::rename(state_->temporary, state_->path, error);
  if (error) return std::unexpected(SystemError("write", state_->path, error.value()));
  state_->temporary.clear();
  return {};
}

#else

struct SqliteFile::State {};

Result<SqliteFile> SqliteFile::Create(const std::filesystem::path&) {
  return Fail(ErrorKind::kUnsupported,
              "this tare was built without SQLite (libsqlite3-dev); use --format parquet");
}
Result<void> SqliteFile::Add(const TypedTable&) { return {}; }
Result<void> SqliteFile::Finish() { return {}; }

#endif

SqliteFile::SqliteFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteFile::SqliteFile(SqliteFile&&) noexcept = default;
SqliteFile::~SqliteFile() = default;

namespace {

void PrependNumber(TypedTable& table, std::size_t result) {
  TypedColumn::Whole numbers(table.rows, static_cast<std::int64_t>(result));
  table.columns.insert(table.columns.begin(), {"result", std::move(numbers)});
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    if (table.columns[c].name == "result") table.columns[c].name = "own_result";
  }
}

Table ResultsTable(std::span<const PageResult> results) {
  Table table{"results",
              "",
              {{"result"},
               {"command"},
               {"title"},
               {"file"},
               {"machine"},
               {"kernel"},
               {"time"},
               {"seed"},
               {"command_line"},
               {"tare"}},
              {}};
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Document& document = results[i].document;
    const Provenance& provenance = document.provenance;
    std::vector<Cell> row(table.columns.size());
    row[0] = Number(static_cast<std::int64_t>(i + 1));
    row[1] = document.command;
    row[2] = document.title;
    row[3] = results[i].name;
    row[4] = provenance.machine;
    row[5] = provenance.kernel;
    row[6] = provenance.time;
    if (provenance.seed) row[7] = Number(static_cast<std::int64_t>(*provenance.seed));
    row[8] = fmt::format("{}", fmt::join(provenance.command_line, " "));
    row[9] = document.version;
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Result<void> AddResults(SqliteFile& file, std::span<const PageResult> results) {
  TRY_VOID(file.Add(TypedColumns(ResultsTable(results))));
  Table caveats{"caveats", "", {{"id"}, {"verdict"}, {"message"}, {"detail"}, {"hint"}}, {}};
  Table texts{"texts", "", {{"id"}, {"text"}}, {}};
  std::map<std::string, TypedTable> tables;
  const auto add = [&](std::size_t result, const std::string& name, const Table& table) {
    TypedTable typed = TypedColumns(table);
    typed.name = name;
    PrependNumber(typed, result);
    const auto [own, is_new] = tables.emplace(name, typed);
    if (!is_new) AppendRows(own->second, typed);
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Document& document = results[i].document;
    Table own_caveats = caveats;
    for (const StatedCaveat& caveat : document.caveats) {
      own_caveats.rows.push_back({caveat.id, std::string(Name(caveat.verdict)), caveat.message,
                                  caveat.detail, caveat.hint});
    }
    add(i + 1, "caveats", own_caveats);
    Table own_texts = texts;
    for (const Block& block : document.blocks) {
      if (const auto* text = std::get_if<Text>(&block)) {
        own_texts.rows.push_back({text->id, text->text});
      } else if (const auto table = AsTable(block)) {
        std::string command = document.command;
        std::ranges::replace(command, ' ', '_');
        add(i + 1, fmt::format("{}_{}", command, table->id), *table);
      }
    }
    add(i + 1, "texts", own_texts);
  }
  for (const auto& [name, table] : tables) TRY_VOID(file.Add(table));
  return {};
}

}  // namespace tare::report
