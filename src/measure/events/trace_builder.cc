// trace_builder.cc: numbers of blocks, threads and functions.
#include "measure/events/trace_builder.h"

#include "binary/elf/elf_image.h"

namespace tare::events {
namespace {

std::string KeyOf(const format::TraceBlock& block) {
  format::EventTables one;
  one.blocks.push_back(block);
  format::TableSizes from;
  return format::EncodeTables(one, from);
}

}  // namespace

std::uint32_t TraceBuilder::BlockNumber(const format::TraceBlock& block) {
  auto& table = writer_.tables().blocks;
  const auto [found, is_new] =
      blocks_.try_emplace(KeyOf(block), static_cast<std::uint32_t>(table.size()));
  if (is_new) table.push_back(block);
  return found->second;
}

std::uint32_t TraceBuilder::ThreadNumber(const format::TraceThread& thread) {
  auto& table = writer_.tables().threads;
  const std::pair key(thread.process << 16 | (thread.generation & 0xffff), thread.thread);
  const auto [found, is_new] = threads_.try_emplace(key, static_cast<std::uint32_t>(table.size()));
  if (is_new) table.push_back(thread);
  return found->second;
}

void TraceBuilder::AddSampled(std::uint32_t block, std::span<const std::uint64_t> words) {
  if (place_ == 0 && skipped_ > 0) {
    writer_.AddMark(format::MarkKind::kGap, skipped_);
    skipped_ = 0;
    MarkThread();
  }
  if (place_ < sampling_.kept) {
    if (marked_ != thread_) MarkThread();
    writer_.AddBlock(block, words);
  } else {
    ++skipped_;
  }
  if (++place_ == sampling_.period) place_ = 0;
}

void TraceBuilder::Pause() {
  if (system_ != nullptr) system_->Take(writer_);
  writer_.FlushIfDue(MonotonicNs());
}

void TraceBuilder::Finish() {
  if (skipped_ > 0) writer_.AddMark(format::MarkKind::kGap, skipped_);
  skipped_ = 0;
  if (system_ != nullptr) system_->Take(writer_, true);
}

void TraceBuilder::NameBlock(std::uint32_t block, const std::string& path, std::uint64_t offset) {
  auto& tables = writer_.tables();
  if (tables.FunctionOf(block) != format::kNoFunction) return;
  const count::Place* const place = images_.At(path, offset);
  const std::string name = place == nullptr ? "[unknown]" : place->function;
  const auto [found, is_new] = functions_.try_emplace(
      name + '\0' + path, static_cast<std::uint32_t>(tables.functions.size()));
  if (is_new) tables.functions.push_back({name, path});
  if (tables.block_functions.size() <= block)
    tables.block_functions.resize(block + 1, format::kNoFunction);
  tables.block_functions[block] = found->second;
}

}  // namespace tare::events
