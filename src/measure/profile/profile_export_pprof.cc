// profile_export_pprof.cc: the messages of github.com/google/pprof/proto/profile.proto.
#include <zlib.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "binary/elf/function.h"
#include "measure/profile/profile_export.h"
#include "measure/profile/profile_shares.h"

namespace tare::profile {
namespace {

using format::SampledProfile;

// Protocol Buffers: fields are numbered; a message, text or packed list has its length first.
class ProtoWriter {
 public:
  void Whole(unsigned field, std::uint64_t value) {
    if (value == 0) return;
    Varint(field << 3);
    Varint(value);
  }
  void Bytes(unsigned field, std::string_view bytes) {
    Varint(field << 3 | 2);
    Varint(bytes.size());
    bytes_ += bytes;
  }
  void Packed(unsigned field, const std::vector<std::uint64_t>& values) {
    ProtoWriter list;
    for (const std::uint64_t value : values) list.Varint(value);
    Bytes(field, list.bytes_);
  }
  const std::string& Written() const { return bytes_; }

 private:
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

class ProtoTexts {
 public:
  ProtoTexts() { Number(""); }
  std::uint64_t Number(const std::string& text) {
    const auto [found, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return found->second;
  }
  void Write(ProtoWriter& profile) const {
    for (const std::string& text : texts_) profile.Bytes(6, text);
  }

 private:
  std::unordered_map<std::string, std::uint64_t> numbers_;
  std::vector<std::string> texts_;
};

std::string ValueType(ProtoTexts& texts, const std::string& type, const std::string& unit) {
  ProtoWriter message;
  message.Whole(1, texts.Number(type));
  message.Whole(2, texts.Number(unit));
  return message.Written();
}

Result<std::string> Gzipped(std::string_view bytes) {
  z_stream stream{};
  constexpr int kGzip = 15 + 16;  // zlib.h: add 16 for a gzip header
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return Fail(ErrorKind::kIo, "cannot compress the profile: no memory");
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int ended = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) return Fail(ErrorKind::kIo, "cannot compress the profile");
  return packed;
}

}  // namespace

Result<std::string> ToPprof(const SampledProfile& profile) {
  ProtoTexts texts;
  ProtoWriter out;
  const double seconds = SampledSeconds(profile);
  const double per_sample =
      profile.samples.empty() ? 0 : 1e9 * seconds / static_cast<double>(profile.samples.size());
  out.Bytes(1, ValueType(texts, "samples", "count"));
  out.Bytes(1, ValueType(texts, "cpu", "nanoseconds"));
  std::vector<std::uint64_t> counts(profile.stacks.size());
  for (const auto& sample : profile.samples) ++counts[sample.stack];
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    ProtoWriter message;
    std::vector<std::uint64_t> locations;
    for (const std::uint32_t location : profile.stacks[i]) locations.push_back(location + 1);
    message.Packed(1, locations);
    message.Packed(
        2,
        {counts[i], static_cast<std::uint64_t>(static_cast<double>(counts[i]) * per_sample + 0.5)});
    out.Bytes(2, message.Written());
  }
  // One mapping per object; the addresses of locations are what identifies code.
  for (std::size_t i = 0; i < profile.objects.size(); ++i) {
    ProtoWriter message;
    message.Whole(1, i + 1);
    message.Whole(5, texts.Number(profile.objects[i].path));
    message.Whole(6, texts.Number(profile.objects[i].build_id));
    message.Whole(7, 1);
    out.Bytes(3, message.Written());
  }
  std::vector<std::uint64_t> source(profile.functions.size());
  for (std::size_t i = 0; i < profile.locations.size(); ++i) {
    const auto& at = profile.locations[i];
    ProtoWriter line;
    line.Whole(1, at.function + 1);
    line.Whole(2, at.line);
    ProtoWriter message;
    message.Whole(1, i + 1);
    message.Whole(2, profile.functions[at.function].object + 1);
    message.Whole(3, at.address);
    message.Bytes(4, line.Written());
    out.Bytes(4, message.Written());
    if (at.file != format::kNoIndex) source[at.function] = texts.Number(profile.files[at.file]);
  }
  for (std::size_t i = 0; i < profile.functions.size(); ++i) {
    ProtoWriter message;
    message.Whole(1, i + 1);
    message.Whole(2, texts.Number(elf::Demangled(profile.functions[i].name)));
    message.Whole(3, texts.Number(profile.functions[i].name));
    message.Whole(4, source[i]);
    out.Bytes(5, message.Written());
  }
  out.Whole(10, profile.facts.wall_ns);
  out.Bytes(11, ValueType(texts, "cpu", "nanoseconds"));
  out.Whole(12, static_cast<std::uint64_t>(per_sample));
  texts.Write(out);
  return Gzipped(out.Written());
}

}  // namespace tare::profile
