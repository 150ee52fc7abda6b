// flow_descriptions.cc: parses the descriptions of a flow's records and checks every number.
#include "format/flow_descriptions.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/byte_reader.h"

namespace tare::format {
namespace {

std::unexpected<Error> DamagedDescription(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("flow description: {}", what));
}

bool IsGuarded(std::uint16_t kind) {
  return kind == TARE_FLOW_GUARDED_LOAD || kind == TARE_FLOW_GUARDED_STORE;
}

Result<FlowAccess> ReadAccess(ByteReader& reader, const tare_wire_flow& flow,
                              std::uint32_t code_bytes) {
  TRY(const auto wire, reader.Read<tare_wire_access>());
  if (wire.kind < TARE_FLOW_LOAD || wire.kind > TARE_FLOW_GUARDED_STORE) {
    return DamagedDescription(fmt::format("an access of unknown kind {}", wire.kind));
  }
  if (wire.word >= flow.words)
    return DamagedDescription("an access beyond the words of its record");
  if (wire.code_offset >= code_bytes) return DamagedDescription("an access outside of its block");
  if (IsGuarded(wire.kind) && (wire.word == 0 || wire.offset != 0)) {
    return DamagedDescription("a guarded access without a word of its own");
  }
  return FlowAccess{static_cast<tare_flow_kind>(wire.kind), wire.bytes, wire.word, wire.offset,
                    wire.code_offset};
}

}  // namespace

Result<void> FlowDescriptions::AppendBlock(std::span<const std::byte> record) {
  ByteReader reader(record);
  TRY(const auto wire, reader.Read<tare_wire_block>());
  TRY(const auto code, reader.Take(wire.code_bytes));
  blocks_.push_back({wire, code});
  return {};
}

Result<void> FlowDescriptions::AppendDescription(std::span<const std::byte> record) {
  ByteReader reader(record);
  TRY(const auto wire, reader.Read<tare_wire_flow>());
  if (wire.block >= blocks_.size()) return DamagedDescription("its block was not described");
  if (wire.words == 0 || wire.words > TARE_FLOW_RECORD_WORDS) {
    return DamagedDescription(fmt::format("a record of {} words", wire.words));
  }
  const Block& block = blocks_[wire.block];
  const bool repeated = (block.wire.flags & TARE_WIRE_REPEATED) != 0;
  if (wire.operation > 1 || (wire.operation == 1 && !repeated)) {
    return DamagedDescription("an operation of an instruction that is not repeated");
  }
  FlowBlock described{.block = wire.block,
                      .address = block.wire.address,
                      .code_bytes = block.wire.code_bytes,
                      .instructions = block.wire.instructions,
                      .flags = block.wire.flags,
                      .operation = wire.operation == 1,
                      .words = wire.words,
                      .accesses = {},
                      .code = block.code};
  described.accesses.reserve(
      std::min<std::size_t>(wire.accesses, reader.Remaining() / sizeof(tare_wire_access)));
  for (std::uint16_t i = 0; i < wire.accesses; ++i) {
    TRY(const auto access, ReadAccess(reader, wire, block.wire.code_bytes));
    described.accesses.push_back(access);
  }
  described_.push_back(std::move(described));
  return {};
}

Result<void> FlowDescriptions::Append(std::vector<std::byte> records) {
  const std::span<const std::byte> bytes = record_bytes_.emplace_back(std::move(records));
  for (std::size_t at = 0; at < bytes.size();) {
    ByteReader head(bytes.subspan(at));
    TRY(const auto record, head.Read<tare_wire_record>());
    if (record.size < sizeof record || record.size % 8 != 0 || record.size > bytes.size() - at) {
      return DamagedDescription(fmt::format("a record of {} bytes", record.size));
    }
    const auto body = bytes.subspan(at, record.size);
    if (record.kind == TARE_WIRE_BLOCK) {
      TRY_VOID(AppendBlock(body));
    } else if (record.kind == TARE_WIRE_FLOW) {
      TRY_VOID(AppendDescription(body));
    } else if (record.kind != TARE_WIRE_OBJECT) {
      return DamagedDescription(fmt::format("a record of unknown kind {}", record.kind));
    }
    at += record.size;
  }
  return {};
}

}  // namespace tare::format
