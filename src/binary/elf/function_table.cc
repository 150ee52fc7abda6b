// function_table.cc: layers of functions; each fills the gaps of the previous one.
#include "binary/elf/function_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tare::elf {
namespace {

std::size_t Underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// A function before its name is copied: a file can have ten million of them.
struct Piece {
  std::string_view name;  // empty: named by its address
  std::uint64_t start = 0;
  std::uint64_t end = 0;  // 0 where no symbol gives the size
  FunctionSource source = FunctionSource::kSymbol;
  bool ifunc = false;
  bool end_guessed = false;
};

// One piece per address with a symbol.
std::vector<Piece> OneForEachAddress(std::vector<CodeSymbol> symbols) {
  std::ranges::sort(symbols, [](const CodeSymbol& a, const CodeSymbol& b) {
    if (a.address != b.address) return a.address < b.address;
    return IsBetterName(a, b);
  });
  std::vector<Piece> pieces;
  pieces.reserve(symbols.size());
  for (const CodeSymbol& symbol : symbols) {
    if (pieces.empty() || pieces.back().start != symbol.address) {
      Piece piece;
      piece.name = symbol.name;
      piece.start = symbol.address;
      piece.source = symbol.dynamic ? FunctionSource::kDynamicSymbol : FunctionSource::kSymbol;
      pieces.push_back(piece);
    }
    Piece& piece = pieces.back();
    piece.ifunc |= symbol.ifunc;
    if (symbol.address + symbol.size > symbol.address)
      piece.end = std::max(piece.end, symbol.address + symbol.size);
  }
  return pieces;
}

// Labels of assembly code within a function with a size are not functions.
void DropInnerLabels(std::vector<CodeSymbol>& symbols) {
  if (std::ranges::all_of(symbols, &CodeSymbol::typed)) return;
  std::vector<AddressRange> sized;
  for (const auto& symbol : symbols)
    if (symbol.typed && symbol.address + symbol.size > symbol.address)
      sized.push_back({symbol.address, symbol.address + symbol.size});
  std::ranges::sort(sized, {}, &AddressRange::start);
  std::erase_if(symbols, [&](const CodeSymbol& symbol) {
    const AddressRange* outer = RangeAt(sized, symbol.address);
    return !symbol.typed && outer != nullptr && outer->start != symbol.address;
  });
}

// Sets missing ends: from a frame with the same start, otherwise from the next start of any kind.
// Clips all ends to the code.
void SetEnds(std::vector<Piece>& pieces, std::span<const AddressRange> frames,
             std::span<const AddressRange> code) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    const std::uint64_t range_end = RangeAt(code, piece.start)->end;
    if (piece.end == 0) {
      piece.end = range_end;
      auto frame = std::ranges::lower_bound(frames, piece.start, {}, &AddressRange::start);
      if (frame != frames.end() && frame->start == piece.start) {
        piece.end = frame->end;
      } else {
        piece.end_guessed = true;
        if (frame != frames.end()) piece.end = std::min(piece.end, frame->start);
      }
      if (i + 1 < pieces.size()) piece.end = std::min(piece.end, pieces[i + 1].start);
    }
    piece.end = std::min(piece.end, range_end);
  }
}

// Sorted pieces that may nest, cut so that no two overlap.
std::vector<Piece> Flattened(const std::vector<Piece>& pieces) {
  std::vector<Piece> flat;
  flat.reserve(pieces.size());
  std::vector<Piece> open;  // each is within the previous one
  std::uint64_t position = 0;
  const auto emit_until = [&](std::uint64_t limit) {
    while (!open.empty() && position < limit) {
      const Piece& inner = open.back();
      if (inner.end <= position) {
        open.pop_back();
        continue;
      }
      Piece part = inner;
      part.start = std::max(part.start, position);
      part.end = std::min(part.end, limit);
      position = part.end;
      if (part.start < part.end) flat.push_back(part);
    }
  };
  for (const auto& piece : pieces) {
    emit_until(piece.start);
    position = piece.start;
    std::erase_if(open, [&](const Piece& one) { return one.end <= piece.start; });
    if (open.size() >= 8) open.erase(open.begin());  // deeper than in any real file
    open.push_back(piece);
  }
  emit_until(UINT64_MAX);
  return flat;
}

// Adds those of `lower` that start in a gap of `upper`, clipped to the gap. Both are sorted.
std::vector<Piece> Layered(std::vector<Piece> upper, const std::vector<Piece>& lower) {
  if (lower.empty()) return upper;
  std::vector<Piece> all;
  all.reserve(upper.size() + lower.size());
  std::uint64_t taken = 0;
  std::size_t next = 0;
  for (Piece piece : lower) {
    while (next < upper.size() && upper[next].start <= piece.start) {
      taken = std::max(taken, upper[next].end);
      all.push_back(upper[next++]);
    }
    if (piece.start < taken) continue;
    if (next < upper.size()) piece.end = std::min(piece.end, upper[next].start);
    taken = piece.end;
    if (piece.start < piece.end) all.push_back(piece);
  }
  for (; next < upper.size(); ++next) all.push_back(upper[next]);
  return all;
}

// Sorted and clipped to the code.
std::vector<Piece> Pieces(const std::vector<Function>& functions,
                          std::span<const AddressRange> code) {
  std::vector<Piece> pieces;
  for (const auto& function : functions) {
    const AddressRange* range = RangeAt(code, function.start);
    const std::uint64_t end =
        range == nullptr ? function.start : std::min(function.end, range->end);
    if (function.start < end)
      pieces.push_back({function.name, function.start, end, function.source, function.ifunc,
                        function.end_guessed});
  }
  std::ranges::sort(pieces, {}, [](const Piece& one) { return std::tie(one.start, one.name); });
  return pieces;
}

std::vector<Piece> Pieces(std::span<const AddressRange> frames,
                          std::span<const AddressRange> code) {
  std::vector<Piece> pieces;
  pieces.reserve(frames.size());
  for (const auto& frame : frames) {
    const AddressRange* range = RangeAt(code, frame.start);
    if (range == nullptr) continue;
    Piece piece;
    piece.start = frame.start;
    piece.end = std::min(frame.end, range->end);
    piece.source = FunctionSource::kFrame;
    pieces.push_back(piece);
  }
  return pieces;
}

std::vector<Function> Named(const std::vector<Piece>& pieces) {
  std::vector<Function> functions;
  functions.reserve(pieces.size());
  for (const Piece& piece : pieces)
    functions.push_back({piece.name.empty() ? NameByAddress(piece.start) : std::string(piece.name),
                         piece.start, piece.end, piece.source, piece.ifunc, piece.end_guessed});
  return functions;
}

}  // namespace

bool IsBetterName(const CodeSymbol& a, const CodeSymbol& b) {
  const auto rank = [](const CodeSymbol& symbol) {
    return std::tuple(!symbol.exported, Underscores(symbol.name), symbol.weak, symbol.name.size(),
                      symbol.name, symbol.dynamic, symbol.size);
  };
  return rank(a) < rank(b);
}

std::string NameByAddress(std::uint64_t address) { return fmt::format("sub_{:x}", address); }

std::vector<Function> FunctionTable(std::vector<CodeSymbol> symbols,
                                    const std::vector<Function>& stubs,
                                    std::vector<AddressRange> frames,
                                    const std::vector<Function>& guesses,
                                    std::span<const AddressRange> code) {
  std::ranges::sort(frames, {},
                    [](const AddressRange& frame) { return std::pair(frame.start, frame.end); });
  DropInnerLabels(symbols);
  auto pieces = OneForEachAddress(std::move(symbols));
  std::erase_if(pieces, [&](const Piece& one) { return RangeAt(code, one.start) == nullptr; });
  SetEnds(pieces, frames, code);
  pieces = Flattened(pieces);
  pieces = Layered(std::move(pieces), Flattened(Pieces(stubs, code)));
  pieces = Layered(std::move(pieces), Pieces(frames, code));
  return Named(Layered(std::move(pieces), Pieces(guesses, code)));
}

std::vector<Function> SplitAt(std::vector<Function> functions,
                              std::span<const std::uint64_t> starts) {
  if (starts.empty()) return functions;
  std::vector<Function> split;
  split.reserve(functions.size() + starts.size());
  for (auto& function : functions) {
    const std::uint64_t end = function.end;
    const bool may = function.end_guessed;
    auto start = std::ranges::upper_bound(starts, function.start);
    split.push_back(std::move(function));
    for (; may && start != starts.end() && *start < end; ++start) {
      split.back().end = *start;
      split.push_back({NameByAddress(*start), *start, end, FunctionSource::kGuessed, false, true});
    }
  }
  return split;
}

}  // namespace tare::elf
