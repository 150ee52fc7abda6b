// unwind_frames.cc: CIEs and FDEs (LSB 5.0, "Exception Frames").
#include "binary/elf/unwind_frames.h"

#include <map>
#include <optional>
#include <tuple>

#include "base/byte_reader.h"

namespace tare::elf {
namespace {

// Pointer encodings, DW_EH_PE_*: the low half is the format, the high half what it is relative to.
constexpr std::uint8_t kOmitted = 0xff;
constexpr std::uint8_t kRelativeToPlace = 0x10;

Result<std::uint64_t> ReadPointer(ByteReader& reader, std::uint8_t format) {
  switch (format & 0x0f) {
    case 0x00:  // absptr
    case 0x04:  // udata8
    case 0x0c:  // sdata8
      return reader.Read<std::uint64_t>();
    case 0x01:  // uleb128
      return reader.ReadVarint();
    case 0x02: {  // udata2
      TRY(const auto value, reader.Read<std::uint16_t>());
      return value;
    }
    case 0x03: {  // udata4
      TRY(const auto value, reader.Read<std::uint32_t>());
      return value;
    }
    case 0x0a: {  // sdata2
      TRY(const auto value, reader.Read<std::int16_t>());
      return static_cast<std::uint64_t>(std::int64_t{value});
    }
    case 0x0b: {  // sdata4
      TRY(const auto value, reader.Read<std::int32_t>());
      return static_cast<std::uint64_t>(std::int64_t{value});
    }
    default:
      return Fail(ErrorKind::kFormat, "unknown pointer encoding");
  }
}

// What the FDEs of one common information entry (CIE) share.
struct Common {
  std::uint8_t encoding = 0;  // of addresses
  bool of_signal = false;     // they describe signal frames
  bool augmented = false;
  std::uint8_t table_encoding = kOmitted;  // of the address of the LSDA
};

Result<Common> ReadCommon(ByteReader reader) {
  TRY(const auto version, reader.Read<std::uint8_t>());
  TRY(const auto augmentation, reader.ReadTerminatedText());
  TRY_VOID(reader.ReadVarint());  // code alignment
  TRY_VOID(reader.ReadVarint());  // data alignment; its sign does not matter here
  if (version == 1) {
    TRY_VOID(reader.Read<std::uint8_t>());
  } else {
    TRY_VOID(reader.ReadVarint());
  }
  Common common;
  if (!augmentation.starts_with("z")) return common;
  common.augmented = true;
  TRY_VOID(reader.ReadVarint());
  for (const char letter : augmentation.substr(1)) {
    if (letter == 'R') {
      TRY(common.encoding, reader.Read<std::uint8_t>());
    } else if (letter == 'L') {
      TRY(common.table_encoding, reader.Read<std::uint8_t>());
    } else if (letter == 'P') {
      TRY(const auto format, reader.Read<std::uint8_t>());
      TRY_VOID(ReadPointer(reader, format));
    } else if (letter == 'S') {
      common.of_signal = true;
    }
  }
  return common;
}

class Walk {
 public:
  Walk(std::span<const std::byte> contents, std::uint64_t address)
      : contents_(contents), address_(address) {}

  std::vector<ExceptionFrame> Frames() {
    std::vector<ExceptionFrame> frames;
    ByteReader reader(contents_);
    while (reader.Remaining() >= 4) {
      auto length = std::uint64_t{*reader.Read<std::uint32_t>()};
      if (length == 0) continue;  // end of one object file's part
      if (length == 0xffffffff) {
        const auto extended = reader.Read<std::uint64_t>();
        if (!extended) break;
        length = *extended;
      }
      const std::uint64_t begin = reader.Position();
      const auto entry = reader.Take(length);
      if (!entry) break;
      if (const auto frame = FrameOf(*entry, begin)) frames.push_back(*frame);
    }
    return frames;
  }

 private:
  // Nothing for a CIE, which is only stored, and for invalid entries.
  std::optional<ExceptionFrame> FrameOf(std::span<const std::byte> entry, std::uint64_t begin) {
    ByteReader reader(entry);
    const auto id = reader.Read<std::uint32_t>();
    if (!id) return std::nullopt;
    if (*id == 0) {
      const auto found = ReadCommon(reader);
      commons_[begin] = found ? *found : Common{kOmitted};
      return std::nullopt;
    }
    // The id is the distance back to the length field of the CIE.
    const auto common = commons_.find(begin - *id + 4);
    if (common == commons_.end() || common->second.encoding == kOmitted) return std::nullopt;
    const std::uint8_t encoding = common->second.encoding;
    const std::uint64_t place = address_ + begin + reader.Position();
    const auto start = ReadPointer(reader, encoding);
    if (!start) return std::nullopt;
    const auto size = ReadPointer(reader, encoding);
    if (!size || *size == 0) return std::nullopt;
    const std::uint64_t first = (encoding & 0x70) == kRelativeToPlace ? place + *start : *start;
    if (first + *size <= first) return std::nullopt;
    // The C library's frame of __restore_rt starts one byte before the code, for unwinders that
    // look up the byte before a return address; that byte is the end of padding.
    const bool early = common->second.of_signal && (first + 1) % 16 == 0;
    return ExceptionFrame{{first + (early ? 1 : 0), first + *size},
                          TableOf(reader, begin, common->second)};
  }

  // 0 when there is none.
  std::uint64_t TableOf(ByteReader reader, std::uint64_t begin, const Common& common) const {
    if (!common.augmented || common.table_encoding == kOmitted) return 0;
    if (!reader.ReadVarint()) return 0;
    const std::uint64_t place = address_ + begin + reader.Position();
    const auto table = ReadPointer(reader, common.table_encoding);
    if (!table || *table == 0) return 0;
    const bool relative = (common.table_encoding & 0x70) == kRelativeToPlace;
    return relative ? place + *table : *table;
  }

  std::span<const std::byte> contents_;
  std::uint64_t address_;
  std::map<std::uint64_t, Common> commons_;
};

}  // namespace

std::vector<AddressRange> UnwindFrames(std::span<const std::byte> contents, std::uint64_t address) {
  std::vector<AddressRange> ranges;
  for (const ExceptionFrame& frame : Walk(contents, address).Frames()) {
    ranges.push_back(frame.range);
  }
  return ranges;
}

std::vector<ExceptionFrame> ExceptionFrames(std::span<const std::byte> contents,
                                            std::uint64_t address) {
  auto frames = Walk(contents, address).Frames();
  std::erase_if(frames, [](const ExceptionFrame& frame) { return frame.table == 0; });
  return frames;
}

namespace {

// The call-site table (Itanium C++ ABI, "Exception Handling Tables").
Result<void> ReadLandingPads(ByteReader reader, std::uint64_t address, std::uint64_t start,
                             std::vector<LandingPad>& pads) {
  std::uint64_t base = start;
  TRY(const auto base_format, reader.Read<std::uint8_t>());
  if (base_format != kOmitted) {
    const std::uint64_t place = address + reader.Position();
    TRY(base, ReadPointer(reader, base_format));
    if ((base_format & 0x70) == kRelativeToPlace) base += place;
  }
  TRY(const auto type_format, reader.Read<std::uint8_t>());
  if (type_format != kOmitted) TRY_VOID(reader.ReadVarint());
  TRY(const auto site_format, reader.Read<std::uint8_t>());
  TRY(const auto bytes, reader.ReadVarint());
  TRY(const auto table, reader.Take(bytes));
  ByteReader sites(table);
  while (!sites.AtEnd()) {
    TRY(const auto first, ReadPointer(sites, site_format));
    TRY(const auto size, ReadPointer(sites, site_format));
    TRY(const auto pad, ReadPointer(sites, site_format));
    TRY_VOID(sites.ReadVarint());
    if (pad != 0) pads.push_back({{start + first, start + first + size}, base + pad});
  }
  return {};
}

}  // namespace

std::vector<LandingPad> LandingPads(std::span<const std::byte> contents, std::uint64_t address,
                                    std::uint64_t start) {
  std::vector<LandingPad> pads;
  std::ignore = ReadLandingPads(ByteReader(contents), address, start, pads);
  return pads;
}

}  // namespace tare::elf
