// line_header.cc: headers of line programs, versions 2 to 5, and paths of files.
#include "binary/dwarf/line_header.h"

#include <algorithm>

namespace tare::dwarf {
namespace {

// No system opens longer paths (PATH_MAX).
constexpr std::size_t kLongestPath = 4096;

std::string Joined(std::string_view directory, std::string_view name) {
  if (name.starts_with('/') || directory.empty()) return std::string(name);
  std::string path(directory);
  if (!path.ends_with('/')) path += '/';
  return path += name;
}

std::string_view Cut(std::string_view text) { return text.substr(0, kLongestPath); }

std::uint32_t DirectoryNumber(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, 0xffffffff));
}

void ReadOldTables(Cursor& cursor, FileTable& files) {
  while (cursor.ok()) {
    const std::string_view directory = cursor.Text();
    if (directory.empty()) break;
    files.directories.push_back(Cut(directory));
  }
  while (ReadOldFile(cursor, files)) {
  }
}

struct EntryShape {
  std::uint64_t content;
  std::uint16_t form;
};

std::vector<EntryShape> ReadEntryShapes(Cursor& cursor) {
  std::vector<EntryShape> shapes(cursor.U8());
  for (auto& shape : shapes) {
    shape.content = cursor.Uleb();
    shape.form = static_cast<std::uint16_t>(std::min<std::uint64_t>(cursor.Uleb(), 0xffff));
    // Forms without bytes would let a few bytes announce any number of entries.
    if (shape.form == kFormImplicitConst || shape.form == kFormFlagPresent) cursor.Fail();
  }
  return shapes;
}

// DWARF 5, 6.2.4.1: directories and files are lists in the same format.
template <typename Add>
void ReadEntries(const DebugSections& sections, const Unit& unit, Encoding encoding, Cursor& cursor,
                 Add add) {
  const auto shapes = ReadEntryShapes(cursor);
  std::uint64_t count = cursor.Uleb();
  if (shapes.empty() && count > 0) cursor.Fail();
  for (; count > 0 && cursor.ok(); --count) {
    FileTable::File entry{};
    for (const auto& shape : shapes) {
      const FormValue value = ReadForm(cursor, shape.form, 0, encoding);
      if (shape.content == kLinePath) entry.name = Cut(TextOf(sections, unit, value).value_or(""));
      if (shape.content == kLineDirectoryIndex)
        entry.directory = DirectoryNumber(Constant(value).value_or(0));
    }
    if (cursor.ok()) add(entry);
  }
}

}  // namespace

std::string FileTable::PathOf(std::uint64_t number) const {
  // Before DWARF 5 files count from 1, and directory 0 is that of the unit.
  const bool from_one = version < 5;
  const std::uint64_t index = from_one ? number - 1 : number;
  if (index >= files.size() || files[index].name.empty()) return {};
  const File& file = files[index];
  const std::string_view home = from_one || directories.empty() ? unit_directory : directories[0];
  // From DWARF 5 on, directory 0 is `home` itself, which may be relative.
  const bool in_home = file.directory == 0;
  const std::uint64_t directory = from_one ? std::uint64_t{file.directory} - 1 : file.directory;
  if (in_home || directory >= directories.size()) return Joined(home, file.name);
  return Joined(Joined(home, directories[directory]), file.name);
}

bool ReadOldFile(Cursor& cursor, FileTable& files) {
  const std::string_view name = cursor.Text();
  if (!cursor.ok() || name.empty()) return false;
  const std::uint64_t directory = cursor.Uleb();
  cursor.Uleb();  // time
  cursor.Uleb();  // bytes
  files.files.push_back({Cut(name), DirectoryNumber(directory)});
  return cursor.ok();
}

bool ReadLineHeader(const DebugSections& sections, const Unit& unit, LineHeader& header,
                    FileTable& files) {
  Cursor start(sections.line, unit.line_program, sections.line.size());
  header.encoding = unit.encoding;
  header.encoding.offset_bytes = 4;
  std::uint64_t length = start.U32();
  if (length == 0xffffffff) {
    header.encoding.offset_bytes = 8;
    length = start.U64();
  }
  header.end = start.position();
  if (!start.ok() || length > start.Remaining()) return false;
  header.end += length;
  Cursor cursor(sections.line, start.position(), header.end);
  header.encoding.version = cursor.U16();
  if (header.encoding.version < 2 || header.encoding.version > 5) return false;
  if (header.encoding.version >= 5) {
    header.encoding.address_bytes = cursor.U8();
    cursor.U8();  // segment selector size
  }
  const auto address_bytes = header.encoding.address_bytes;
  if (address_bytes != 8 && address_bytes != 4 && address_bytes != 2) return false;
  const std::uint64_t header_bytes = cursor.Unsigned(header.encoding.offset_bytes);
  header.opcodes = cursor.position() + std::min(header_bytes, cursor.Remaining());
  header.instruction_bytes = cursor.U8();
  if (header.encoding.version >= 4) header.operations = cursor.U8();
  cursor.U8();  // default_is_stmt
  header.line_base = static_cast<std::int8_t>(cursor.U8());
  header.line_range = cursor.U8();
  header.opcode_base = cursor.U8();
  for (unsigned i = 1; i < header.opcode_base; ++i) header.operands[i] = cursor.U8();
  files.version = header.encoding.version;
  files.unit_directory = Cut(unit.directory);
  if (files.version < 5) {
    ReadOldTables(cursor, files);
  } else {
    ReadEntries(sections, unit, header.encoding, cursor,
                [&](const FileTable::File& entry) { files.directories.push_back(entry.name); });
    ReadEntries(sections, unit, header.encoding, cursor,
                [&](const FileTable::File& entry) { files.files.push_back(entry); });
  }
  return cursor.ok() && header.line_range != 0 && header.operations != 0 && header.opcode_base != 0;
}

}  // namespace tare::dwarf
