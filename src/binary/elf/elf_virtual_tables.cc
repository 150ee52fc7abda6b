// elf_virtual_tables.cc: finding virtual tables. The slots follow the virtual base offsets, the
// offset to top and a pointer to the typeinfo, which is 0 without run-time type information
// (Itanium C++ ABI, 2.5.2).
#include "binary/elf/elf_virtual_tables.h"

#include <algorithm>
#include <cstring>

namespace tare::elf {
namespace {

constexpr std::uint64_t kWord = 8;

enum class Content { kFunction, kTypeinfo, kNumber, kOther, kNone };

class VirtualTableSearch {
 public:
  explicit VirtualTableSearch(const ElfImage& image)
      : image_(image), words_left_(image.file_bytes() / kWord + 1), pointers_(Pointers()) {
    for (const auto& reference : image.references())
      if (IsTypeinfoTable(reference.symbol)) typeinfos_.push_back(reference.address);
    if (typeinfos_.empty()) FindOwnTypeinfos();
  }

  // All tables of the class of one symbol.
  void AddNamed(const TableSymbol& symbol) {
    std::vector<Content> words;
    const std::uint64_t start = std::max(symbol.range.start, behind_);
    for (std::uint64_t at = start; at + kWord <= symbol.range.end; at += kWord) {
      words.push_back(ContentAt(at));
      if (words.back() == Content::kNone) break;
      behind_ = at + kWord;
    }
    if (!words.empty() && words.back() == Content::kNone) words.pop_back();
    for (std::size_t slot : FirstSlots(words, start)) {
      const auto next = std::find(words.begin() + static_cast<std::ptrdiff_t>(slot), words.end(),
                                  Content::kTypeinfo);
      auto end = static_cast<std::size_t>(next - words.begin());
      if (next == words.end()) end = EndWithoutTypeinfo(words, slot, start);
      // The numbers before the next typeinfo belong to its table.
      if (end != words.size())
        while (end > slot && words[end - 1] != Content::kFunction) --end;
      if (end > slot) tables_.push_back({symbol.name, start + slot * kWord, start + end * kWord});
    }
  }

  // Each pointer to a typeinfo that follows an offset to top and precedes functions.
  void AddUnnamed() {
    const std::size_t named = tables_.size();
    for (const auto& pointer : pointers_) {
      const std::uint64_t start = pointer.address + kWord;
      if (!pointer.of_typeinfo && !std::ranges::binary_search(typeinfos_, pointer.target)) continue;
      if (start < behind_unnamed_ || IsNamed(start, named) ||
          !IsOffsetToTop(pointer.address - kWord))
        continue;
      const std::uint64_t end = EndOfFunctions(start);
      behind_unnamed_ = end;
      if (end > start) tables_.push_back({{}, start, end});
    }
  }

  // Where damage makes two overlap, the named one wins.
  std::vector<VirtualTable> Take() {
    std::ranges::sort(tables_, {}, &VirtualTable::start);
    std::vector<VirtualTable> apart;
    for (const auto& table : tables_) {
      if (!apart.empty() && apart.back().end > table.start) {
        VirtualTable& before = apart.back();
        if (!before.name.empty() || table.name.empty()) continue;
        before.end = before.start + (table.start - before.start) / kWord * kWord;
        if (before.end == before.start) apart.pop_back();
      }
      apart.push_back(table);
    }
    return apart;
  }

 private:
  // A word that contains an address.
  struct Pointer {
    std::uint64_t address;
    std::uint64_t target;  // 0: in another file
    bool of_typeinfo;      // by its symbol
  };

  // Sorted by address. A program at a fixed address has no relocations that would reveal them.
  std::vector<Pointer> Pointers() const {
    std::vector<Pointer> pointers;
    for (const auto& reference : image_.references())
      if (reference.whole_word && reference.address >= kWord)
        pointers.push_back(
            {reference.address, reference.target, reference.symbol.starts_with("_ZTI")});
    if (image_.type() != FileType::kExecutable || !image_.stripped()) return pointers;
    for (const auto& segment : image_.segments()) {
      if (segment.executable || segment.address < kWord || segment.address % kWord != 0) continue;
      const auto bytes = image_.Code(segment.address, segment.file_bytes);
      // Limits the work for segments that share their bytes.
      if (pointers.size() > image_.file_bytes() / kWord) break;
      for (std::size_t at = 0; at + kWord <= bytes.size(); at += kWord) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, kWord);
        if (image_.FileOffsetOf(word)) pointers.push_back({segment.address + at, word, false});
      }
    }
    std::ranges::sort(pointers, {}, &Pointer::address);
    return pointers;
  }

  // In a file with a static C++ library, the typeinfo classes have no symbols. Their own typeinfos
  // contain their names.
  void FindOwnTypeinfos() {
    std::vector<std::uint64_t> classes;  // typeinfos of the typeinfo classes
    for (const auto& pointer : pointers_)
      if (pointer.target != 0 && IsNameOfTypeinfoClass(pointer.target))
        classes.push_back(pointer.address - kWord);
    if (classes.empty()) return;
    std::vector<std::uint64_t> tables;  // the first slots of these classes
    for (const auto& pointer : pointers_)
      if (std::ranges::binary_search(classes, pointer.target) &&
          IsOffsetToTop(pointer.address - kWord))
        tables.push_back(pointer.address + kWord);
    for (const auto& pointer : pointers_)
      if (std::ranges::binary_search(tables, pointer.target)) typeinfos_.push_back(pointer.address);
  }

  bool IsNameOfTypeinfoClass(std::uint64_t address) const {
    using namespace std::string_view_literals;
    for (const auto name :
         {"N10__cxxabiv117__class_type_infoE\0"sv, "N10__cxxabiv120__si_class_type_infoE\0"sv,
          "N10__cxxabiv121__vmi_class_type_infoE\0"sv}) {
      const auto bytes = image_.Code(address, name.size());
      if (bytes.size() == name.size() && std::memcmp(bytes.data(), name.data(), name.size()) == 0)
        return true;
    }
    return false;
  }

  static bool IsTypeinfoTable(std::string_view symbol) {
    return symbol.starts_with("_ZTVN10__cxxabiv1") && symbol.ends_with("type_infoE");
  }

  bool IsTypeinfo(const Reference& reference) const {
    return reference.symbol.starts_with("_ZTI") ||
           (reference.target != 0 && std::ranges::binary_search(typeinfos_, reference.target));
  }

  bool IsCode(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(image_.segments(), address, {}, &Segment::address);
    if (after == image_.segments().begin()) return false;
    const Segment& segment = *std::prev(after);
    return segment.executable && address - segment.address < segment.file_bytes;
  }

  // kNone where the file has no such word.
  Content ContentAt(std::uint64_t address) {
    if (words_left_ == 0) return Content::kNone;
    --words_left_;
    if (const Reference* reference = image_.ReferenceAt(address)) {
      if (!reference->whole_word) return Content::kOther;
      if (IsTypeinfo(*reference)) return Content::kTypeinfo;
      if (reference->target != 0)
        return IsCode(reference->target) ? Content::kFunction : Content::kTypeinfo;
      const bool of_data =
          reference->symbol.starts_with("_ZT") && !reference->symbol.starts_with("_ZTh") &&
          !reference->symbol.starts_with("_ZTv") && !reference->symbol.starts_with("_ZTc");
      const bool function = !reference->symbol.empty() && !of_data &&
                            !reference->symbol.starts_with("__gxx_personality");
      return function ? Content::kFunction : Content::kOther;
    }
    const auto word = image_.WordAt(address);
    if (!word) return Content::kNone;
    // Only a program at a fixed address (not PIE) contains addresses without relocations.
    if (image_.type() != FileType::kExecutable || *word == 0) return Content::kNumber;
    if (IsCode(*word)) return Content::kFunction;
    return image_.FileOffsetOf(*word) ? Content::kTypeinfo : Content::kNumber;
  }

  std::int64_t NumberAt(std::uint64_t address) const {
    return static_cast<std::int64_t>(image_.WordAt(address).value_or(0));
  }

  // The index of the first slot of each table.
  std::vector<std::size_t> FirstSlots(const std::vector<Content>& words,
                                      std::uint64_t start) const {
    std::vector<std::size_t> slots;
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == Content::kTypeinfo) slots.push_back(i + 1);
    if (!slots.empty()) return slots;
    // Virtual base offsets are nonzero; the offset to top of the first table is 0.
    std::size_t top = 0;
    while (top < words.size() && words[top] == Content::kNumber &&
           NumberAt(start + top * kWord) != 0)
      ++top;
    if (top + 2 < words.size()) slots.push_back(top + 2);
    for (std::size_t i = top + 5; i < words.size(); ++i)
      if (BeginsWithoutTypeinfo(words, i, start)) slots.push_back(i);
    return slots;
  }

  // A function after a negative offset to top and a null typeinfo.
  bool BeginsWithoutTypeinfo(const std::vector<Content>& words, std::size_t slot,
                             std::uint64_t start) const {
    return words[slot] == Content::kFunction && words[slot - 1] == Content::kNumber &&
           words[slot - 2] == Content::kNumber && NumberAt(start + (slot - 1) * kWord) == 0 &&
           NumberAt(start + (slot - 2) * kWord) < 0;
  }

  std::size_t EndWithoutTypeinfo(const std::vector<Content>& words, std::size_t slot,
                                 std::uint64_t start) const {
    if (std::ranges::find(words, Content::kTypeinfo) != words.end()) return words.size();
    for (std::size_t i = slot + 3; i < words.size(); ++i)
      if (BeginsWithoutTypeinfo(words, i, start)) return i - 1;
    return words.size();
  }

  bool IsOffsetToTop(std::uint64_t address) const {
    constexpr std::int64_t kLargestObject = std::int64_t{1} << 32;
    if (image_.ReferenceAt(address) != nullptr || !image_.WordAt(address)) return false;
    const std::int64_t offset = NumberAt(address);
    return offset <= 0 && offset > -kLargestObject && offset % 8 == 0;
  }

  // The two destructors of an abstract class may be 0; other zeros are not slots.
  std::uint64_t EndOfFunctions(std::uint64_t start) {
    std::uint64_t end = start;
    int zeros = 0;
    for (std::uint64_t at = start; zeros <= 2; at += kWord) {
      const Content content = ContentAt(at);
      if (content == Content::kFunction && zeros != 1) {
        end = at + kWord;
        zeros = 0;
      } else if (content == Content::kNumber && NumberAt(at) == 0) {
        ++zeros;
      } else {
        break;
      }
    }
    return end;
  }

  bool IsNamed(std::uint64_t address, std::size_t named) const {
    const auto last = tables_.begin() + static_cast<std::ptrdiff_t>(named);
    const auto after = std::upper_bound(
        tables_.begin(), last, address,
        [](std::uint64_t wanted, const VirtualTable& one) { return wanted < one.start; });
    return after != tables_.begin() && address < std::prev(after)->end;
  }

  const ElfImage& image_;
  std::uint64_t words_left_;  // limits the work for segments that share their bytes
  std::vector<Pointer> pointers_;
  std::vector<std::uint64_t> typeinfos_;  // sorted addresses
  std::uint64_t behind_ = 0;
  std::uint64_t behind_unnamed_ = 0;
  std::vector<VirtualTable> tables_;
};

}  // namespace

std::vector<VirtualTable> VirtualTables(const ElfImage& image, std::vector<TableSymbol> symbols) {
  std::ranges::sort(symbols, [](const TableSymbol& a, const TableSymbol& b) {
    if (a.range.start != b.range.start) return a.range.start < b.range.start;
    return a.range.end != b.range.end ? a.range.end > b.range.end : a.name < b.name;
  });
  VirtualTableSearch search(image);
  for (const auto& symbol : symbols) search.AddNamed(symbol);
  search.AddUnnamed();
  return search.Take();
}

}  // namespace tare::elf
