// function_table.cc: layer by layer, each filling what the one above left free.
#include "binary/function_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tare::binary {
namespace {

const AddressRange* RangeAt(std::span<const AddressRange> ranges, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(ranges, address, {}, &AddressRange::start);
  if (after == ranges.begin() || !std::prev(after)->Contains(address)) return nullptr;
  return &*std::prev(after);
}

std::size_t Underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// One function for each address with a symbol; the end is 0 where no symbol tells the size.
std::vector<Function> OneForEachAddress(std::span<const CodeSymbol> symbols) {
  std::vector<const CodeSymbol*> order;
  for (const auto& symbol : symbols) order.push_back(&symbol);
  std::ranges::sort(order, [](const CodeSymbol* a, const CodeSymbol* b) {
    if (a->address != b->address) return a->address < b->address;
    return IsBetterName(*a, *b);
  });
  std::vector<Function> functions;
  for (const CodeSymbol* symbol : order) {
    if (functions.empty() || functions.back().start != symbol->address) {
      Function function;
      function.name = symbol->name;
      function.start = symbol->address;
      function.source = symbol->dynamic ? FunctionSource::kDynamicSymbol : FunctionSource::kSymbol;
      functions.push_back(std::move(function));
    }
    Function& function = functions.back();
    function.ifunc |= symbol->ifunc;
    if (symbol->address + symbol->size > symbol->address)
      function.end = std::max(function.end, symbol->address + symbol->size);
  }
  return functions;
}

// Labels of assembly code inside of a function with a size are no functions.
std::vector<CodeSymbol> WithoutInnerLabels(std::span<const CodeSymbol> symbols) {
  std::vector<AddressRange> sized;
  for (const auto& symbol : symbols)
    if (symbol.typed && symbol.address + symbol.size > symbol.address)
      sized.push_back({symbol.address, symbol.address + symbol.size});
  std::ranges::sort(sized, {}, &AddressRange::start);
  std::vector<CodeSymbol> kept;
  for (const auto& symbol : symbols) {
    const AddressRange* outer = RangeAt(sized, symbol.address);
    if (symbol.typed || outer == nullptr || outer->start == symbol.address) kept.push_back(symbol);
  }
  return kept;
}

// Ends for functions without: a frame with the same start knows it; otherwise the next start of
// anything. All ends are cut to the code.
void SetEnds(std::vector<Function>& functions, std::span<const AddressRange> frames,
             std::span<const AddressRange> code) {
  for (std::size_t i = 0; i < functions.size(); ++i) {
    Function& function = functions[i];
    const std::uint64_t range_end = RangeAt(code, function.start)->end;
    if (function.end == 0) {
      function.end = range_end;
      auto frame = std::ranges::lower_bound(frames, function.start, {}, &AddressRange::start);
      if (frame != frames.end() && frame->start == function.start)
        function.end = frame->end;
      else if (frame != frames.end())
        function.end = std::min(function.end, frame->start);
      if (i + 1 < functions.size()) function.end = std::min(function.end, functions[i + 1].start);
    }
    function.end = std::min(function.end, range_end);
  }
}

// Sorted functions that may nest, cut so that no two overlap.
std::vector<Function> Flattened(std::vector<Function> functions) {
  std::vector<Function> flat;
  std::vector<Function> open;  // each lies in the one before it
  std::uint64_t position = 0;
  const auto emit_until = [&](std::uint64_t limit) {
    while (!open.empty() && position < limit) {
      const Function& inner = open.back();
      if (inner.end <= position) {
        open.pop_back();
        continue;
      }
      Function piece = inner;
      piece.start = std::max(piece.start, position);
      piece.end = std::min(piece.end, limit);
      position = piece.end;
      if (piece.start < piece.end) flat.push_back(std::move(piece));
    }
  };
  for (auto& function : functions) {
    emit_until(function.start);
    position = function.start;
    std::erase_if(open, [&](const Function& one) { return one.end <= function.start; });
    if (open.size() >= 8) open.erase(open.begin());  // deeper than any real file goes
    open.push_back(std::move(function));
  }
  emit_until(UINT64_MAX);
  return flat;
}

// Adds those of `lower` that begin in a gap of `upper`, cut to the gap. Both sorted.
std::vector<Function> Layered(std::vector<Function> upper, std::vector<Function> lower) {
  std::vector<Function> all;
  all.reserve(upper.size() + lower.size());
  std::uint64_t taken = 0;
  std::size_t next = 0;
  for (auto& function : lower) {
    while (next < upper.size() && upper[next].start <= function.start) {
      taken = std::max(taken, upper[next].end);
      all.push_back(std::move(upper[next++]));
    }
    if (function.start < taken) continue;
    if (next < upper.size()) function.end = std::min(function.end, upper[next].start);
    taken = function.end;
    if (function.start < function.end) all.push_back(std::move(function));
  }
  for (; next < upper.size(); ++next) all.push_back(std::move(upper[next]));
  return all;
}

void CutToCode(std::vector<Function>& functions, std::span<const AddressRange> code) {
  for (auto& function : functions) {
    const AddressRange* range = RangeAt(code, function.start);
    function.end = range == nullptr ? function.start : std::min(function.end, range->end);
  }
  std::erase_if(functions, [](const Function& one) { return one.start >= one.end; });
}

std::vector<Function> NamedByAddress(std::span<const AddressRange> frames,
                                     std::span<const AddressRange> code) {
  std::vector<Function> functions;
  for (const auto& frame : frames) {
    const AddressRange* range = RangeAt(code, frame.start);
    if (range == nullptr) continue;
    Function function;
    function.name = NameByAddress(frame.start);
    function.start = frame.start;
    function.end = std::min(frame.end, range->end);
    function.source = FunctionSource::kFrame;
    functions.push_back(std::move(function));
  }
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

std::vector<Function> FunctionTable(std::span<const CodeSymbol> symbols,
                                    std::vector<Function> stubs, std::vector<AddressRange> frames,
                                    std::vector<Function> guesses,
                                    std::span<const AddressRange> code) {
  std::ranges::sort(frames, {},
                    [](const AddressRange& frame) { return std::pair(frame.start, frame.end); });
  auto functions = OneForEachAddress(WithoutInnerLabels(symbols));
  std::erase_if(functions,
                [&](const Function& one) { return RangeAt(code, one.start) == nullptr; });
  SetEnds(functions, frames, code);
  functions = Flattened(std::move(functions));
  CutToCode(stubs, code);
  CutToCode(guesses, code);
  std::ranges::sort(stubs, {}, &Function::start);
  functions = Layered(std::move(functions), Flattened(std::move(stubs)));
  functions = Layered(std::move(functions), NamedByAddress(frames, code));
  std::ranges::sort(guesses, {}, [](const Function& one) { return std::tie(one.start, one.name); });
  return Layered(std::move(functions), std::move(guesses));
}

}  // namespace tare::binary
