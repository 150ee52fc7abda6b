// compiled_loops.h: functions in C, compiled for an architecture, as a recording of one run.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "binary/code/flow_counts.h"
#include "binary/code/flow_graph.h"
#include "predict/signature/describe_blocks.h"
#include "tests/programs/build_directory.h"
#include "tests/programs/toolchain.h"

namespace tare::signature {

inline std::uint16_t MachineOf(decode::Architecture architecture) {
  return architecture == decode::Architecture::kX86_64 ? 62 : 183;
}

// One function, called twice, in which every loop makes `iterations` in all. A loop that may be
// skipped is entered once. Compiled to an object
// file, so that it needs no libraries of the architecture.
class CompiledLoops {
 public:
  CompiledLoops(decode::Architecture architecture, const std::string& source,
                const std::string& options = "-O1", std::uint64_t iterations = 1000)
      : architecture_(architecture) {
    directory_.Write("loops.c", source);
    const std::string target = "clang-19 --target=" + TripleOf(architecture) +
                               " -c -g -fno-unroll-loops -falign-loops=1 -ffp-contract=off "
                               "-fomit-frame-pointer loops.c -o loops.o ";
    if (!directory_.Runs(target + options)) return;
    Record(iterations);
  }

  bool Compiled() const { return !recording_.blocks.empty(); }
  const format::Recording& recording() const { return recording_; }
  std::string Assembly() const {
    return directory_.Output("llvm-objdump-19 -d loops.o || objdump -d loops.o");
  }

  DescribedCode Describe() {
    std::vector<Object> objects;
    return DescribeCode(recording_, architecture_, images_, objects);
  }

 private:
  void Record(std::uint64_t iterations) {
    const std::string path = (directory_ / "loops.o").string();
    const elf::ElfImage* image = images_.Open(path);
    if (image == nullptr || image->functions().empty()) return;
    decode::Decoder decoder(architecture_);
    const code::FlowGraph graph =
        code::ReadFlowGraph(*image, image->functions().front(), decoder, {});
    std::vector<code::CountedBlocks> counted = {{{0}, 2}};
    for (const code::FlowEdge& edge : graph.edges) {
      if (edge.from == code::kOutside || edge.to == code::kOutside || edge.to > edge.from) continue;
      counted.push_back({{edge.to}, iterations});
    }
    const code::FlowCounts counts = code::SolveFlow(graph, counted, {});
    EXPECT_TRUE(counts.consistent);
    recording_.machine = MachineOf(architecture_);
    recording_.objects.push_back({0, image->file_bytes(), 0, 1, 1, path});
    for (std::uint32_t i = 0; i < graph.blocks.size(); ++i) {
      const code::FlowBlock& flow = graph.blocks[i];
      if (counts.block_counts[i] == 0) continue;
      format::Block block;
      block.number = i;
      block.address = flow.address;
      const auto code = image->Code(flow.address, flow.bytes);
      block.code.assign(code.begin(), code.end());
      block.instructions = flow.instructions;
      block.object = 0;
      block.executions = counts.block_counts[i];
      block.conditional = flow.conditional;
      for (std::size_t e = 0; e < graph.edges.size(); ++e)
        if (graph.edges[e].from == i && graph.edges[e].kind == code::FlowKind::kNext)
          block.second += counts.edge_counts[e];
      recording_.blocks.push_back(std::move(block));
    }
  }

  decode::Architecture architecture_;
  BuildDirectory directory_;
  count::Images images_;
  format::Recording recording_;
};

}  // namespace tare::signature
