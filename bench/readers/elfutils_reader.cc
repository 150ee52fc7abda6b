// elfutils_reader.cc: libelf and libdw.
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <vector>

#include "reader.h"

namespace readers {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : descriptor_(open(path.c_str(), O_RDONLY)) {}
  ~OpenFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::uint64_t ReadTable(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Listing* listing) {
  Elf_Data* data = elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
    GElf_Sym entry;
    if (gelf_getsym(data, static_cast<int>(i), &entry) == nullptr) break;
    const auto type = GELF_ST_TYPE(entry.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || entry.st_shndx == SHN_UNDEF ||
        entry.st_shndx == SHN_ABS)
      continue;
    const char* name = elf_strptr(elf, header.sh_link, entry.st_name);
    const auto binding = GELF_ST_BIND(entry.st_info);
    ++count;
    if (listing != nullptr)
      listing->Add(Symbol{name != nullptr ? name : "", entry.st_value, entry.st_size,
                          header.sh_type == SHT_DYNSYM, binding != STB_LOCAL, binding == STB_WEAK,
                          type == STT_GNU_IFUNC});
  }
  return count;
}

std::uint64_t Symbols(const std::string& path, Listing* listing) {
  elf_version(EV_CURRENT);
  const OpenFile file(path);
  Elf* elf = elf_begin(file.descriptor(), ELF_C_READ_MMAP, nullptr);
  if (elf == nullptr) return 0;
  std::uint64_t count = 0;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      count += ReadTable(elf, section, header, listing);
  }
  elf_end(elf);
  return count;
}

// Calls visit(root entry of a unit with lines, root entry of its tree).
template <typename Visit>
void ForEachUnit(const std::string& path, Visit visit) {
  const OpenFile file(path);
  Dwarf* dwarf = dwarf_begin(file.descriptor(), DWARF_C_READ);
  if (dwarf == nullptr) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Half version = 0;
  std::uint8_t type = 0;
  Dwarf_Die root, split;
  while (dwarf_get_units(dwarf, unit, &unit, &version, &type, &root, &split) == 0) {
    if (type == DW_UT_type || type == DW_UT_split_type) continue;
    visit(root, type == DW_UT_skeleton && dwarf_tag(&split) != DW_TAG_invalid ? split : root);
  }
  dwarf_end(dwarf);
}

// libdw leaves paths relative to the compiler's working directory, except those of its files.
std::string PathIn(Dwarf_Die& unit, const char* path) {
  if (path == nullptr || *path == '/') return Normal(path != nullptr ? path : "");
  Dwarf_Attribute attribute;
  const char* directory = dwarf_attr(&unit, DW_AT_comp_dir, &attribute) != nullptr
                              ? dwarf_formstring(&attribute)
                              : nullptr;
  const std::string prefix = directory != nullptr ? std::string(directory) + "/" : "";
  return Normal(std::string_view(path).starts_with(prefix) ? path : prefix + path);
}

std::uint64_t Lines(const std::string& path, Listing* listing) {
  std::uint64_t count = 0;
  volatile std::uint64_t kept = 0;
  std::uint64_t sum = 0;
  ForEachUnit(path, [&](Dwarf_Die root, Dwarf_Die) {
    Dwarf_Lines* lines = nullptr;
    std::size_t size = 0;
    if (dwarf_getsrclines(&root, &lines, &size) != 0) return;
    std::vector<LineRow> rows;
    for (std::size_t i = 0; i < size; ++i) {
      Dwarf_Line* line = dwarf_onesrcline(lines, i);
      Dwarf_Addr address = 0;
      int number = 0;
      bool end = false;
      dwarf_lineaddr(line, &address);
      dwarf_lineno(line, &number);
      dwarf_lineendsequence(line, &end);
      sum += address + static_cast<std::uint64_t>(number);
      ++count;
      // libdw sorts rows by address, so discarded code at 0 would run into the first real sequence.
      if (listing == nullptr || (address == 0 && !end)) continue;
      if (end) {
        listing->AddSequence(rows, address);
        rows.clear();
        continue;
      }
      rows.push_back({address, PathIn(root, dwarf_linesrc(line, nullptr, nullptr)),
                      static_cast<std::uint64_t>(number)});
    }
  });
  kept = sum;
  (void)kept;
  return count;
}

std::vector<AddressRange> RangesOf(Dwarf_Die& entry) {
  std::vector<AddressRange> ranges;
  Dwarf_Addr base = 0, start = 0, end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&entry, at, &base, &start, &end)) > 0;)
    ranges.push_back({start, end});
  return ranges;
}

const char* NameOf(Dwarf_Die& entry) {
  Dwarf_Attribute attribute;
  for (const unsigned which : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (dwarf_attr_integrate(&entry, which, &attribute) != nullptr)
      if (const char* name = dwarf_formstring(&attribute)) return name;
  const char* name = dwarf_diename(&entry);
  return name != nullptr ? name : "";
}

std::uint64_t NumberOf(Dwarf_Die& entry, unsigned which) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_attr(&entry, which, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
    return 0;
  return value;
}

class FunctionWalk {
 public:
  FunctionWalk(Dwarf_Die unit, Listing* listing) : unit_(unit), listing_(listing) {}

  // A stack of our own: a hostile file may nest as deep as it likes.
  void Walk(Dwarf_Die root) {
    struct Level {
      Dwarf_Die entry;
      Place place;
    };
    std::vector<Level> open;
    Dwarf_Die child;
    if (dwarf_child(&root, &child) == 0) open.push_back({child, {}});
    while (!open.empty()) {
      Level& level = open.back();
      Dwarf_Die entry = level.entry;
      const Place inner = Visit(entry, level.place);
      Dwarf_Die next;
      if (dwarf_siblingof(&entry, &next) == 0) {
        level.entry = next;
      } else {
        open.pop_back();
      }
      if (open.size() < 65536 && dwarf_haschildren(&entry) == 1 && dwarf_child(&entry, &child) == 0)
        open.push_back({child, inner});
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  struct Place {
    std::uint64_t inside = 0;
    unsigned depth = 0;
    bool is_function = false;
  };

  Place Visit(Dwarf_Die& entry, Place place) {
    const int tag = dwarf_tag(&entry);
    if (tag == DW_TAG_subprogram) return Concrete(entry);
    if (tag != DW_TAG_inlined_subroutine || !place.is_function) return place;
    ++place.depth;
    auto ranges = RangesOf(entry);
    const char* name = NameOf(entry);
    const auto line = NumberOf(entry, DW_AT_call_line);
    if (ranges.empty()) return place;
    ++count_;
    if (listing_ != nullptr)
      listing_->Add(Inlined{place.inside, place.depth, name,
                            FilePath(NumberOf(entry, DW_AT_call_file)), line, std::move(ranges)});
    return place;
  }

  Place Concrete(Dwarf_Die& entry) {
    auto ranges = RangesOf(entry);
    if (ranges.empty()) return {};
    ++count_;
    const char* name = NameOf(entry);
    if (listing_ == nullptr) return {ranges[0].start, 0, true};
    Dwarf_Attribute attribute;
    Dwarf_Addr address = 0;
    std::optional<std::uint64_t> start;
    if (dwarf_attr(&entry, DW_AT_entry_pc, &attribute) != nullptr &&
        dwarf_formaddr(&attribute, &address) == 0)
      start = address;
    const auto place = listing_->AddConcrete(name, std::move(ranges), start);
    return {place.value_or(0), 0, place.has_value()};
  }

  std::string FilePath(std::uint64_t number) {
    Dwarf_Files* files = nullptr;
    std::size_t size = 0;
    if (dwarf_getsrcfiles(&unit_, &files, &size) != 0 || number >= size) return "";
    return PathIn(unit_, dwarf_filesrc(files, number, nullptr, nullptr));
  }

  Dwarf_Die unit_;
  Listing* listing_;
  std::uint64_t count_ = 0;
};

std::uint64_t Functions(const std::string& path, Listing* listing) {
  std::uint64_t count = 0;
  ForEachUnit(path, [&](Dwarf_Die unit, Dwarf_Die tree) {
    FunctionWalk walk(unit, listing);
    walk.Walk(tree);
    count += walk.count();
  });
  return count;
}

}  // namespace
}  // namespace readers

int main(int argc, char** argv) {
  using namespace readers;
  return RunReader({.symbols = Symbols, .lines = Lines, .functions = Functions}, argc, argv);
}
