// file_mix.cc: reading a binary, and sums over the functions reachable from one.
#include "binary/mix/file_mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/printable.h"
#include "base/stop.h"
#include "binary/dwarf/separate_debug_file.h"
#include "binary/elf/function_table.h"

namespace tare::mix {

std::uint64_t Sum(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

void Add(const code::CategoryMix& mix, Counts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += mix.counts[i];
}

Result<FileMix> ReadFileMix(const std::filesystem::path& path, bool with_sources,
                            const Progress& progress) {
  TRY(auto image, elf::OpenElf(path));
  FileMix file;
  file.path = path;
  file.image = std::make_unique<elf::ElfImage>(std::move(image));
  TRY(auto code, code::ProgramCode::Read(*file.image, 0, progress));
  file.code = std::make_unique<code::ProgramCode>(std::move(code));
  file.no_sources = "debug information was not requested";
  if (!with_sources) return file;
  if (!progress(1, "reading debug information")) return Stopped();
  auto sources = dwarf::FindSourceMap(*file.image, path);
  if (sources) {
    file.sources = std::move(*sources);
  } else {
    file.no_sources = sources.error().message;
  }
  return file;
}

std::string ShownName(const std::string& name) { return Printable(elf::Demangled(name)); }

bool IsNameless(const elf::Function& function) {
  return function.name == elf::NameByAddress(function.start);
}

Result<std::uint32_t> FindRoot(const FileMix& file, const std::string& name) {
  TRY(const auto function, name.empty() ? file.image->FindMain() : file.image->FindFunction(name));
  const auto index = file.code->targets().FunctionStartingAt(function.start);
  if (index != code::kNowhere) return index;
  return Fail(ErrorKind::kNotFound, fmt::format("no code was found for {}", function.name));
}

Counts SumOf(const code::ProgramCode& code, std::span<const std::uint32_t> functions) {
  Counts counts = {};
  for (const auto function : functions) Add(code.functions()[function].mix, counts);
  return counts;
}

Inclusive InclusiveOf(const code::ProgramCode& code, std::uint32_t root) {
  Inclusive inclusive;
  const auto certain = code::ReachableFrom(code, root, code::Edges::kCertain);
  const auto possible = code::ReachableFrom(code, root, code::Edges::kPossible);
  inclusive.certain = SumOf(code, certain);
  inclusive.possible = SumOf(code, possible);
  inclusive.functions_certain = certain.size();
  inclusive.functions_possible = possible.size();
  std::set<std::uint64_t> imports;
  for (const auto function : possible) {
    for (const auto& site : code.CallsOf(function)) {
      if (site.to == code::TargetKind::kImport) imports.insert(site.target);
      if (site.to == code::TargetKind::kUnknown) ++inclusive.unresolved;
    }
  }
  inclusive.imports = imports.size();
  return inclusive;
}

}  // namespace tare::mix
