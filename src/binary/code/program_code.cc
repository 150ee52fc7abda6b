// program_code.cc: chunks of functions, read by several threads.
#include "binary/code/program_code.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

#include "base/start_thread.h"
#include "base/stop.h"
#include "binary/elf/function_table.h"

namespace tare::code {
namespace {

constexpr std::size_t kChunk = 256;

// Printable text that is too long to be a coincidence.
bool IsText(std::span<const std::byte> bytes) {
  constexpr std::size_t kMin = 24;
  const auto printed = [](std::byte one) {
    const auto value = std::to_integer<unsigned>(one);
    return (value >= 0x20 && value < 0x7f) || value == '\n' || value == '\t' || value == 0;
  };
  return bytes.size() >= kMin && std::ranges::all_of(bytes, printed);
}

}  // namespace

ProgramCode::ProgramCode(const elf::ElfImage& image)
    : targets_(std::make_unique<Targets>(image)),
      functions_(image.functions().size()),
      chunks_((image.functions().size() + kChunk - 1) / kChunk),
      candidates_(std::make_unique<Candidates>(*targets_)) {}

Result<ProgramCode> ProgramCode::Read(const elf::ElfImage& image, unsigned threads,
                                      const Progress& progress) {
  ProgramCode code(image);
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::size_t> all(code.chunks_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  TRY_VOID(code.ReadChunks(all, threads, progress));
  TRY_VOID(code.ReadChunks(code.CollectLiterals(), threads, progress));
  code.SumCounts();
  return code;
}

void ProgramCode::ReadChunk(std::size_t number, FunctionReader& reader) {
  Chunk& chunk = chunks_[number];
  chunk = {};
  const std::size_t end = std::min((number + 1) * kChunk, functions_.size());
  for (std::size_t i = number * kChunk; i < end; ++i) {
    functions_[i] = reader.Read(static_cast<std::uint32_t>(i), chunk.findings);
    chunk.site_ends.push_back(static_cast<std::uint32_t>(chunk.findings.sites.size()));
    chunk.taken_ends.push_back(static_cast<std::uint32_t>(chunk.findings.taken.size()));
  }
  chunk.findings.sites.shrink_to_fit();
  chunk.findings.taken.shrink_to_fit();
}

Result<void> ProgramCode::ReadChunks(const std::vector<std::size_t>& numbers, unsigned threads,
                                     const Progress& progress) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;
  const auto work = [&](bool reports) {
    FunctionReader reader(*targets_, literals_);
    for (std::size_t i = next++; i < numbers.size() && !stop; i = next++) {
      ReadChunk(numbers[i], reader);
      const double done = static_cast<double>(i) / static_cast<double>(numbers.size());
      if (reports && !progress(done, "reading code")) stop = true;
    }
  };
  std::vector<std::thread> others;
  const std::size_t useful = std::min<std::size_t>(threads, numbers.size());
  for (std::size_t i = 1; i < useful; ++i) {
    // The threads that there are do all of the work.
    auto other = StartThread([&] { work(false); });
    if (!other) break;
    others.push_back(*std::move(other));
  }
  work(true);
  for (auto& other : others) other.join();
  if (stop) return Stopped();
  return {};
}

// Handwritten code has its tables next to it. A guessed function that nothing calls and that does
// not decode or is text is such a table. Files in which most functions are guessed stay as they
// are.
void ProgramCode::AddTables() {
  const auto& all = image().functions();
  const auto guessed = [&](std::size_t i) {
    return all[i].source == elf::FunctionSource::kGuessed &&
           all[i].name == elf::NameByAddress(all[i].start);
  };
  std::vector<std::size_t> guesses;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (guessed(i)) guesses.push_back(i);
  if (guesses.empty() || guesses.size() > all.size() / 2) return;
  std::vector<bool> called(all.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    if (guessed(i)) continue;
    for (const auto& site : CallsOf(i))
      if (site.to == TargetKind::kFunction) called[site.target] = true;
  }
  for (const auto i : guesses) {
    const auto bytes = image().Code(all[i].start, all[i].end - all[i].start);
    if (!called[i] && (functions_[i].data_bytes > 0 || IsText(bytes)))
      literals_.push_back({all[i].start, all[i].end});
  }
}

std::vector<std::size_t> ProgramCode::CollectLiterals() {
  for (const auto& chunk : chunks_)
    literals_.insert(literals_.end(), chunk.findings.literals.begin(),
                     chunk.findings.literals.end());
  AddTables();
  elf::MergeRanges(literals_);
  std::vector<std::size_t> numbers;
  for (const auto& range : literals_) {
    for (auto i = targets_->FunctionHolding(range.start);
         i < functions_.size() && image().functions()[i].start < range.end; ++i)
      numbers.push_back(i / kChunk);
  }
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  return numbers;
}

void ProgramCode::SumCounts() {
  for (const auto& chunk : chunks_) {
    total_ += chunk.findings.mix;
    for (const auto& site : chunk.findings.sites) candidates_->Prepare(site);
  }
  std::uint64_t in_functions = 0;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    in_functions += image().functions()[i].end - image().functions()[i].start;
    padding_bytes_ += functions_[i].padding_bytes;
    data_bytes_ += functions_[i].data_bytes;
  }
  for (const auto& range : image().code_ranges()) code_bytes_ += range.end - range.start;
  // Bytes between functions were identified as padding when the functions were determined.
  if (code_bytes_ > in_functions) padding_bytes_ += code_bytes_ - in_functions;
}

std::span<const CallSite> ProgramCode::CallsOf(std::uint32_t function) const {
  const Chunk& chunk = chunks_[function / kChunk];
  const std::size_t number = function % kChunk;
  const std::size_t begin = number == 0 ? 0 : chunk.site_ends[number - 1];
  return std::span(chunk.findings.sites).subspan(begin, chunk.site_ends[number] - begin);
}

std::span<const std::uint32_t> ProgramCode::TakenBy(std::uint32_t function) const {
  const Chunk& chunk = chunks_[function / kChunk];
  const std::size_t number = function % kChunk;
  const std::size_t begin = number == 0 ? 0 : chunk.taken_ends[number - 1];
  return std::span(chunk.findings.taken).subspan(begin, chunk.taken_ends[number] - begin);
}

namespace {

// A function with others in its middle is split into pieces, which are adjacent to what is between
// them.
std::optional<std::uint32_t> NextPiece(const elf::ElfImage& image, std::uint32_t function) {
  constexpr std::uint32_t kMaxBetween = 8;
  const auto& all = image.functions();
  for (std::uint32_t next = function + 1; next < all.size() && next <= function + kMaxBetween;
       ++next) {
    if (all[next].start != all[next - 1].end) return std::nullopt;
    if (next > function + 1 && all[next].name == all[function].name) return next;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::uint32_t> ReachableFrom(const ProgramCode& code, std::uint32_t root, Edges edges) {
  std::vector<bool> seen(code.functions().size());
  std::vector<std::uint32_t> reached;
  const auto visit = [&](std::uint32_t function) {
    if (seen[function]) return;
    seen[function] = true;
    reached.push_back(function);
  };
  visit(root);
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const std::uint32_t function = reached[next];
    for (const auto& site : code.CallsOf(function)) {
      if (site.to == TargetKind::kFunction) {
        visit(static_cast<std::uint32_t>(site.target));
      } else if (edges == Edges::kPossible) {
        std::ranges::for_each(code.CandidatesOf(site).functions, visit);
      }
    }
    if (edges == Edges::kPossible) std::ranges::for_each(code.TakenBy(function), visit);
    if (const auto piece = NextPiece(code.image(), function)) visit(*piece);
  }
  std::ranges::sort(reached);
  return reached;
}

}  // namespace tare::code
