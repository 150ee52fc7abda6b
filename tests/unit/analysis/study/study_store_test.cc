// study_store_test.cc: what is stored survives crashes, and damage costs little.
#include "analysis/study/study_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "tests/unit/analysis/study/small_study.h"

namespace tare::study {
namespace {

using testing::HasSubstr;

constexpr std::string_view kStudy =
    "format = 1\n[[program]]\nname = \"a\"\ncommand = \"echo {n}\"\n[parameters]\nn = [1, 2]\n";

RunRecord Record(const StudyCases& cases, std::size_t index, std::int64_t repetition) {
  RunRecord record;
  record.key = cases.cases[index].key;
  record.repetition = repetition;
  record.seconds = 0.5;
  record.node = "here";
  record.conditions = {{"machine", "m"}, {"program sha256", "x"}};
  record.values = {{"wall", "s", 0.5}, {"faults", "", std::int64_t{9007199254740993}}};
  return record;
}

class StoredStudyTest : public testing::Test {
 protected:
  Result<StudyStore> Open() { return StudyStore::OpenToRun(scratch_.Path(), study_, cases_); }

  void Fill(std::int64_t runs) {
    auto store = Open();
    ASSERT_TRUE(store.has_value()) << store.error().message;
    for (std::int64_t r = 0; r < runs; ++r) {
      ASSERT_TRUE(store->Add(Record(cases_, static_cast<std::size_t>(r % 2), r / 2)).has_value());
    }
  }

  ScratchDirectory scratch_;
  Study study_ = Parsed(kStudy);
  StudyCases cases_ = CasesOf(study_);
};

TEST_F(StoredStudyTest, GivesBackWhatWasStored) {
  Fill(3);
  const auto store = StudyStore::OpenToRead(scratch_.Path());
  ASSERT_TRUE(store.has_value());
  const auto stored = store->Load({});
  ASSERT_TRUE(stored.has_value());
  ASSERT_EQ(stored->runs.size(), 3u);
  EXPECT_EQ(stored->text, kStudy);
  EXPECT_EQ(stored->cases[1].levels.at("n"), "2");
  EXPECT_EQ(stored->conditions[0].at("machine"), "m");
  EXPECT_EQ(std::get<std::int64_t>(*stored->runs[2].values[1]), 9007199254740993);
  EXPECT_EQ(stored->runs[2].repetition, 1);
}

TEST_F(StoredStudyTest, NeverStoresARunTwice) {
  auto store = Open();
  ASSERT_TRUE(store.has_value());
  EXPECT_TRUE(*store->Add(Record(cases_, 0, 0)));
  RunRecord other = Record(cases_, 0, 0);
  other.seconds = 9;
  EXPECT_FALSE(*store->Add(other));
  const auto stored = store->Load({});
  ASSERT_EQ(stored->runs.size(), 1u);
  EXPECT_DOUBLE_EQ(stored->runs[0].seconds, 0.5);
}

TEST_F(StoredStudyTest, KeepsEveryFinishedRunOfAProcessThatIsKilled) {
  int announced[2];
  ASSERT_EQ(::pipe(announced), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto store = Open();
    for (std::int64_t r = 0; store; ++r) {
      if (!store->Add(Record(cases_, 0, r))) break;
      const ssize_t written = ::write(announced[1], "x", 1);
      if (written != 1) break;
    }
    ::_exit(1);
  }
  ::close(announced[1]);
  char byte = 0;
  std::size_t finished = 0;
  while (finished < 40 && ::read(announced[0], &byte, 1) == 1) ++finished;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  while (::read(announced[0], &byte, 1) == 1) ++finished;
  ::close(announced[0]);
  const auto store = Open();
  ASSERT_TRUE(store.has_value()) << store.error().message;
  const auto stored = store->Load({});
  ASSERT_TRUE(stored.has_value());
  EXPECT_GE(finished, 40u);
  // The last run may have been committed without being announced.
  EXPECT_GE(stored->runs.size(), finished);
  EXPECT_LE(stored->runs.size(), finished + 1);
  for (const LoadedRun& run : stored->runs) EXPECT_EQ(run.values.size(), 2u);
}

// Stores runs until the disk is full, then gets space and goes on; the exit status says which step
// fails.
[[noreturn]] void FillDisk(const std::filesystem::path& disk, const Study& study,
                           const StudyCases& cases) {
  constexpr int kSkipped = 77;
  if (::unshare(CLONE_NEWNS) != 0 ||
      ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", disk.c_str(), "tmpfs", 0, "size=400k") != 0) {
    ::_exit(kSkipped);
  }
  std::int64_t stored = 0;
  {
    auto store = StudyStore::OpenToRun(disk, study, cases);
    if (!store) ::_exit(1);
    while (true) {
      const auto added = store->Add(Record(cases, 0, stored));
      if (!added) {
        const Error& error = added.error();
        if (error.kind != ErrorKind::kIo || !error.message.contains("the disk is full")) ::_exit(2);
        break;
      }
      if (++stored > 100'000) ::_exit(3);
    }
  }
  if (::mount("none", disk.c_str(), "tmpfs", MS_REMOUNT, "size=4m") != 0) ::_exit(4);
  auto store = StudyStore::OpenToRun(disk, study, cases);
  if (!store) ::_exit(5);
  const auto loaded = store->Load({});
  if (!loaded || loaded->runs.size() != static_cast<std::size_t>(stored)) ::_exit(6);
  if (!store->Add(Record(cases, 0, stored)).value_or(false)) ::_exit(7);
  ::_exit(0);
}

TEST_F(StoredStudyTest, KeepsFinishedRunsOnAFullDiskAndGoesOnWithSpace) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting a small file system needs root";
  const pid_t child = ::fork();
  if (child == 0) FillDisk(scratch_.Path(), study_, cases_);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "file systems cannot be mounted here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(StoredStudyTest, RefusesAnotherSchemaAndNamesBothVersions) {
  Fill(1);
  {
    auto connection =
        SqliteConnection::Open(scratch_.Path() / kDatabaseName, SqliteConnection::Mode::kWrite);
    ASSERT_TRUE(connection.has_value());
    ASSERT_TRUE(connection->Execute("PRAGMA user_version = 7").has_value());
  }
  const auto store = StudyStore::OpenToRead(scratch_.Path());
  ASSERT_FALSE(store.has_value());
  EXPECT_THAT(store.error().message,
              HasSubstr("has version 7, this tare reads and writes version"));
  EXPECT_FALSE(Open().has_value());
}

TEST_F(StoredStudyTest, ReadsAroundDamagedPages) {
  Fill(2000);
  const auto path = scratch_.Path() / kDatabaseName;
  {
    auto connection = SqliteConnection::Open(path, SqliteConnection::Mode::kWrite);
    ASSERT_TRUE(connection->Execute("PRAGMA wal_checkpoint(TRUNCATE)").has_value());
  }
  const auto bytes = std::filesystem::file_size(path);
  std::size_t salvaged_from = 0;
  // A page in the middle, somewhere else each time.
  for (std::uint64_t at = bytes / 4; at + 4096 < bytes; at += bytes / 8) {
    const auto copy = scratch_.Path() / "copy";
    std::filesystem::remove_all(copy);
    std::filesystem::create_directories(copy);
    std::filesystem::copy_file(path, copy / kDatabaseName);
    {
      std::fstream file(copy / kDatabaseName, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(at / 4096 * 4096));
      file << std::string(4096, '\xff');
    }
    const auto store = StudyStore::OpenToRead(copy);
    ASSERT_TRUE(store.has_value()) << store.error().message;
    const auto stored = store->Load({.salvage = true});
    ASSERT_TRUE(stored.has_value()) << stored.error().message;
    EXPECT_GE(stored->runs.size(), 1000u) << at;
    if (stored->damaged) ++salvaged_from;
  }
  EXPECT_GE(salvaged_from, 2u);
}

TEST_F(StoredStudyTest, ReadsADatabaseWithoutItsEndOrItsHeader) {
  Fill(2000);
  const auto path = scratch_.Path() / kDatabaseName;
  {
    auto connection = SqliteConnection::Open(path, SqliteConnection::Mode::kWrite);
    ASSERT_TRUE(connection->Execute("PRAGMA wal_checkpoint(TRUNCATE)").has_value());
  }
  const auto copy = scratch_.Path() / "copy";
  std::filesystem::create_directories(copy);
  std::filesystem::copy_file(path, copy / kDatabaseName);
  std::filesystem::resize_file(copy / kDatabaseName, std::filesystem::file_size(path) / 2);
  const auto half = LoadWhatCanBeRead(copy);
  ASSERT_TRUE(half.has_value()) << half.error().message;
  EXPECT_TRUE(half->damaged);
  EXPECT_GE(half->runs.size(), 500u);
  EXPECT_LE(half->runs.size() + half->unreadable_runs, 2000u);
  std::filesystem::copy_file(path, copy / kDatabaseName,
                             std::filesystem::copy_options::overwrite_existing);
  {
    std::fstream file(copy / kDatabaseName, std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(100, 'x');
  }
  const auto headless = LoadWhatCanBeRead(copy);
  ASSERT_TRUE(headless.has_value()) << headless.error().message;
  EXPECT_TRUE(headless->damaged);
  EXPECT_EQ(headless->runs.size(), 2000u);
  EXPECT_EQ(headless->unreadable_runs, 0u);
  // The file itself stays as it is.
  EXPECT_EQ(std::filesystem::file_size(copy / kDatabaseName), std::filesystem::file_size(path));
  EXPECT_FALSE(StudyStore::OpenToRead(copy).has_value());
}

TEST_F(StoredStudyTest, SaysThatNothingCanBeReadOrThatNothingWasStored) {
  std::ofstream(scratch_.Path() / kDatabaseName, std::ios::binary) << std::string(8192, 'x');
  const auto stored = LoadWhatCanBeRead(scratch_.Path());
  ASSERT_FALSE(stored.has_value());
  EXPECT_THAT(stored.error().message, HasSubstr("is damaged, and nothing of it can be read"));
  std::ofstream(scratch_.Path() / kDatabaseName, std::ios::binary | std::ios::trunc) << "";
  const auto empty = StudyStore::OpenToRead(scratch_.Path());
  ASSERT_FALSE(empty.has_value());
  EXPECT_THAT(empty.error().message, HasSubstr("is empty: no run was stored"));
}

TEST_F(StoredStudyTest, SaysThatADatabaseIsDamaged) {
  Fill(3);
  std::ofstream(scratch_.Path() / kDatabaseName, std::ios::binary) << std::string(8192, 'x');
  std::filesystem::remove(scratch_.Path() / "study.db-wal");
  std::filesystem::remove(scratch_.Path() / "study.db-shm");
  const auto store = Open();
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().kind, ErrorKind::kFormat);
  EXPECT_THAT(store.error().message, HasSubstr("is damaged"));
}

TEST(ResultsLock, IsHeldByOneProcess) {
  const ScratchDirectory scratch;
  const auto first = ResultsLock::Take(scratch.Path());
  ASSERT_TRUE(first.has_value());
  const auto second = ResultsLock::Take(scratch.Path());
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(second.error().message,
              HasSubstr("this study is being run by process " + std::to_string(::getpid())));
  EXPECT_TRUE(RunnerOf(scratch.Path()).has_value());
}

TEST(ResultsLock, IsFreeAfterItsOwnerIsGone) {
  const ScratchDirectory scratch;
  {
    EXPECT_TRUE(ResultsLock::Take(scratch.Path()).has_value());
  }
  EXPECT_FALSE(RunnerOf(scratch.Path()).has_value());
  EXPECT_TRUE(ResultsLock::Take(scratch.Path()).has_value());
}

TEST(RunRecord, IsReadBackFromJson) {
  RunRecord record;
  record.key = "k";
  record.repetition = -2;
  record.state = RunState::kKilled;
  record.signal = 11;
  record.message = "a \"quoted\" line";
  record.conditions = {{"a", "b"}};
  record.values = {{"m", "s", 1.5}, {"n", "", std::int64_t{7}}};
  const auto read = ParseRunRecord(ToJson(record));
  ASSERT_TRUE(read.has_value()) << read.error().message;
  EXPECT_EQ(read->repetition, -2);
  EXPECT_EQ(read->state, RunState::kKilled);
  EXPECT_EQ(read->signal, 11);
  EXPECT_FALSE(read->exit_status.has_value());
  EXPECT_EQ(read->message, record.message);
  EXPECT_EQ(read->conditions, record.conditions);
  EXPECT_EQ(std::get<std::int64_t>(read->values[1].value), 7);
  EXPECT_FALSE(ParseRunRecord("{}").has_value());
  EXPECT_FALSE(ParseRunRecord(ToJson(record).substr(0, 40)).has_value());
}

}  // namespace
}  // namespace tare::study
