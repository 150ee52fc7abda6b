// block_vectors.cc: executions times instructions of each block.
#include "predict/signature/block_vectors.h"

#include <fmt/format.h>

#include <iterator>
#include <map>

namespace tare::signature {

std::string FormatBlockVectors(const Collected& collected) {
  std::map<std::uint64_t, std::uint64_t> instructions;  // by block number
  if (!collected.recordings.empty()) {
    for (const format::Block& block : collected.recordings.front().blocks)
      instructions[block.number] = block.instructions;
  }
  std::string text;
  for (const BlockVector& vector : collected.vectors) {
    text += 'T';
    for (const BlockVector::Element& element : vector.blocks) {
      const auto known = instructions.find(element.block);
      if (known == instructions.end() || element.executions == 0) continue;
      fmt::format_to(std::back_inserter(text), ":{}:{} ", element.block + 1,
                     element.executions * known->second);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tare::signature
