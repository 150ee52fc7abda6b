// weights.h: static instruction mixes weighted by execution counts.
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

// From a document of `tare count --per function` or `--per block`, of any number of objects, or
// from samples of `tare profile`.
struct Weights {
  struct Function {
    std::string object;    // file name without directories
    std::string function;  // as shown in output
    double instructions = 0;
  };
  struct Block {
    std::string object;
    std::uint64_t offset = 0;  // in the file
    double instructions = 0;   // per execution
    double executions = 0;
  };
  std::vector<Function> functions;
  std::vector<Block> blocks;
  bool of_time = false;  // `instructions` are samples of processor time, not counts
};

// Errors: kFormat when the document contains neither table.
Result<Weights> WeightsFrom(const report::Document& document);
// Reads such a document, or the file of a sampled profile.
Result<Weights> ReadWeights(const std::filesystem::path& path);

using WeightedCounts = std::array<double, decode::kCategories>;

struct WeightedMix {
  WeightedCounts counts = {};  // executed instructions
  double covered = 0;          // instructions of this file's rows whose code was found
  double missed = 0;           // instructions of this file's rows whose code was not found
  double of_others = 0;        // instructions of other objects' rows
  bool of_time = false;        // see Weights
  bool by_block = false;  // exact for what is covered; otherwise spread evenly over each function
  std::map<std::string, double> factor;  // mean executions per instruction, by function name
};

WeightedMix Weigh(const FileMix& file, const Weights& weights);

// Applies the weights to another build of the program: each function runs as often as in
// `weighted`.
WeightedMix WeighLike(const FileMix& other, const WeightedMix& weighted);

}  // namespace tare::mix
