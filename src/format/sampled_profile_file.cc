// sampled_profile_file.cc: a preamble and the chunks of format/chunk.h: facts, tables, samples,
// end. While a profile is sampled, facts, further tables and samples follow instead of the end.
#include "format/sampled_profile_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "base/byte_reader.h"
#include "base/check.h"
#include "base/file.h"
#include "base/special_file.h"
#include "format/chunk.h"
#include "format/field_coder.h"

namespace tare::format {
namespace {

constexpr ChunkedFormat kProfileFormat = {
    {'t', 'a', 'r', 'e', 'p', 'r', 'o', 'f'}, 1, "a profile", "it is not a profile of tare"};
constexpr std::uint64_t kMaxProfileBytes = std::uint64_t{1} << 30;
constexpr std::size_t kSamplesPerChunk = 65536;

void CodeFacts(auto& code, ProfileFacts& facts) {
  for (std::string* text :
       {&facts.program, &facts.arguments, &facts.machine, &facts.event, &facts.chains})
    code.Text(*text);
  code.Whole(facts.with_kernel);
  for (std::uint64_t* number : {&facts.period[0], &facts.period[1], &facts.cpu_ns, &facts.wall_ns,
                                &facts.lost, &facts.throttled, &facts.own_cpu_ns})
    code.Whole(*number);
  code.Whole(facts.runs);
  code.Real(facts.sample_cost_ns);
  code.Real(facts.sample_cost_half_ns);
}

void CodeTables(auto& code, SampledProfile& profile) {
  code.List(profile.objects, [&](ProfileObject& object) {
    code.Text(object.path);
    code.Text(object.build_id);
  });
  code.List(profile.files, [&](std::string& file) { code.Text(file); });
  code.List(profile.functions, [&](ProfileFunction& function) {
    code.Text(function.name);
    code.Whole(function.object);
    code.Whole(function.start);
    code.Whole(function.bytes);
  });
  code.List(profile.locations, [&](ProfileLocation& location) {
    code.Whole(location.address);
    code.Whole(location.offset);
    code.Whole(location.function);
    code.Whole(location.file);
    code.Whole(location.line);
    code.Whole(location.block);
    code.Whole(location.block_instructions);
  });
  code.List(profile.stacks, [&](ProfileStack& stack) {
    code.List(stack, [&](std::uint32_t& location) { code.Whole(location); });
  });
  code.List(profile.threads, [&](ProfileThread& thread) {
    code.Whole(thread.process);
    code.Whole(thread.thread);
    code.Text(thread.command);
  });
  code.List(profile.mappings, [&](ProfileMapping& mapping) {
    code.Whole(mapping.process);
    code.Whole(mapping.start);
    code.Whole(mapping.bytes);
    code.Whole(mapping.file_offset);
    code.Whole(mapping.object);
    code.Whole(mapping.time_ns);
  });
}

void CodeSample(auto& code, ProfileSample& sample) {
  code.Whole(sample.time_ns);
  code.Whole(sample.stack);
  code.Whole(sample.thread);
  code.Whole(sample.timer);
}

// Whether every index of the tables of `added` points at something. They follow those of `before`;
// objects are in `added` alone.
bool IsSound(const SampledProfile& added, const SampledProfile& before) {
  const auto each = [](const auto& items, auto sound) { return std::ranges::all_of(items, sound); };
  const std::size_t functions = before.functions.size() + added.functions.size();
  const std::size_t files = before.files.size() + added.files.size();
  const std::size_t locations = before.locations.size() + added.locations.size();
  return each(added.functions,
              [&](const ProfileFunction& f) { return f.object < added.objects.size(); }) &&
         each(added.locations,
              [&](const ProfileLocation& l) {
                return l.function < functions && (l.file == kNoIndex || l.file < files);
              }) &&
         each(added.stacks,
              [&](const ProfileStack& s) {
                return !s.empty() &&
                       each(s, [&](std::uint32_t location) { return location < locations; });
              }) &&
         each(added.mappings,
              [&](const ProfileMapping& m) { return m.object < added.objects.size(); });
}

bool IsSound(const SampledProfile& profile, const ProfileSample& sample) {
  return sample.stack < profile.stacks.size() && sample.thread < profile.threads.size() &&
         sample.timer < 2;
}

// Packs contents into chunks, one behind the other.
class ChunkSequence {
 public:
  ChunkSequence(ChunkPacker& packer, ChunkChain chain) : packer_(packer), chain_(chain) {}

  void Begin() {
    const Preamble preamble = MakePreamble(kProfileFormat);
    chain_.checksum = preamble.checksum;
    bytes_.assign(reinterpret_cast<const char*>(&preamble), sizeof preamble);
  }
  // Long contents become several chunks.
  void Add(ChunkKind kind, std::string_view raw) {
    do {
      const std::string_view part = raw.substr(0, kMaxRawBytes);
      raw.remove_prefix(part.size());
      const auto chunk = packer_.Pack(chain_, kind, 0, std::as_bytes(std::span(part)));
      bytes_.append(reinterpret_cast<const char*>(chunk.data()), chunk.size());
    } while (!raw.empty());
  }
  // The coder takes references that it does not change.
  void AddFacts(ProfileFacts& facts) {
    FieldWriter fields;
    CodeFacts(fields, facts);
    Add(ChunkKind::kHead, fields.Take());
  }
  void AddTables(ChunkKind kind, SampledProfile& profile) {
    FieldWriter tables;
    CodeTables(tables, profile);
    Add(kind, tables.Take());
  }
  void AddSamples(std::vector<ProfileSample>& all) {
    for (std::size_t first = 0; first < all.size(); first += kSamplesPerChunk) {
      FieldWriter samples;
      const std::size_t last = std::min(first + kSamplesPerChunk, all.size());
      for (std::size_t i = first; i < last; ++i) CodeSample(samples, all[i]);
      Add(ChunkKind::kRecords, samples.Take());
    }
  }
  const ChunkChain& Chain() const { return chain_; }
  const std::string& Bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  ChunkPacker& packer_;
  ChunkChain chain_;
  std::string bytes_;
};

// The items from `first` on.
template <typename T>
std::vector<T> From(const std::vector<T>& items, std::size_t first) {
  return {items.begin() + static_cast<std::ptrdiff_t>(first), items.end()};
}

struct ReadChunk {
  ChunkKind kind;
  std::string raw;
};

// The next whole chunk, or nothing at the end, at damage and where the file is cut.
std::optional<ReadChunk> NextChunk(ByteReader& reader, ChunkChain& chain, ChunkUnpacker& unpacker) {
  const auto header = reader.Read<ChunkHeader>();
  if (!header || header->stored_bytes > kMaxStoredBytes || header->raw_bytes > kMaxRawBytes)
    return std::nullopt;
  const auto stored = reader.Take(header->stored_bytes);
  if (!stored || header->number != chain.number ||
      ChunkChecksum(chain, *header, *stored) != header->checksum)
    return std::nullopt;
  const auto raw = unpacker.Unpack(*header, *stored);
  if (!raw) return std::nullopt;
  chain = {chain.number + 1, header->checksum};
  return ReadChunk{static_cast<ChunkKind>(header->kind),
                   std::string(reinterpret_cast<const char*>(raw->data()), raw->size())};
}

std::unexpected<Error> DamagedProfile(std::string_view what) {
  return Fail(ErrorKind::kFormat, fmt::format("the profile is cut or damaged in its {}", what));
}

template <typename T>
void AppendTo(std::vector<T>& items, std::vector<T>& added) {
  std::ranges::move(added, std::back_inserter(items));
}

// Objects and threads replace those that are known, which may have had less to say of each; an
// empty table of them changes nothing.
bool TakeTables(std::string_view raw, SampledProfile& profile) {
  SampledProfile added;
  FieldReader tables(raw);
  CodeTables(tables, added);
  if (!tables.Good() || !tables.AtEnd()) return false;
  if (added.objects.empty()) added.objects = profile.objects;
  if (added.threads.empty()) added.threads = profile.threads;
  const bool fewer = added.objects.size() < profile.objects.size() ||
                     added.threads.size() < profile.threads.size();
  if (fewer || !IsSound(added, profile)) return false;
  profile.objects = std::move(added.objects);
  profile.threads = std::move(added.threads);
  AppendTo(profile.files, added.files);
  AppendTo(profile.functions, added.functions);
  AppendTo(profile.locations, added.locations);
  AppendTo(profile.stacks, added.stacks);
  AppendTo(profile.mappings, added.mappings);
  return true;
}

bool TakeSamples(std::string_view raw, SampledProfile& profile) {
  FieldReader reader(raw);
  while (reader.Good() && !reader.AtEnd()) {
    ProfileSample sample;
    CodeSample(reader, sample);
    if (!reader.Good() || !IsSound(profile, sample)) return false;
    profile.samples.push_back(sample);
  }
  return reader.Good();
}

}  // namespace

std::string PackProfile(const SampledProfile& profile) {
  SampledProfile copy = profile;
  ChunkPacker packer;
  ChunkSequence chunks(packer, {});
  chunks.Begin();
  chunks.AddFacts(copy.facts);
  chunks.AddTables(ChunkKind::kChannels, copy);
  chunks.AddSamples(copy.samples);
  chunks.Add(ChunkKind::kEnd, copy.incomplete);
  return chunks.Take();
}

Result<void> GrowingProfile::Add(SampledProfile& profile) {
  if (profile.samples.empty()) return {};
  CHECK(profile.files.size() >= written_.files && profile.functions.size() >= written_.functions &&
        profile.locations.size() >= written_.locations &&
        profile.stacks.size() >= written_.stacks && profile.mappings.size() >= written_.mappings);
  SampledProfile added;
  if (profile.objects != written_.objects) added.objects = profile.objects;
  if (profile.threads != written_.threads) added.threads = profile.threads;
  added.files = From(profile.files, written_.files);
  added.functions = From(profile.functions, written_.functions);
  added.locations = From(profile.locations, written_.locations);
  added.stacks = From(profile.stacks, written_.stacks);
  added.mappings = From(profile.mappings, written_.mappings);

  const bool is_new = !file_;
  if (is_new) {
    TRY(auto file, GrowingFile::Create(path_));
    file_.emplace(std::move(file));
  }
  ChunkSequence chunks(packer_, chain_);
  if (is_new) chunks.Begin();
  chunks.AddFacts(profile.facts);
  chunks.AddTables(is_new ? ChunkKind::kChannels : ChunkKind::kMoreTables, added);
  chunks.AddSamples(profile.samples);
  auto written = file_->Append(std::as_bytes(std::span(chunks.Bytes())), 0);
  if (written && is_new) written = file_->Appear();
  if (!written) {
    if (is_new) file_.reset();
    return written;
  }
  chain_ = chunks.Chain();
  written_ = {profile.objects,          profile.threads,          profile.files.size(),
              profile.functions.size(), profile.locations.size(), profile.stacks.size(),
              profile.mappings.size()};
  profile.samples.clear();
  return {};
}

Result<SampledProfile> ParseProfile(std::string_view file) {
  ByteReader reader(file);
  const auto preamble = reader.Read<Preamble>();
  if (!preamble) return Fail(ErrorKind::kFormat, std::string(kProfileFormat.refusal));
  TRY(auto chain, ReadPreamble(*preamble, kProfileFormat));
  ChunkUnpacker unpacker;
  SampledProfile profile;
  auto chunk = NextChunk(reader, chain, unpacker);
  if (!chunk || chunk->kind != ChunkKind::kHead) return DamagedProfile("head");
  bool has_tables = false;
  while (chunk && chunk->kind == ChunkKind::kHead) {
    FieldReader facts(chunk->raw);
    ProfileFacts read;
    CodeFacts(facts, read);
    if (!facts.Good() || !facts.AtEnd()) return DamagedProfile("head");
    chunk = NextChunk(reader, chain, unpacker);
    const ChunkKind kind = has_tables ? ChunkKind::kMoreTables : ChunkKind::kChannels;
    std::string raw;
    while (chunk && chunk->kind == kind) {
      raw += chunk->raw;
      chunk = NextChunk(reader, chain, unpacker);
    }
    // Tables that grew are whole if something follows them.
    if (has_tables && !chunk) break;
    if (!TakeTables(raw, profile)) return DamagedProfile("tables");
    has_tables = true;
    profile.facts = std::move(read);
    while (chunk && chunk->kind == ChunkKind::kRecords) {
      if (!TakeSamples(chunk->raw, profile)) return DamagedProfile("samples");
      chunk = NextChunk(reader, chain, unpacker);
    }
  }
  if (chunk && chunk->kind == ChunkKind::kEnd && reader.AtEnd()) {
    profile.incomplete = chunk->raw;
  } else if (reader.AtEnd()) {
    profile.incomplete = "its end is missing: tare was killed, or the file was cut";
  } else {
    profile.incomplete = "the file is cut or damaged";
  }
  return profile;
}

Result<void> WriteProfile(const SampledProfile& profile, const std::filesystem::path& path) {
  return WriteFileAtomically(path, PackProfile(profile));
}

Result<SampledProfile> ReadProfile(const std::filesystem::path& path) {
  TRY(const auto file, ReadFile(path, kMaxProfileBytes));
  return InFile(path, ParseProfile(file));
}

bool IsProfile(const std::filesystem::path& path) {
  return StartOfFile(path, kProfileMagic.size()) == kProfileMagic;
}

}  // namespace tare::format
