// gpu_test.cc: tests parsing the output of the GPU program, and its source.
#include "machine/survey/gpu.h"

#include <gtest/gtest.h>

namespace tare::survey {
namespace {

constexpr std::string_view kLines =
    "model\t\t-\tMade Up 9000\n"
    "L2 capacity\tB\t-\t52428800\n"
    "GPU global load\tB/s\t-\t3e12\t3.1e12\t3e12\t3e12\t3e12\t3e12\n"
    "GPU latency\ts\t2097152\t3e-7\t3e-7\t3e-7\t3e-7\t3e-7\t3e-7\n"
    "GPU latency\ts\t1048576\t2e-7\t2e-7\t2e-7\t2e-7\t2e-7\t2e-7\n";

TEST(GpuLines, BecomeRatesAndGraphs) {
  const auto found = ParseGpuLines(kLines);
  ASSERT_TRUE(found.has_value()) << found.error().message;
  EXPECT_EQ(found->model, "Made Up 9000");
  ASSERT_EQ(found->rates.size(), 2u);
  EXPECT_EQ(found->rates[0].name, "GPU L2 capacity");
  EXPECT_EQ(machine_profile::OriginOf(found->rates[0].figure), machine_profile::Origin::kReported);
  EXPECT_EQ(found->rates[1].name, "GPU global load");
  EXPECT_DOUBLE_EQ(found->rates[1].figure.Value(), 3e12);
  ASSERT_EQ(found->graphs.size(), 1u);
  ASSERT_EQ(found->graphs[0].points.size(), 2u);
  EXPECT_DOUBLE_EQ(found->graphs[0].points[0].x, 1048576);
}

TEST(GpuLines, ThatMakeNoSenseAreRefused) {
  EXPECT_FALSE(ParseGpuLines("").has_value());
  EXPECT_FALSE(ParseGpuLines("no CUDA-capable device is detected\n").has_value());
  EXPECT_FALSE(ParseGpuLines("GPU global load\tB/s\t-\tmany\n").has_value());
  EXPECT_FALSE(ParseGpuLines("GPU global load\tB/s\t-\t-1\n").has_value());
  EXPECT_FALSE(ParseGpuLines("GPU latency\ts\there\t1e-7\t1e-7\n").has_value());
}

TEST(GpuSource, IsTheWholeProgram) {
  EXPECT_NE(GpuSource().find("int main()"), std::string_view::npos);
  EXPECT_NE(GpuSource().find("__global__ void LoadRandom"), std::string_view::npos);
}

}  // namespace
}  // namespace tare::survey
