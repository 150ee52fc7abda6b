// unwind_frames.cc: common information and frame descriptions (LSB 5.0, "Exception Frames").
#include "binary/unwind_frames.h"

#include <map>
#include <optional>

#include "base/byte_reader.h"

namespace tare::binary {
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

// How the frame descriptions of one common entry write their addresses.
Result<std::uint8_t> AddressEncoding(ByteReader reader) {
  TRY(const auto version, reader.Read<std::uint8_t>());
  TRY(const auto augmentation, reader.ReadTerminatedText());
  TRY_VOID(reader.ReadVarint());  // code alignment
  TRY_VOID(reader.ReadVarint());  // data alignment; its sign does not matter here
  if (version == 1) {
    TRY_VOID(reader.Read<std::uint8_t>());
  } else {
    TRY_VOID(reader.ReadVarint());
  }
  std::uint8_t encoding = 0;
  if (!augmentation.starts_with("z")) return encoding;
  TRY_VOID(reader.ReadVarint());
  for (const char letter : augmentation.substr(1)) {
    if (letter == 'R') {
      TRY(encoding, reader.Read<std::uint8_t>());
    } else if (letter == 'L') {
      TRY_VOID(reader.Read<std::uint8_t>());
    } else if (letter == 'P') {
      TRY(const auto format, reader.Read<std::uint8_t>());
      TRY_VOID(ReadPointer(reader, format));
    }
  }
  return encoding;
}

class Walk {
 public:
  Walk(std::span<const std::byte> contents, std::uint64_t address)
      : contents_(contents), address_(address) {}

  std::vector<AddressRange> Frames() {
    std::vector<AddressRange> frames;
    ByteReader reader(contents_);
    while (reader.Remaining() >= 4) {
      auto length = std::uint64_t{*reader.Read<std::uint32_t>()};
      if (length == 0) continue;  // ends the part of one object file
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
  // Nothing for a common entry, which is only remembered, and for nonsense.
  std::optional<AddressRange> FrameOf(std::span<const std::byte> entry, std::uint64_t begin) {
    ByteReader reader(entry);
    const auto id = reader.Read<std::uint32_t>();
    if (!id) return std::nullopt;
    if (*id == 0) {
      const auto found = AddressEncoding(reader);
      encodings_[begin] = found ? *found : kOmitted;
      return std::nullopt;
    }
    // The id is the distance back to the length field of the common entry.
    const auto common = encodings_.find(begin - *id + 4);
    if (common == encodings_.end() || common->second == kOmitted) return std::nullopt;
    const std::uint8_t encoding = common->second;
    const std::uint64_t place = address_ + begin + reader.Position();
    const auto start = ReadPointer(reader, encoding);
    if (!start) return std::nullopt;
    const auto size = ReadPointer(reader, encoding);
    if (!size || *size == 0) return std::nullopt;
    const std::uint64_t first = (encoding & 0x70) == kRelativeToPlace ? place + *start : *start;
    if (first + *size <= first) return std::nullopt;
    return AddressRange{first, first + *size};
  }

  std::span<const std::byte> contents_;
  std::uint64_t address_;
  std::map<std::uint64_t, std::uint8_t> encodings_;
};

}  // namespace

std::vector<AddressRange> UnwindFrames(std::span<const std::byte> contents, std::uint64_t address) {
  return Walk(contents, address).Frames();
}

}  // namespace tare::binary
