// mpi_counters_test.cc: counters of bursts of a program that tare-cc built.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "base/private_directory.h"
#include "binary/decode/decoder.h"
#include "binary/elf/elf_image.h"
#include "machine/host/engine_files.h"
#include "machine/host/installed_program.h"
#include "measure/engine/compiled_module.h"
#include "measure/mpi/mpi_join.h"
#include "measure/mpi/mpi_record.h"

namespace tare::mpi {
namespace {

constexpr char kCounted[] = TARE_TEST_PROGRAMS "/mpi_two_speeds_counted";

double Instructions(const elf::ElfImage& image, std::uint64_t address, std::uint32_t bytes) {
  decode::Decoder decoder(image.architecture());
  double count = 0;
  for (std::uint64_t at = address; at < address + bytes; ++count) {
    const auto instruction = decoder.TryDecode(image.Code(at, 16), at);
    if (!instruction) break;
    at += instruction->length;
  }
  return count;
}

class MpiCounters : public testing::Test {
 protected:
  void SetUp() override {
    if (access(kCounted, X_OK) != 0) GTEST_SKIP() << "built without tare-cc or Open MPI";
    const auto files = host::FindEngineFiles(std::filesystem::path(TARE_BINARY_DIR) / "tare", {});
    ASSERT_TRUE(files.openmpi_library);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    request_.library = *files.openmpi_library;
    auto resolved = run::Resolve({{"mpirun.openmpi", "--oversubscribe", "-n", "2", kCounted}});
    ASSERT_TRUE(resolved) << resolved.error().message;
    request_.program = *resolved;
    request_.run = 1;
    request_.setting.output = run::Output::kCaptured;
    request_.setting.errors = run::Output::kCaptured;
    request_.setting.timeout_seconds = 600;
  }

  format::MpiTrace Record(const std::filesystem::path& counters) {
    auto directory = PrivateDirectory::MakeOnDisk();
    request_.directory = directory->path();
    request_.counters = counters;
    const auto finished = RecordMpi(request_);
    EXPECT_TRUE(finished);
    EXPECT_EQ(finished->output, "done\n");
    auto joined = ReadMpiDirectory(directory->path());
    EXPECT_TRUE(joined) << joined.error().message;
    return joined ? std::move(joined->trace) : format::MpiTrace();
  }

  RecordRequest request_;
};

TEST_F(MpiCounters, PriceEachBurstByItsInstructions) {
  auto counters = PrivateDirectory::Make();
  ASSERT_TRUE(counters);
  const format::MpiTrace trace = Record(counters->path());
  ASSERT_EQ(trace.ranks.size(), 2U);
  const auto image = elf::OpenElf(kCounted);
  ASSERT_TRUE(image);
  for (const format::MpiRank& rank : trace.ranks) {
    ASSERT_EQ(rank.modules.size(), 1U);
    EXPECT_EQ(rank.modules[0].path, std::filesystem::canonical(kCounted));
    std::vector<std::uint64_t> slots(rank.modules[0].slots);
    for (const auto& delta : rank.counters) slots.at(delta.slot) += delta.increase;
    const std::array<engine::BlockCost, 1> costs = {
        [&](std::uint64_t address, std::uint32_t bytes) {
          return Instructions(*image, address, bytes);
        }};
    const auto weights = engine::WeighSlots(*image, slots, costs);
    ASSERT_TRUE(weights) << weights.error().message;
    EXPECT_LT(weights->front().unexplained, 1e-5 * weights->front().total);
    // The same work in each step: a loop over a million multiplications, or two million additions.
    std::vector<double> steps;
    for (const format::MpiEvent& event : rank.events) {
      if (event.operation != TARE_MPI_ALLREDUCE) continue;
      double price = 0;
      for (const auto& delta : rank.CountersOf(event)) {
        price += static_cast<double>(delta.increase) * weights->front().slots.at(delta.slot);
      }
      steps.push_back(price);
    }
    ASSERT_EQ(steps.size(), 5U);
    for (const double step : steps) {
      EXPECT_NEAR(step, steps[0], 100);
      // Two to eight instructions for each number, by compiler and architecture.
      EXPECT_GT(step, 1e6);
      EXPECT_LT(step, 16e6);
    }
    // The steps, and the loop that fills the array: nothing else is long.
    const double all = std::accumulate(steps.begin(), steps.end(), 0.0);
    EXPECT_GT(weights->front().total, all - 100);
    EXPECT_LT(weights->front().total, all + 16e6);
  }
}

TEST_F(MpiCounters, AreAbsentWithoutADirectory) {
  const format::MpiTrace trace = Record({});
  ASSERT_EQ(trace.ranks.size(), 2U);
  for (const format::MpiRank& rank : trace.ranks) {
    EXPECT_TRUE(rank.modules.empty());
    EXPECT_TRUE(rank.counters.empty());
  }
}

TEST(BlockCountersOf, ProgramsWithoutCountersAreRefused) {
  const auto image = elf::OpenElf("/proc/self/exe");
  ASSERT_TRUE(image);
  const auto counters = engine::BlockCountersOf(*image);
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().message, "it has no counters of tare-cc");
}

}  // namespace
}  // namespace tare::mpi
