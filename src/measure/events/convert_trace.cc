// convert_trace.cc: copies events from a reader to a writer.
#include "measure/events/convert_trace.h"

#include <system_error>

#include "format/event_codec.h"
#include "format/event_writer.h"

namespace tare::events {
namespace {

// Copies the rows that the writer lacks; numbers stay the same.
void CopyTables(const format::EventTables& from, format::EventTables& to) {
  const auto copy = [](const auto& rows, auto& copied) {
    copied.insert(copied.end(), rows.begin() + static_cast<std::ptrdiff_t>(copied.size()),
                  rows.end());
  };
  copy(from.blocks, to.blocks);
  copy(from.threads, to.threads);
  copy(from.sites, to.sites);
  copy(from.functions, to.functions);
  copy(from.block_functions, to.block_functions);
}

void CountBatch(const format::BlockBatch& batch, std::size_t blocks, format::BlockTotals& totals) {
  if (totals.executions.size() < blocks) totals.executions.resize(blocks);
  for (const std::uint32_t block : batch.blocks) ++totals.executions[block];
  for (const format::BlockMark& mark : batch.marks)
    if (mark.kind == format::MarkKind::kSignal) ++totals.signals;
}

void CopyBatch(const format::BlockBatch& batch, const format::EventTables& tables,
               const BlockSampling& sampling, TraceBuilder& builder) {
  auto mark = batch.marks.begin();
  std::size_t word = 0;
  const auto take_mark = [&](const format::BlockMark& one) {
    if (sampling.kept == 0) {
      builder.writer().AddMark(one.kind, one.value);
    } else if (one.kind == format::MarkKind::kThread) {
      builder.SetThread(static_cast<std::uint32_t>(one.value));
    } else if (one.kind == format::MarkKind::kSignal) {
      builder.AddSignal(one.value);
    }
  };
  for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
    while (mark != batch.marks.end() && mark->position <= i) take_mark(*mark++);
    const std::uint32_t words = tables.blocks[batch.blocks[i]].words;
    builder.AddBlock(batch.blocks[i], std::span(batch.words).subspan(word, words));
    word += words;
  }
  while (mark != batch.marks.end()) take_mark(*mark++);
}

}  // namespace

Result<Converted> Convert(const std::filesystem::path& from, const std::filesystem::path& to,
                          const ConvertPlan& plan) {
  TRY(auto reader, format::EventTraceReader::Open(from));
  std::error_code error;
  if (std::filesystem::equivalent(from, to, error))
    return Fail(ErrorKind::kUsage, "the input and the output are the same file");
  format::EventTraceHead head = reader.Head();
  head.encoding = plan.encoding.value_or(head.encoding);
  if (plan.sampling.kept > 0) {
    if (head.sample_period > 0)
      return Fail(ErrorKind::kUsage, "the trace is a sample already; sample the whole trace");
    head.sample_kept = plan.sampling.kept;
    head.sample_period = plan.sampling.period;
  }
  TRY(auto writer, format::EventTraceWriter::Create(to, head, plan.level));
  TraceBuilder builder(writer, plan.sampling);
  Converted converted;
  format::BlockTotals totals;
  converted.encoding = head.encoding;
  while (reader.Next()) {
    CopyTables(reader.Tables(), writer.tables());
    CopyBatch(reader.Blocks(), reader.Tables(), plan.sampling, builder);
    CountBatch(reader.Blocks(), reader.Tables().blocks.size(), totals);
    for (const format::TimedEvent& event : reader.Timed()) writer.AddTimed(event);
    TRY_VOID(writer.Status());
  }
  CopyTables(reader.Tables(), writer.tables());
  builder.Finish();
  converted.outcome = reader.Outcome();
  if (head.sample_period == 0) writer.SetTotals(std::move(totals));
  format::EventTraceEnd end = converted.outcome.end.value_or(format::EventTraceEnd{});
  if (!converted.outcome.complete && end.lost == 0) {
    end.lost = 1;
    end.loss = converted.outcome.reason;
  }
  TRY_VOID(writer.Close(end));
  converted.blocks = writer.Blocks();
  converted.timed = writer.Timed();
  converted.from_bytes = converted.outcome.bytes;
  converted.to_bytes = writer.Bytes();
  converted.raw_bytes = format::RawBytes(writer.Blocks(), writer.Words(), writer.Timed());
  return converted;
}

}  // namespace tare::events
