// series_writer_test.cc: tests what the file contains at which time, and what happens when a write
// fails.
#include "format/series_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/descriptor.h"
#include "series_sample.h"

namespace tare::format {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class SeriesWriting : public SeriesSample {
 protected:
  std::size_t FilesThere() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(directory_->path()), fs::directory_iterator()));
  }
};

TEST_F(SeriesWriting, WhatWasWrittenIsRead) {
  const auto records = SomeRecords(100'000, 2, 3);
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  for (const auto& record : records) writer->Append(record);
  ASSERT_TRUE(writer->Close({2'000'000, 3, 0, "", {{"exit status", "0"}}}));
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->outcome.complete);
  EXPECT_EQ(read->outcome.reason, "");
  EXPECT_EQ(read->outcome.bytes, fs::file_size(path_));
  EXPECT_TRUE(read->records == records);
  EXPECT_EQ(read->head.channels, SmallHead().channels);
  ASSERT_TRUE(read->outcome.end);
  EXPECT_EQ(read->outcome.end->interval, 2'000'000u);
  EXPECT_EQ(read->outcome.end->missed, 3u);
  EXPECT_EQ(read->outcome.end->facts[0].value, "0");
  EXPECT_EQ(FilesThere(), 1u);
}

TEST_F(SeriesWriting, NoRecordIsAWholeSeriesToo) {
  auto writer = SeriesWriter::Create(path_, {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->Close({}));
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->outcome.complete);
  EXPECT_EQ(read->outcome.records, 0u);
}

TEST_F(SeriesWriting, IsBornIncomplete) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->head.channels.size(), 2u);
  EXPECT_FALSE(read->outcome.complete);
  EXPECT_THAT(read->outcome.reason, HasSubstr("without an end"));
}

TEST_F(SeriesWriting, AChunkIsWrittenEvery100Milliseconds) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  const auto seen_after = [&](std::uint64_t now_ns) {
    writer->Append(now_ns, std::vector<std::optional<std::int64_t>>{1, 2});
    writer->FlushIfDue(now_ns);
    return ReadAll(path_)->records.size();
  };
  const std::uint64_t start = 5'000'000'000'000;
  EXPECT_EQ(seen_after(start), 0u);
  EXPECT_EQ(seen_after(start + 99'999'999), 0u);
  EXPECT_EQ(seen_after(start + 100'000'000), 3u);
  EXPECT_EQ(seen_after(start + 199'999'999), 3u);
  EXPECT_EQ(seen_after(start + 200'000'000), 5u);
}

TEST_F(SeriesWriting, AChunkIsWrittenWhenItIsLarge) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  const auto records = SomeRecords(50'000, 2, 1);
  for (const auto& record : records) writer->Append(record);
  EXPECT_GT(ReadAll(path_)->records.size(), 20'000u);
}

TEST_F(SeriesWriting, AKilledWriterLeavesWhatWasFlushed) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto writer = SeriesWriter::Create(path_, SmallHead());
    for (const auto& record : SomeRecords(50, 2, 9)) writer->Append(record);
    writer->Flush();
    for (const auto& record : SomeRecords(50, 2, 9)) writer->Append(record);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->records, SomeRecords(50, 2, 9));
  EXPECT_FALSE(read->outcome.complete);
  EXPECT_EQ(FilesThere(), 1u);
}

TEST_F(SeriesWriting, ChannelsAddedLaterHaveNoValueBefore) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  const SeriesRecord before{1, {10, 20}};
  const SeriesRecord after{2, {11, std::nullopt, 30, 40}};
  writer->Append(before);
  ASSERT_TRUE(writer->AddChannels(std::vector{Total("x"), Level("y")}));
  EXPECT_EQ(writer->Channels(), 4u);
  EXPECT_FALSE(writer->AddChannels(std::vector{Total("z"), Level("x")}));
  EXPECT_EQ(writer->Channels(), 4u);
  writer->Append(after);
  ASSERT_TRUE(writer->Close({}));
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->outcome.complete);
  ASSERT_EQ(read->head.channels.size(), 4u);
  EXPECT_EQ(read->head.channels[3], Level("y"));
  EXPECT_EQ(read->records, (std::vector{before, after}));
}

TEST_F(SeriesWriting, AnEarlierFileStaysUntilTheNewOneHasBegun) {
  ASSERT_TRUE(WriteFileAtomically(path_, "precious"));
  EXPECT_FALSE(SeriesWriter::Create(path_, {0, "ns", {Total("a"), Total("a")}, {}, {}}));
  EXPECT_EQ(BytesOf(path_), "precious");
  EXPECT_EQ(FilesThere(), 1u);
  ASSERT_TRUE(SeriesWriter::Create(path_, SmallHead()));
  EXPECT_TRUE(ReadAll(path_));
}

TEST_F(SeriesWriting, PermissionsAndLinksOfAnEarlierFileStay) {
  ASSERT_TRUE(WriteFileAtomically(path_, "old"));
  ASSERT_EQ(::chmod(path_.c_str(), 0640), 0);
  const fs::path link = directory_->path() / "link";
  fs::create_symlink(path_, link);
  auto writer = SeriesWriter::Create(link, SmallHead());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->Close({}));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(ReadAll(path_));
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms{0640});
}

TEST_F(SeriesWriting, TooManyChannelsAreRefused) {
  SeriesHead head;
  for (std::size_t i = 0; i <= kMaxChannels; ++i) {
    head.channels.push_back(Total(std::to_string(i)));
  }
  const auto writer = SeriesWriter::Create(path_, head);
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().message, HasSubstr("at most 65536 channels"));
  EXPECT_EQ(FilesThere(), 0u);
}

TEST_F(SeriesWriting, AsManyChannelsAsThereMayBeWork) {
  SeriesHead head;
  for (std::size_t i = 0; i < kMaxChannels; ++i) {
    head.channels.push_back(Total(std::to_string(i)));
  }
  auto writer = SeriesWriter::Create(path_, head);
  ASSERT_TRUE(writer);
  std::vector<std::optional<std::int64_t>> values(kMaxChannels, 1);
  for (std::uint64_t i = 0; i < 9; ++i) {
    values[i] = std::numeric_limits<std::int64_t>::max();
    writer->Append(i, values);
  }
  ASSERT_TRUE(writer->Close({}));
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->outcome.complete) << read->outcome.reason;
  EXPECT_EQ(read->records.size(), 9u);
  EXPECT_EQ(read->records.back().values, values);
}

TEST_F(SeriesWriting, ARecordFromThePastIsDroppedAndCounted) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  for (const std::uint64_t time : {5u, 7u, 6u, 7u}) {
    writer->Append(time, std::vector<std::optional<std::int64_t>>{1, 2});
  }
  ASSERT_TRUE(writer->Close({0, 0, 2, "", {}}));
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->records.size(), 3u);
  EXPECT_EQ(read->outcome.end->dropped, 3u);
  EXPECT_FALSE(read->outcome.complete);
  EXPECT_EQ(read->outcome.reason,
            "incomplete: 3 records were dropped: the times of the records decrease");
}

TEST_F(SeriesWriting, DirectoriesAreRefused) {
  const auto writer = SeriesWriter::Create(directory_->path(), SmallHead());
  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().kind, ErrorKind::kIo);
  EXPECT_FALSE(SeriesWriter::Create(directory_->path() / "no" / "directory", SmallHead()));
}

TEST_F(SeriesWriting, APipeIsWrittenInPlace) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::string bytes;
  std::thread reader([&] { bytes = BytesOf(path_); });
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  const auto records = SomeRecords(20'000, 2, 4);
  for (const auto& record : records) writer->Append(record);
  EXPECT_TRUE(writer->Close({}));
  reader.join();
  EXPECT_TRUE(fs::is_fifo(path_));
  const auto read = ReadSeriesBytes(bytes);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->outcome.complete);
  EXPECT_TRUE(read->records == records);
}

TEST_F(SeriesWriting, ABrokenPipeIsAnErrorAndNoSignal) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  Descriptor reader(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  reader.Close();
  writer->Append(SomeRecords(1, 2, 1)[0]);
  writer->Flush();
  EXPECT_FALSE(writer->Status());
  const auto closed = writer->Close({});
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr("1 of 1 records are missing"));
}

TEST_F(SeriesWriting, AFullDeviceIsAnErrorAtOnce) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const auto writer = SeriesWriter::Create("/dev/full", SmallHead());
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().message, HasSubstr("No space left on device"));
}

TEST_F(SeriesWriting, AFileThatWasRemovedMeanwhileIsAnError) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  fs::remove(path_);
  const auto closed = writer->Close({});
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr("was removed or replaced"));
}

TEST_F(SeriesWriting, TheReserveIsGivenBack) {
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->Close({}));
  struct stat about{};
  ASSERT_EQ(::stat(path_.c_str(), &about), 0);
  EXPECT_LE(about.st_blocks * 512, 32768);
}

TEST_F(SeriesWriting, AnUnseenFileTakesItsNameAtTheEnd) {
  ASSERT_TRUE(WriteFileAtomically(path_, "precious"));
  {
    auto writer = SeriesWriter::CreateUnseen(path_, SmallHead());
    ASSERT_TRUE(writer);
    writer->Append(SomeRecords(1, 2, 1)[0]);
    writer->Flush();
  }
  EXPECT_EQ(BytesOf(path_), "precious");
  EXPECT_EQ(FilesThere(), 1u);
  auto writer = SeriesWriter::CreateUnseen(path_, SmallHead());
  ASSERT_TRUE(writer);
  EXPECT_EQ(BytesOf(path_), "precious");
  ASSERT_TRUE(writer->Close({}));
  EXPECT_TRUE(ReadAll(path_));
  EXPECT_EQ(FilesThere(), 1u);
}

// Limits the size of files that this process can write while the object exists.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(SeriesWriting, AFullDiskLeavesAFileThatOpensAndStatesWhatIsMissing) {
  const auto records = SomeRecords(400, 2, 6);
  const SeriesEnd end{0, 0, 0, "", {{"exit status", "0"}, {"cost of sampling", "0.1 %"}}};
  std::size_t sealed = 0;
  for (rlim_t limit = 0; limit <= 4000; limit += limit < 1000 ? 1 : 37) {
    Result<void> closed;
    bool began = false;
    {
      const FileSizeLimit full(limit);
      auto writer = SeriesWriter::Create(path_, SmallHead());
      began = writer.has_value();
      if (writer) {
        for (std::size_t i = 0; i < records.size(); ++i) {
          writer->Append(records[i]);
          if (i % 10 == 9) writer->Flush();
        }
        closed = writer->Close(end);
      }
    }
    if (!began) {
      EXPECT_EQ(FilesThere(), 0u) << limit;
      continue;
    }
    ASSERT_FALSE(closed) << limit;
    EXPECT_THAT(closed.error().message, HasSubstr("File too large")) << limit;
    const auto read = ReadAll(path_);
    ASSERT_TRUE(read) << limit;
    EXPECT_FALSE(read->outcome.complete);
    const std::size_t kept = read->records.size();
    EXPECT_EQ(read->records,
              std::vector(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(kept)));
    const std::string missing = std::to_string(400 - kept) + " of 400 records are missing";
    EXPECT_THAT(closed.error().message, HasSubstr(missing)) << limit;
    if (read->outcome.end) {
      ++sealed;
      EXPECT_EQ(read->outcome.end->dropped, 400 - kept) << limit;
      EXPECT_EQ(read->outcome.reason, "incomplete: " + std::to_string(400 - kept) +
                                          " records were dropped: File too large");
    } else {
      EXPECT_THAT(closed.error().message, HasSubstr("has no end")) << limit;
      EXPECT_LT(limit, 500u) << "there was room for an end";
    }
    fs::remove(path_);
  }
  EXPECT_GT(sealed, 500u);
}

TEST_F(SeriesWriting, ADiskThatIsFullAtTheEndOnlyCostsTheLastRecords) {
  const auto records = SomeRecords(100, 2, 6);
  auto writer = SeriesWriter::Create(path_, SmallHead());
  ASSERT_TRUE(writer);
  for (std::size_t i = 0; i < records.size(); ++i) {
    writer->Append(records[i]);
    if (i % 10 == 9) writer->Flush();
  }
  {
    const FileSizeLimit full(writer->Bytes());
    ASSERT_FALSE(writer->Close({0, 0, 0, "", {{"exit status", "0"}}}));
  }
  const auto read = ReadAll(path_);
  ASSERT_TRUE(read);
  ASSERT_TRUE(read->outcome.end);
  EXPECT_EQ(read->outcome.end->facts.size(), 1u);
  EXPECT_GE(read->records.size(), 80u);
  EXPECT_EQ(read->outcome.end->dropped, 100 - read->records.size());
}

TEST_F(SeriesWriting, ASignalThatIsBlockedAndPendingStaysSo) {
  sigset_t pipe_signal;
  sigset_t before;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  ::raise(SIGPIPE);
  EXPECT_TRUE(SeriesWriter::Create(path_, SmallHead()));
  const timespec at_once{};
  EXPECT_EQ(::sigtimedwait(&pipe_signal, nullptr, &at_once), SIGPIPE);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace tare::format
