// function_entry.cc: entries of functions, and the references between them.
#include "binary/dwarf/function_entry.h"

#include <algorithm>

namespace tare::dwarf {
namespace {

FormValue* Place(FunctionEntry& entry, std::uint16_t attribute) {
  switch (attribute) {
    case kAtName:
      return &entry.name;
    case kAtLinkageName:
    case kAtMipsLinkageName:
      return &entry.linkage_name;
    case kAtAbstractOrigin:
      return &entry.origin;
    case kAtSpecification:
      return &entry.specification;
    case kAtDeclFile:
      return &entry.decl_file;
    case kAtDeclLine:
      return &entry.decl_line;
    case kAtLowPc:
      return &entry.low_pc;
    case kAtHighPc:
      return &entry.high_pc;
    case kAtEntryPc:
      return &entry.entry_pc;
    case kAtRanges:
      return &entry.ranges;
    case kAtCallFile:
      return &entry.call_file;
    case kAtCallLine:
      return &entry.call_line;
    default:
      return nullptr;
  }
}

// The entry at an offset of .debug_info.
std::optional<FunctionEntry> EntryAt(const DebugSections& sections, const Unit& unit,
                                     std::uint64_t offset) {
  Cursor cursor(sections.info, offset, unit.end);
  const Abbreviation* abbreviation = unit.abbreviations->Find(cursor.Uleb());
  if (!cursor.ok() || abbreviation == nullptr) return std::nullopt;
  const FunctionEntry entry = ReadFunctionEntry(cursor, unit, *abbreviation);
  if (!cursor.ok()) return std::nullopt;
  return entry;
}

struct Facts {
  std::string_view name;
  std::string_view linkage_name;
  bool has_file = false;
  bool has_line = false;
};

void AddFacts(const DebugSections& sections, const Unit& unit, const FunctionEntry& entry,
              Facts& facts, Identity& identity) {
  if (facts.name.empty()) facts.name = TextOf(sections, unit, entry.name).value_or("");
  if (facts.linkage_name.empty())
    facts.linkage_name = TextOf(sections, unit, entry.linkage_name).value_or("");
  for (const auto* value : {&entry.name, &entry.linkage_name, &entry.origin, &entry.specification})
    identity.supplementary |= IsSupplementary(value->form);
  if (const auto file = Constant(entry.decl_file); file && !facts.has_file) {
    facts.has_file = true;
    identity.function.file = *file;
    identity.function.line_program = unit.line_program;
  }
  if (const auto line = Constant(entry.decl_line); line && !facts.has_line) {
    facts.has_line = true;
    identity.function.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(*line, 0xffffffff));
  }
}

}  // namespace

FunctionEntry ReadFunctionEntry(Cursor& cursor, const Unit& unit,
                                const Abbreviation& abbreviation) {
  FunctionEntry entry;
  for (const auto& shape : unit.abbreviations->AttributesOf(abbreviation)) {
    if (FormValue* place = Place(entry, shape.attribute)) {
      *place = ReadForm(cursor, shape.form, unit.abbreviations->ConstantOf(shape), unit.encoding);
    } else {
      SkipForm(cursor, shape.form, unit.encoding);
    }
  }
  return entry;
}

Identity Identify(const DebugSections& sections, const std::vector<Unit>& units, const Unit& unit,
                  const FunctionEntry& entry) {
  // Real chains have three links: concrete, abstract, declaration in a class.
  constexpr int kLongestChain = 16;
  Identity identity{{"", kNowhere, 0, 0}};
  Facts facts;
  const Unit* at = &unit;
  FunctionEntry current = entry;
  for (int link = 0;; ++link) {
    AddFacts(sections, *at, current, facts, identity);
    const FormValue& next = current.origin.there() ? current.origin : current.specification;
    if (!next.there() || IsSupplementary(next.form)) break;
    const std::uint64_t offset = ReferenceOf(*at, next).value_or(kNowhere);
    const Unit* home = UnitAt(units, offset);
    const auto found = home != nullptr ? EntryAt(sections, *home, offset) : std::nullopt;
    if (!found || link == kLongestChain) {
      identity.damaged = true;
      break;
    }
    at = home;
    current = *found;
  }
  identity.function.name = facts.linkage_name.empty() ? facts.name : facts.linkage_name;
  return identity;
}

}  // namespace tare::dwarf
