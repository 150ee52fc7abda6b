// signature_codec.cc: one description of the fields serves the writer and the reader.
#include "predict/signature/signature_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <type_traits>
#include <vector>

#include "predict/signature/signature_archive.h"

namespace tare::signature {
namespace {

// Limits of what a reader accepts. They are far above what tare writes.
constexpr unsigned kMaxGridWays = 32;
constexpr std::size_t kMaxGridSizes = 4;
constexpr unsigned kMaxSetCounts = 16;
constexpr std::uint64_t kMaxSizeBytes = std::uint64_t{1} << 40;

Result<void> CheckGrid(const Grid& grid) {
  const auto is_size = [](std::uint64_t bytes) {
    return std::has_single_bit(bytes) && bytes <= kMaxSizeBytes;
  };
  const bool lines_valid = !grid.line_bytes.empty() && grid.line_bytes.size() <= kMaxGridSizes &&
                           std::ranges::is_sorted(grid.line_bytes) &&
                           std::ranges::all_of(grid.line_bytes, is_size) &&
                           std::has_single_bit(grid.far_line_bytes);
  const bool pages_valid =
      grid.page_bytes.size() <= kMaxGridSizes && std::ranges::all_of(grid.page_bytes, is_size);
  const bool ways_valid = std::has_single_bit(grid.min_way_bytes) &&
                          std::has_single_bit(grid.max_way_bytes) &&
                          grid.min_way_bytes <= grid.max_way_bytes && grid.max_ways >= 1 &&
                          grid.max_ways <= kMaxGridWays;
  if (!lines_valid || !pages_valid || !ways_valid || grid.line_bytes.back() > grid.min_way_bytes ||
      grid.SetCounts() > kMaxSetCounts) {
    return DamagedSignature("its grid of caches is impossible");
  }
  return {};
}

// `T` is a Signature or a part of it, const for a writer.
template <typename Archive>
class SignatureFields {
 public:
  template <typename T>
  using In = std::conditional_t<Archive::kReads, T, const T>;

  explicit SignatureFields(Archive& archive) : archive_(archive) {}

  Result<void> Code(In<Signature>& s) {
    TRY_VOID(Choice(s.source, Source::kCompiled));
    TRY_VOID(Choice(s.architecture, decode::Architecture::kAArch64));
    TRY_VOID(archive_.Text(s.tare));
    TRY_VOID(archive_.Text(s.time));
    TRY_VOID(archive_.Text(s.machine));
    TRY_VOID(archive_.List(s.command, [&](auto& word) { return archive_.Text(word); }));
    TRY_VOID(archive_.Number(s.status));
    TRY_VOID(Optional(s.native_seconds));
    TRY_VOID(CodeGrid(s.grid));
    TRY_VOID(archive_.Real(s.sampled_lines));
    TRY_VOID(archive_.Real(s.sampled_time));
    TRY_VOID(archive_.Flag(s.near_exact));
    TRY_VOID(archive_.Flag(s.complete));
    TRY_VOID(archive_.List(s.caveats, [&](auto& caveat) { return CodeCaveat(caveat); }));
    TRY_VOID(archive_.List(s.objects, [&](auto& object) { return CodeObject(object); }));
    objects_ = s.objects.size();
    TRY_VOID(archive_.List(s.parts, [&](auto& part) { return CodePart(part); }));
    if (s.parts.empty()) return DamagedSignature("it has no part");
    return {};
  }

 private:
  template <typename T>
  Result<void> Choice(T& value, std::remove_const_t<T> last) {
    TRY_VOID(archive_.Number(value));
    if (value > last) return DamagedSignature("a field has an unknown value");
    return {};
  }

  template <typename T>
  Result<void> Optional(T& value) {
    bool has = value.has_value();
    TRY_VOID(archive_.Flag(has));
    if (!has) return {};
    if constexpr (Archive::kReads) value.emplace();
    return archive_.Real(*value);
  }

  Result<void> CodeGrid(In<Grid>& grid) {
    const auto number = [&](auto& value) { return archive_.Number(value); };
    TRY_VOID(archive_.List(grid.line_bytes, number));
    TRY_VOID(archive_.Number(grid.min_way_bytes));
    TRY_VOID(archive_.Number(grid.max_way_bytes));
    TRY_VOID(archive_.Number(grid.max_ways));
    TRY_VOID(archive_.Number(grid.far_line_bytes));
    TRY_VOID(archive_.List(grid.page_bytes, number));
    TRY_VOID(CheckGrid(grid));
    grid_ = grid;
    return {};
  }

  Result<void> CodeCaveat(In<Caveat>& caveat) {
    if constexpr (Archive::kReads) {
      std::string id;
      TRY_VOID(archive_.Text(id));
      const auto row = std::ranges::find(CaveatTable(), std::string_view(id), &CaveatRow::id);
      if (row == CaveatTable().end()) return DamagedSignature("it has an unknown caveat");
      caveat.key = row->key;
    } else {
      TRY_VOID(archive_.Text(std::string(Row(caveat.key).id)));
    }
    return archive_.Text(caveat.detail);
  }

  Result<void> CodeObject(In<Object>& object) {
    TRY_VOID(archive_.Text(object.path));
    TRY_VOID(archive_.Text(object.build_id));
    return archive_.Number(object.bytes);
  }

  Result<void> CodePart(In<Part>& part) {
    TRY_VOID(archive_.Number(part.process));
    TRY_VOID(archive_.Number(part.thread));
    TRY_VOID(archive_.Text(part.program));
    TRY_VOID(archive_.List(part.loops, [&](auto& loop) { return CodeLoop(loop); }));
    loops_ = part.loops.size();
    for (std::size_t i = 0; i < part.loops.size(); ++i) {
      if (!HasOutermost(part.loops, i)) return DamagedSignature("a loop is inside itself");
    }
    return archive_.List(part.blocks, [&](auto& block) { return CodeBlock(block); });
  }

  // Whether the loops around a loop exist and end at an outermost one.
  static bool HasOutermost(const std::vector<Loop>& loops, std::size_t from) {
    std::uint32_t loop = static_cast<std::uint32_t>(from);
    for (std::size_t steps = 0; steps <= kMaxNesting; ++steps) {
      if (loop == kNoLoop) return true;
      if (loop >= loops.size()) return false;
      loop = loops[loop].parent;
    }
    return false;
  }

  // kNoLoop is stored as 0.
  Result<void> LoopNumber(In<std::uint32_t>& loop) {
    std::uint32_t stored = loop + 1;
    TRY_VOID(archive_.Number(stored));
    if constexpr (Archive::kReads) loop = stored - 1;
    return {};
  }

  Result<void> CodeLoop(In<Loop>& loop) {
    TRY_VOID(archive_.Text(loop.function));
    TRY_VOID(archive_.Text(loop.file));
    TRY_VOID(archive_.Number(loop.line));
    TRY_VOID(LoopNumber(loop.parent));
    TRY_VOID(archive_.Number(loop.entries));
    TRY_VOID(archive_.Number(loop.iterations));
    return archive_.Real(loop.chain_span);
  }

  Result<void> CodeBlock(In<Block>& block) {
    TRY_VOID(archive_.Number(block.object));
    if (block.object >= objects_) return DamagedSignature("a block is in no file");
    TRY_VOID(archive_.Number(block.offset));
    TRY_VOID(archive_.Number(block.bytes));
    TRY_VOID(archive_.Text(block.function));
    TRY_VOID(archive_.Text(block.file));
    TRY_VOID(archive_.Number(block.line));
    TRY_VOID(LoopNumber(block.loop));
    if (block.loop != kNoLoop && block.loop >= loops_)
      return DamagedSignature("a block is in a loop that does not exist");
    TRY_VOID(archive_.Number(block.executions));
    TRY_VOID(archive_.Number(block.mispredictions));
    TRY_VOID(CodeWork(block));
    TRY_VOID(archive_.Number(block.loads));
    TRY_VOID(archive_.Number(block.stores));
    TRY_VOID(archive_.Number(block.load_bytes));
    TRY_VOID(archive_.Number(block.store_bytes));
    TRY_VOID(CodeStrides(block.strides));
    TRY_VOID(CodeNear(block.near));
    TRY_VOID(CodeFar(block.far));
    TRY_VOID(archive_.List(block.pages, [&](auto& pages) { return CodePages(pages); }));
    if (block.pages.size() > kMaxGridSizes) return DamagedSignature("it has too many page sizes");
    return {};
  }

  template <typename T>
  Result<void> Reals(T& values) {
    for (auto& value : values) TRY_VOID(archive_.Real(value));
    return {};
  }

  Result<void> CodeWork(In<Block>& block) {
    TRY_VOID(archive_.Real(block.instructions));
    TRY_VOID(Reals(block.categories));
    TRY_VOID(Reals(block.work));
    TRY_VOID(archive_.List(block.floats, [&](auto& floats) { return CodeFloats(floats); }));
    TRY_VOID(Reals(block.chain));
    TRY_VOID(archive_.Real(block.loads_by_address.independent));
    TRY_VOID(archive_.Real(block.loads_by_address.indirect));
    TRY_VOID(archive_.Real(block.loads_by_address.chained));
    return archive_.Real(block.load_places);
  }

  Result<void> CodeFloats(In<FloatWork>& floats) {
    TRY_VOID(Choice(floats.work, Work::kOther));
    TRY_VOID(archive_.Number(floats.element_bytes));
    TRY_VOID(archive_.Number(floats.lanes));
    TRY_VOID(archive_.Real(floats.instructions));
    return archive_.Real(floats.operations);
  }

  Result<void> CodeStrides(In<Strides>& strides) {
    TRY_VOID(archive_.Number(strides.sampled));
    for (auto* const share :
         {&strides.same, &strides.one, &strides.two, &strides.three_to_eight, &strides.larger,
          &strides.random, &strides.stream_loads, &strides.stream_stores, &strides.strided_lines})
      TRY_VOID(archive_.Real(*share));
    return {};
  }

  // Counters that are either absent or as many as the grid needs.
  template <typename T>
  Result<void> Counters(T& counters, std::size_t size) {
    bool has = !counters.empty();
    TRY_VOID(archive_.Flag(has));
    if (!has) return {};
    if constexpr (Archive::kReads) {
      TRY_VOID(archive_.Reserve(size));
      counters.resize(size);
    } else if (counters.size() != size) {
      return DamagedSignature("a block has counters of another grid");
    }
    return archive_.Sparse(counters);
  }

  Result<void> CodeNear(In<NearReuse>& near) {
    // Depth 0 is stored as the number of references of the shape, which is nearly the same for all
    // shapes: as the difference from the shape before. Differences may wrap around.
    std::vector<std::uint64_t> differences = near.at_depth;
    if constexpr (!Archive::kReads) Differences(differences, grid_.Depths());
    TRY_VOID(Counters(ForArchive(differences), grid_.Shapes() * grid_.Depths()));
    if constexpr (Archive::kReads) {
      near.at_depth = std::move(differences);
      Undo(near.at_depth, grid_.Depths());
    }
    TRY_VOID(Counters(near.write_backs, grid_.Shapes() * grid_.max_ways));
    TRY_VOID(archive_.Real(near.moved));
    return archive_.Real(near.moved_error);
  }

  static auto& ForArchive(std::vector<std::uint64_t>& counters) {
    if constexpr (Archive::kReads) {
      return counters;
    } else {
      return std::as_const(counters);
    }
  }

  static std::uint64_t SumOf(std::span<const std::uint64_t> counters) {
    std::uint64_t sum = 0;
    for (const std::uint64_t counter : counters) sum += counter;
    return sum;
  }

  static void Differences(std::span<std::uint64_t> counters, std::size_t depths) {
    std::uint64_t before = 0;
    for (std::size_t first = 0; first + depths <= counters.size(); first += depths) {
      const std::uint64_t sum = SumOf(counters.subspan(first, depths));
      counters[first] = sum - before;
      before = sum;
    }
  }

  static void Undo(std::span<std::uint64_t> counters, std::size_t depths) {
    std::uint64_t sum = 0;
    for (std::size_t first = 0; first < counters.size(); first += depths) {
      sum += counters[first];
      counters[first] = sum - SumOf(counters.subspan(first + 1, depths - 1));
    }
  }

  Result<void> CodeFar(In<FarReuse>& far) {
    const auto real = [&](auto& value) { return archive_.Real(value); };
    TRY_VOID(archive_.List(far.at_distance, real));
    TRY_VOID(archive_.Real(far.cold));
    TRY_VOID(archive_.List(far.beyond_error, real));
    if (far.at_distance.size() > kDistanceBins || far.beyond_error.size() > kDistanceBins + 1)
      return DamagedSignature("it has too many distances");
    return {};
  }

  Result<void> CodePages(In<PageReuse>& pages) {
    TRY_VOID(archive_.List(pages.at_distance, [&](auto& count) { return archive_.Number(count); }));
    if (pages.at_distance.size() > kDistanceBins)
      return DamagedSignature("it has too many distances");
    return archive_.Number(pages.cold);
  }

  static constexpr std::size_t kMaxNesting = 1000;

  Archive& archive_;
  Grid grid_;
  std::size_t objects_ = 0;
  std::size_t loops_ = 0;
};

}  // namespace

Result<std::string> EncodeSignature(const Signature& signature) {
  SignatureWriter writer;
  TRY_VOID(SignatureFields(writer).Code(signature));
  return std::move(writer).Take();
}

Result<Signature> DecodeSignature(std::string_view bytes) {
  SignatureReader reader(bytes);
  Signature signature;
  signature.grid.line_bytes.clear();
  signature.grid.page_bytes.clear();
  TRY_VOID(SignatureFields(reader).Code(signature));
  if (!reader.AtEnd()) return DamagedSignature("bytes are left over");
  return signature;
}

}  // namespace tare::signature
