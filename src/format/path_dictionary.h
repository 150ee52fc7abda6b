// path_dictionary.h: paths of blocks that the encoder and the decoder of path_blocks.h both know.
//
// Used by path_blocks.cc alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tare::format {

class PathDictionary {
 public:
  // Limits of memory. A path has at least one block.
  static constexpr std::size_t kMaxLength = 32;
  static constexpr std::size_t kMaxPaths = 1u << 18;
  static constexpr std::size_t kMaxBlocks = 1u << 21;  // of all paths together

  // In four bytes, so that those of many paths fit into a cache.
  class Path {
   public:
    Path(std::size_t begin, std::size_t length)
        : value_(static_cast<std::uint32_t>(begin * kUnit + length)) {}
    std::size_t begin() const { return value_ / kUnit; }
    std::size_t length() const { return value_ % kUnit; }

   private:
    static constexpr std::uint32_t kUnit = 64;
    static_assert(kMaxLength < kUnit && kMaxBlocks <= UINT32_MAX / kUnit);
    std::uint32_t value_;
  };

  std::size_t Count() const { return paths_.size(); }
  std::size_t Blocks() const { return used_; }
  bool HasRoom(std::size_t length) const {
    return paths_.size() < kMaxPaths && length <= kMaxBlocks - used_;
  }
  std::span<const Path> Paths() const { return paths_; }
  // Paths begin in here; kMaxLength blocks can be read from the beginning of each.
  const std::uint32_t* Begin() const { return blocks_.data(); }
  std::span<const std::uint32_t> BlocksOf(std::size_t path) const {
    return {blocks_.data() + paths_[path].begin(), paths_[path].length()};
  }

  // Of one execution. The encoder does without.
  std::uint32_t WordsOf(std::size_t path) const { return words_[path]; }
  bool HasWords() const { return has_words_; }

  // There must be room.
  void Add(std::span<const std::uint32_t> blocks, std::uint32_t words) {
    const std::size_t end = used_ + blocks.size();
    if (blocks_.size() < end + kMaxLength) blocks_.resize(2 * end + kMaxLength);
    std::ranges::copy(blocks, blocks_.begin() + static_cast<std::ptrdiff_t>(used_));
    paths_.emplace_back(used_, blocks.size());
    words_.push_back(words);
    has_words_ = has_words_ || words > 0;
    used_ = end;
  }
  void Clear() {
    paths_.clear();
    words_.clear();
    has_words_ = false;
    used_ = 0;
  }

 private:
  std::vector<Path> paths_;
  std::vector<std::uint32_t> words_;
  bool has_words_ = false;
  std::vector<std::uint32_t> blocks_;
  std::size_t used_ = 0;
};

}  // namespace tare::format
