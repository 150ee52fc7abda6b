// compiled_stream_test.cc: compares a program's stream with its own block counts and with counts
// worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/private_directory.h"
#include "binary/elf/elf_file.h"
#include "binary/elf/elf_image.h"
#include "compiled_program.h"
#include "format/counter_sites.h"
#include "format/stream_reader.h"
#include "measure/engine/compiled_module.h"

namespace tare::count {
namespace {

struct Streamed {
  std::map<std::uint64_t, std::uint64_t> executions;  // by the stretch's number
  std::vector<format::TouchedMemory> touched;
  std::uint64_t records = 0;
};

std::vector<std::filesystem::path> FilesOf(const std::filesystem::path& directory, bool streams) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name != "request" && name.starts_with(TARE_STREAM_FILE) == streams) {
      files.push_back(entry.path());
    }
  }
  return files;
}

// Calls `use` with the section of the program's file.
template <typename Use>
void WithSection(const std::filesystem::path& program, const char* name, Use use) {
  const auto image = elf::OpenElf(program);
  ASSERT_TRUE(image);
  const auto file = elf::ReadElfFile(image->bytes());
  ASSERT_TRUE(file);
  const elf::Section* section = file->FindSection(name);
  ASSERT_NE(section, nullptr) << name;
  use(*section);
}

class Streams : public ::testing::Test {
 protected:
  // Runs the program to its end and reads its stream meanwhile.
  void Run() {
    auto made = PrivateDirectory::Make();
    ASSERT_TRUE(made);
    run_.emplace(std::move(*made));
    tare_counters_request request = {};
    request.version = TARE_COUNTERS_VERSION;
    request.stream = TARE_STREAM_DELIVER;
    FILE* file = std::fopen((run_->path() / TARE_RUN_REQUEST).c_str(), "w");
    ASSERT_NE(file, nullptr);
    std::fwrite(&request, sizeof(request), 1, file);
    std::fclose(file);
    const auto path = program_.directory() / "program";
    WithSection(path, TARE_STREAM_SECTION, [&](const elf::Section& section) {
      auto parsed = format::StreamDescriptions::Parse(section.contents, section.address);
      ASSERT_TRUE(parsed) << parsed.error().message;
      descriptions_ = std::move(*parsed);
    });
    engine::EnginePlan plan = program_.Plan();
    plan.setting.environment.set = {{TARE_RUN_VARIABLE, run_->path().string()}};
    run::Hooks hooks;
    hooks.interrupted = [this] {
      Take(false);
      return false;
    };
    const auto finished = run::RunProgram(plan.program, plan.setting, hooks);
    ASSERT_TRUE(finished) << finished.error().message;
    EXPECT_EQ(finished->ended.ShellStatus(), 0);
    Take(true);
  }

  void Take(bool ended) {
    for (const auto& path : FilesOf(run_->path(), true)) {
      if (!readers_.contains(path)) {
        auto reader = format::StreamReader::Open(path);
        if (!reader) continue;
        readers_.emplace(path, std::move(*reader));
      }
      const auto taken =
          readers_.at(path).Take(descriptions_, ended, [this](const format::StreamRecord& record) {
            ++streamed_.executions[record.stretch.number];
            if (streamed_.touched.size() < 100000) {
              format::ForEachAccess(record,
                                    [this](const auto& one) { streamed_.touched.push_back(one); });
            }
          });
      ASSERT_TRUE(taken) << taken.error().message;
      EXPECT_FALSE(readers_.at(path).CutShort());
      streamed_.records += *taken;
    }
  }

  CompiledProgram program_;
  std::optional<PrivateDirectory> run_;
  format::StreamDescriptions descriptions_;
  std::map<std::filesystem::path, format::StreamReader> readers_;
  Streamed streamed_;
};

class StreamsOfLevels : public Streams, public ::testing::WithParamInterface<const char*> {};

TEST_P(StreamsOfLevels, EachStretchComesAsOftenAsItsBlockWasCounted) {
  std::string why;
  const char* source = R"(#ifndef ROUNDS
#define ROUNDS 3000
#endif
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static int table[1000];
__attribute__((noinline)) int visit(int* p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] % 7 == 0 ? p[i] : i; return s; }
static void* work(void* a) {
  char copy[64];
  int s = 0;
  for (int i = 0; i < ROUNDS; i++) { s += visit(table, 100 + i % 800); memcpy(copy, table, 1 + (size_t)(s & 31)); s += copy[0]; }
  *(int*)a = s;
  return 0;
}
int main(void) {
  for (int i = 0; i < 1000; i++) table[i] = i * 31;
  pthread_t t[4];
  int r[4];
  for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, &r[i]);
  for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
  printf("%d\n", r[0] + r[3]);
  return 0;
})";
  if (!program_.Build(source, false, true, why, GetParam())) GTEST_SKIP() << why;
  ASSERT_NO_FATAL_FAILURE(Run());
  // More than the ring of one thread can contain.
  EXPECT_GT(streamed_.records, 100000u);
  const auto counted = FilesOf(run_->path(), false);
  ASSERT_EQ(counted.size(), 1u);
  const auto file = format::CounterFile::Open(counted.front());
  ASSERT_TRUE(file) << file.error().message;
  std::vector<std::uint64_t> slots(file->Header().slots);
  file->Read(slots);
  const auto path = program_.directory() / "program";
  const auto image = elf::OpenElf(path);
  ASSERT_TRUE(image);
  const auto module = SolveModule(*image, file->Blocks(), slots);
  ASSERT_TRUE(module) << module.error().message;
  const auto block_at = [&](std::uint64_t address) -> std::pair<std::uint64_t, std::uint64_t> {
    for (const format::Block& block : module->blocks) {
      if (block.address <= address && address < block.address + block.code.size()) {
        return {block.address, block.executions};
      }
    }
    return {0, 0};
  };
  std::map<std::uint64_t, std::uint64_t> expected;
  WithSection(path, TARE_STREAM_SITES_SECTION, [&](const elf::Section& section) {
    const auto sites = format::ReadCounterSites(section.contents, section.address);
    ASSERT_TRUE(sites) << sites.error().message;
    for (const format::CounterSite& site : *sites) {
      // Without optimisation a store becomes several instructions of one block.
      std::map<std::uint64_t, std::uint64_t> blocks;
      for (const std::uint64_t address : site.addresses) {
        const auto [start, executions] = block_at(address);
        blocks[start] = executions;
      }
      for (const auto& [start, executions] : blocks) expected[site.slot] += executions;
    }
  });
  std::erase_if(expected, [](const auto& item) { return item.second == 0; });
  EXPECT_EQ(streamed_.executions, expected);
}

// Without optimisation there are many more stretches.
INSTANTIATE_TEST_SUITE_P(Of, StreamsOfLevels, ::testing::Values("-O0 -DROUNDS=100", "-O2"),
                         [](const auto& level) { return std::string(level.param + 1, 2); });

TEST_F(Streams, AddressesAreThoseThatTheProgramTouches) {
  std::string why;
  const char* source = R"(#include <stdlib.h>
#include <string.h>
struct pair { long first; long second; };
__attribute__((noinline)) void touch(struct pair* p, long n) {
  for (long i = 0; i < n; i++) { p[i].second += p[i].first; __asm__ volatile("" ::: "memory"); }
}
__attribute__((noinline)) void clear(char* p, size_t n) { memset(p, 0, n); }
int main(void) {
  struct pair* p = aligned_alloc(4096, 4096);
  clear((char*)p, 160);
  touch(p, 10);
  return 0;
})";
  if (!program_.Build(source, false, true, why)) GTEST_SKIP() << why;
  ASSERT_NO_FATAL_FAILURE(Run());
  const auto set = std::ranges::find(streamed_.touched, 160u, &format::TouchedMemory::bytes);
  ASSERT_NE(set, streamed_.touched.end());
  EXPECT_EQ(set->kind, TARE_STREAM_STORE);
  const std::uint64_t start = set->address;
  EXPECT_EQ(start % 4096, 0u);
  std::vector<std::uint64_t> stores;
  std::vector<std::uint64_t> loads;
  for (auto at = set + 1; at != streamed_.touched.end(); ++at) {
    if (at->address < start || at->address >= start + 160) continue;
    EXPECT_EQ(at->bytes, 8u);
    (at->kind == TARE_STREAM_STORE ? stores : loads).push_back(at->address - start);
  }
  ASSERT_EQ(stores.size(), 10u);
  ASSERT_EQ(loads.size(), 20u);
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(stores[i], 16 * i + 8);
    EXPECT_EQ(loads[2 * i] + loads[2 * i + 1], 32 * i + 8);
  }
}

}  // namespace
}  // namespace tare::count
