// weights.h: static mixes weighted by how often code ran.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "binary/mix/file_mix.h"
#include "report/document.h"

namespace tare::mix {

// From a document of `tare count --per function` or `--per block`, of any number of objects.
struct Weights {
  struct Function {
    std::string object;    // file name without directories
    std::string function;  // as shown to people
    double instructions = 0;
  };
  struct Block {
    std::string object;
    std::uint64_t offset = 0;  // in the file
    double instructions = 0;   // of one execution
    double executions = 0;
  };
  std::vector<Function> functions;
  std::vector<Block> blocks;
};

// Errors: kFormat when the document has neither of the two tables.
Result<Weights> WeightsFrom(const report::Document& document);
Result<Weights> ReadWeights(const std::filesystem::path& path);

using WeightedCounts = std::array<double, decode::kCategories>;

struct WeightedMix {
  WeightedCounts counts = {};  // instructions that ran
  double covered = 0;          // instructions of the file's own rows that found their code
  double missed = 0;           // of its own rows that did not
  double of_others = 0;        // of other objects' rows
  bool by_block = false;       // exact for what is covered; otherwise spread evenly in functions
  std::map<std::string, double> factor;  // runs of each function's average instruction, by its name
};

WeightedMix Weigh(const FileMix& file, const Weights& weights);

// The same weights for another build of the program: each function as often as in `weighted`.
WeightedMix WeighLike(const FileMix& other, const WeightedMix& weighted);

}  // namespace tare::mix
