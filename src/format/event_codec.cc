// event_codec.cc: fields as varints, tables by column.
#include "format/event_codec.h"

#include <algorithm>

#include "format/field_coder.h"
#include "format/varints.h"

namespace tare::format {
namespace {

// Leaves room in a chunk for the last row.
constexpr std::size_t kFullTables = 4u << 20;
constexpr std::size_t kMaxBlockCode = 64u << 10;

std::unexpected<Error> DamagedEvents(std::string_view what) {
  return Fail(ErrorKind::kFormat, std::string(what));
}

std::string_view TextOf(std::span<const std::byte> raw) {
  return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

// An enumeration with the values `first` to `last`.
template <typename Enum>
bool CodeEnum(auto& code, Enum& value, std::uint8_t first, std::uint8_t last) {
  auto number = static_cast<std::uint8_t>(value);
  code.Whole(number);
  if (number < first || number > last) return false;
  value = static_cast<Enum>(number);
  return true;
}

bool CodeHead(auto& code, EventTraceHead& head) {
  code.Text(head.program);
  code.List(head.command, [&](std::string& word) { code.Text(word); });
  for (std::string* text :
       {&head.source, &head.content, &head.machine, &head.time, &head.version, &head.clock})
    code.Text(*text);
  code.Whole(head.tick_ns);
  const bool known = CodeEnum(code, head.encoding, 1, kMaxTraceEncoding);
  for (TraceCost* cost : {&head.event_cost, &head.span_cost, &head.inner_cost})
    for (double* part : {&cost->ns, &cost->low_ns, &cost->high_ns}) code.Real(*part);
  code.Whole(head.sample_kept);
  code.Whole(head.sample_period);
  return known;
}

bool CodeAccess(auto& code, TraceAccess& access) {
  const bool known = CodeEnum(code, access.kind, 1, kMaxAccessKind);
  code.Whole(access.bytes);
  code.Whole(access.word);
  code.Whole(access.offset);
  code.Whole(access.code_offset);
  return known;
}

// The words that an access of this kind reads from its own on.
std::uint32_t WordsRead(AccessKind kind) {
  if (kind == AccessKind::kCopy) return 3;
  return kind == AccessKind::kSet ? 2 : 1;
}

bool IsSoundAccess(const TraceBlock& block, const TraceAccess& access) {
  const std::uint32_t words = WordsRead(access.kind);
  if (access.word == 0) return words == 1;
  return access.word <= block.words && block.words - access.word + 1 >= words;
}

bool CodeBlock(auto& code, TraceBlock& block) {
  code.Whole(block.address);
  code.Whole(block.code_bytes);
  code.Whole(block.instructions);
  bool good = CodeEnum(code, block.end, 0, kMaxBlockEnd);
  code.Whole(block.operation);
  code.Whole(block.words);
  code.List(block.accesses, [&](TraceAccess& access) { good = CodeAccess(code, access) && good; });
  code.Text(block.code);
  if (!code.Good() || block.words > kMaxBlockWords) return false;
  return good && std::ranges::all_of(block.accesses, [&](const TraceAccess& access) {
           return IsSoundAccess(block, access);
         });
}

void CodeThread(auto& code, TraceThread& thread) {
  code.Whole(thread.process);
  code.Whole(thread.thread);
  code.Whole(thread.generation);
}

bool CodeSite(auto& code, EventSite& site) {
  const bool known = CodeEnum(code, site.kind, 1, kMaxSiteKind);
  code.Text(site.name);
  code.Text(site.file);
  code.Whole(site.line);
  return known;
}

std::uint64_t EndOf(const TraceBlock& block) { return block.address + block.code_bytes; }

// The object is stored where it differs from that of the function before.
void CodeFunction(auto& code, TraceFunction& function, const TraceFunction& before) {
  code.Text(function.name);
  std::uint8_t same = function.object == before.object ? 1 : 0;
  code.Whole(same);
  if (same == 0) {
    code.Text(function.object);
  } else {
    function.object = before.object;
  }
}

// Appends rows; false if one of them is wrong or the table becomes too long. `each` takes the
// coder, a row and the row before it in this chunk.
template <typename T>
bool ReadRows(FieldReader& reader, std::vector<T>& rows, std::size_t max, auto each) {
  std::uint64_t count = 0;
  reader.Whole(count);
  ColumnReader columns(reader);
  T before{};
  for (std::uint64_t i = 0; i < count && columns.Good(); ++i) {
    T row{};
    columns.BeginRow();
    if (!each(columns, row, before) || !columns.Good() || rows.size() >= max) return false;
    before = row;
    rows.push_back(std::move(row));
  }
  return columns.Good() && columns.AtEnd();
}

// Encodes the rows of a table from `from` on while they fit.
template <typename T>
void WriteRows(FieldWriter& writer, const std::vector<T>& rows, std::size_t& from,
               std::size_t& bytes, auto each) {
  constexpr std::size_t kRowsPerCheck = 64;
  ColumnWriter columns;
  std::size_t count = 0;
  T before{};
  for (; from < rows.size(); ++from, ++count) {
    if (count % kRowsPerCheck == 0 && bytes + columns.Bytes() >= kFullTables) break;
    T row = rows[from];
    columns.BeginRow();
    each(columns, row, before);
    before = rows[from];
  }
  bytes += columns.Bytes();
  writer.Whole(count);
  columns.Take(writer);
}

// An event has at most a site with its flags, a thread, a time and a value.
constexpr std::size_t kMaxTimedBytes = 2 * 5 + 2 * kMaxVarintBytes;
static_assert(kMaxVarintBytes + kMaxTimedEvents * kMaxTimedBytes < kMaxRawBytes);

}  // namespace

std::string EncodeTraceHead(const EventTraceHead& head) {
  FieldWriter writer;
  EventTraceHead copy;  // the coder takes references that it does not change
  copy = head;
  CodeHead(writer, copy);
  return writer.Take();
}

Result<EventTraceHead> DecodeTraceHead(std::span<const std::byte> raw) {
  FieldReader reader(TextOf(raw));
  EventTraceHead head;
  if (!CodeHead(reader, head) || !reader.Good() || !reader.AtEnd())
    return DamagedEvents("incomplete: its header is damaged");
  if (head.sample_kept > head.sample_period)
    return DamagedEvents("incomplete: its header has an impossible sample");
  return head;
}

TableSizes SizesOf(const EventTables& tables) {
  return {tables.blocks.size(), tables.threads.size(), tables.sites.size(), tables.functions.size(),
          tables.block_functions.size()};
}

std::string EncodeTables(const EventTables& tables, TableSizes& from) {
  FieldWriter writer;
  std::size_t bytes = 0;
  WriteRows(writer, tables.blocks, from.blocks, bytes,
            [](ColumnWriter& code, TraceBlock& block, const TraceBlock& before) {
              block.address = ZigZagOf(block.address - EndOf(before));
              CodeBlock(code, block);
            });
  WriteRows(writer, tables.threads, from.threads, bytes,
            [](ColumnWriter& code, TraceThread& thread, const TraceThread&) {
              CodeThread(code, thread);
            });
  WriteRows(writer, tables.sites, from.sites, bytes,
            [](ColumnWriter& code, EventSite& site, const EventSite&) { CodeSite(code, site); });
  WriteRows(writer, tables.functions, from.functions, bytes,
            [](ColumnWriter& code, TraceFunction& function, const TraceFunction& before) {
              CodeFunction(code, function, before);
            });
  WriteRows(writer, tables.block_functions, from.block_functions, bytes,
            [](ColumnWriter& code, std::uint32_t& function, const std::uint32_t& before) {
              code.Whole(ZigZagOf(std::uint64_t{function} - before));
            });
  return writer.Take();
}

Result<void> DecodeTables(std::span<const std::byte> raw, EventTables& tables) {
  FieldReader reader(TextOf(raw));
  const bool good =
      ReadRows(reader, tables.blocks, kMaxTraceBlocks,
               [](ColumnReader& code, TraceBlock& block, const TraceBlock& before) {
                 const bool sound = CodeBlock(code, block) && block.code.size() <= kMaxBlockCode;
                 block.address = EndOf(before) + UnZigZagOf(block.address);
                 return sound;
               }) &&
      ReadRows(reader, tables.threads, kMaxTraceThreads,
               [](ColumnReader& code, TraceThread& thread, const TraceThread&) {
                 CodeThread(code, thread);
                 return true;
               }) &&
      ReadRows(reader, tables.sites, kMaxTraceSites,
               [](ColumnReader& code, EventSite& site, const EventSite&) {
                 return CodeSite(code, site);
               }) &&
      ReadRows(reader, tables.functions, kMaxTraceFunctions,
               [](ColumnReader& code, TraceFunction& function, const TraceFunction& before) {
                 CodeFunction(code, function, before);
                 return true;
               }) &&
      ReadRows(reader, tables.block_functions, kMaxTraceBlocks,
               [](ColumnReader& code, std::uint32_t& function, const std::uint32_t& before) {
                 std::uint64_t step = 0;
                 code.Whole(step);
                 const std::uint64_t number = before + UnZigZagOf(step);
                 function = static_cast<std::uint32_t>(number);
                 return number <= kNoFunction;
               });
  if (!good || !reader.AtEnd()) return DamagedEvents("its tables are damaged");
  if (std::ranges::any_of(tables.block_functions, [&](std::uint32_t function) {
        return function != kNoFunction && function >= tables.functions.size();
      }))
    return DamagedEvents("a block has an unknown function");
  return {};
}

void EncodeMarks(const BlockBatch& batch, std::string& raw) {
  FieldWriter writer;
  writer.Whole(batch.marks.size());
  std::uint64_t before = 0;
  for (const BlockMark& mark : batch.marks) {
    writer.Whole(mark.position - before);
    writer.Whole(static_cast<std::uint8_t>(mark.kind));
    writer.Whole(mark.value);
    before = mark.position;
  }
  raw += writer.Take();
}

Result<void> DecodeMarks(FieldReader& reader, std::uint64_t blocks, const EventTables& tables,
                         std::vector<BlockMark>& marks) {
  marks.clear();
  std::uint64_t before = 0;
  bool good = true;
  reader.List(marks, [&](BlockMark& mark) {
    reader.Whole(mark.position);
    good = CodeEnum(reader, mark.kind, 1, kMaxMarkKind) && good;
    reader.Whole(mark.value);
    good = good && mark.position <= blocks - before;
    mark.position += before;
    before = good ? mark.position : blocks;
    if (mark.kind == MarkKind::kThread) good = good && mark.value < tables.threads.size();
  });
  if (!good || !reader.Good() || marks.size() > kMaxBatchMarks)
    return DamagedEvents("its marks are damaged");
  return {};
}

void EncodeTimed(std::span<const TimedEvent> events, std::string& raw) {
  VarintWriter writer(raw, kMaxVarintBytes + events.size() * kMaxTimedBytes);
  writer.Add(events.size());
  std::uint32_t thread = 0;
  std::uint64_t time = 0;
  for (const TimedEvent& event : events) {
    const bool same_thread = event.thread == thread;
    const auto flags = static_cast<std::uint64_t>(event.kind) | (event.has_time ? 8U : 0U) |
                       (same_thread ? 16U : 0U);
    writer.Add(std::uint64_t{event.site} << 5 | flags);
    if (!same_thread) writer.Add(event.thread);
    // Times of several threads are not in order.
    writer.Add(ZigZagOf(event.time_ns - time));
    if (event.kind == TimedKind::kValue) writer.Add(ZigZagOf(event.value));
    thread = event.thread;
    time = event.time_ns;
  }
  writer.Finish();
}

Result<void> DecodeTimed(std::span<const std::byte> raw, const EventTables& tables,
                         std::vector<TimedEvent>& events) {
  events.clear();
  VarintReader reader(raw);
  const std::uint64_t count = reader.Next();
  // An event takes at least two bytes.
  bool good = reader.Good() && count <= kMaxTimedEvents && count <= raw.size() / 2;
  if (good) events.resize(count);
  std::uint64_t thread = 0;
  std::uint64_t time = 0;
  for (TimedEvent& event : events) {
    const std::uint64_t first = reader.Next();
    const std::uint64_t kind = first & 7;
    if ((first & 16) == 0) thread = reader.Next();
    time += UnZigZagOf(reader.Next());
    good = good && kind >= 1 && kind <= kMaxTimedKind && first >> 5 < tables.sites.size() &&
           thread < tables.threads.size();
    event.kind = static_cast<TimedKind>(kind);
    event.has_time = (first & 8) != 0;
    event.site = static_cast<std::uint32_t>(first >> 5);
    event.thread = static_cast<std::uint32_t>(thread);
    event.time_ns = time;
    if (event.kind == TimedKind::kValue) event.value = UnZigZagOf(reader.Next());
  }
  if (good && reader.Good() && reader.AtEnd()) return {};
  events.clear();
  return DamagedEvents("its events are damaged");
}

std::string EncodeBlockTotals(const BlockTotals& totals) {
  std::string raw;
  VarintWriter writer(raw, (2 + totals.executions.size()) * kMaxVarintBytes);
  writer.Add(totals.signals);
  writer.Add(totals.executions.size());
  for (const std::uint64_t count : totals.executions) writer.Add(count);
  writer.Finish();
  return raw;
}

Result<BlockTotals> DecodeBlockTotals(std::span<const std::byte> raw) {
  VarintReader reader(raw);
  BlockTotals totals;
  totals.signals = reader.Next();
  const std::uint64_t count = reader.Next();
  // Each takes at least a byte.
  if (!reader.Good() || count > raw.size()) return DamagedEvents("its totals are damaged");
  totals.executions.resize(count);
  for (std::uint64_t& executions : totals.executions) executions = reader.Next();
  if (!reader.Good() || !reader.AtEnd()) return DamagedEvents("its totals are damaged");
  return totals;
}

std::string EncodeTraceEnd(const EventTraceEnd& end) {
  FieldWriter writer;
  writer.Whole(end.blocks);
  writer.Whole(end.timed);
  writer.Whole(end.lost);
  writer.Text(end.loss);
  writer.Whole(end.exit_status);
  writer.Whole(end.wall_ns);
  return writer.Take();
}

Result<EventTraceEnd> DecodeTraceEnd(std::span<const std::byte> raw) {
  FieldReader reader(TextOf(raw));
  EventTraceEnd end;
  for (std::uint64_t* number : {&end.blocks, &end.timed, &end.lost}) reader.Whole(*number);
  reader.Text(end.loss);
  for (std::uint64_t* number : {&end.exit_status, &end.wall_ns}) reader.Whole(*number);
  if (!reader.Good() || !reader.AtEnd()) return DamagedEvents("its end is damaged");
  return end;
}

std::uint64_t RawBytes(std::uint64_t blocks, std::uint64_t words, std::uint64_t timed) {
  return 4 * blocks + 8 * words + 16 * timed;
}

}  // namespace tare::format
