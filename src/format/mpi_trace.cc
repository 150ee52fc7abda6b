// mpi_trace.cc: reads the file of one MPI process, which may be truncated, damaged or still
// growing.
#include "format/mpi_trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/printable.h"
#include "format/mpi_numbers.h"

namespace tare::format {
namespace {

// More members than any machine has processes: a damaged number.
constexpr std::uint64_t kMaxMpiRanks = std::uint64_t{1} << 24;
constexpr std::uint64_t kMaxCores = std::uint64_t{1} << 20;
constexpr std::uint32_t kOldestVersion = 1;
constexpr std::uint64_t kMaxCommunicators = std::uint64_t{1} << 24;

// A fixed array of characters that should be zero-terminated.
template <std::size_t size>
std::string TextOf(const char (&text)[size]) {
  return {text, strnlen(text, size)};
}

std::uint32_t Crc(std::uint32_t checksum, const void* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(
      crc32(checksum, static_cast<const unsigned char*>(bytes), static_cast<unsigned>(count)));
}

}  // namespace

struct MpiRankReader::State {
  std::string name;
  std::span<const std::byte> bytes;
  void* mapping = nullptr;
  std::size_t mapped_bytes = 0;

  MpiRankHeader header;
  tare_mpi_header wire{};
  std::vector<MpiCommunicator> communicators;
  std::vector<MpiCounterModule> modules;
  OpenMpTrace openmp;
  MpiRankOutcome outcome;

  std::size_t next_chunk = TARE_MPI_HEADER_BYTES;
  std::uint32_t chunk_number = 0;
  std::uint32_t checksum = 0;
  bool is_open = false;  // the current chunk
  bool ended = false;
  bool sealed = false;  // the end chunk was read
  MpiNumbers numbers{{}};
  std::int64_t previous_end_ns = 0;
  std::uint16_t thread = 0;
  std::int32_t core = TARE_MPI_NO_CORE;
  std::uint64_t events = 0;

  MpiEvent event;
  std::vector<MpiCompletion> completions;
  std::vector<std::uint64_t> list;
  std::vector<MpiCounterDelta> counters;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (mapping != nullptr) munmap(mapping, mapped_bytes);
  }

  Result<void> ReadHeader();
  bool NextChunk();
  bool NextRecord();
  bool ReadCommunicator();
  bool ReadModule();
  bool ReadEvent(std::uint8_t code);
  bool ReadList();
  bool ReadMembers(std::vector<std::int32_t>& members);
  void Finish(std::string reason);
};

Result<void> MpiRankReader::State::ReadHeader() {
  if (bytes.size() < 12) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: not an MPI trace: only {} bytes", Printable(name), bytes.size()));
  }
  std::memcpy(&wire, bytes.data(), std::min(bytes.size(), sizeof wire));
  if (wire.magic != TARE_MPI_MAGIC) {
    return Fail(ErrorKind::kFormat, fmt::format("{}: not an MPI trace of tare", Printable(name)));
  }
  if (wire.version < kOldestVersion || wire.version > TARE_MPI_VERSION) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: MPI trace of version {}; this tare reads versions {} to {}",
                            Printable(name), wire.version, kOldestVersion, TARE_MPI_VERSION));
  }
  if (bytes.size() < TARE_MPI_HEADER_BYTES) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: truncated within the header", Printable(name)));
  }
  if (wire.checksum != Crc(0, &wire, offsetof(tare_mpi_header, checksum)) || wire.size == 0 ||
      wire.size > kMaxMpiRanks || wire.rank >= wire.size) {
    return Fail(ErrorKind::kFormat, fmt::format("{}: the header is damaged", Printable(name)));
  }
  header = {
      .rank = wire.rank,
      .size = wire.size,
      .run = wire.run,
      .job = wire.job,
      .job_number = wire.job_number,
      .architecture = wire.architecture,
      .thread_level = wire.thread_level,
      .process = wire.process,
      .start_ns = wire.start_ns,
      .start_utc_ns = wire.start_utc_ns,
      .started_ns = wire.started_ns,
      .is_without_mpi = (wire.flags & TARE_MPI_HEADER_NO_MPI) != 0,
      .openmp = wire.openmp <= TARE_MPI_OPENMP_DISABLED ? static_cast<tare_mpi_openmp>(wire.openmp)
                                                        : TARE_MPI_OPENMP_NONE,
      .boot = TextOf(wire.boot),
      .host = TextOf(wire.host),
      .library = TextOf(wire.library),
      .build_id = TextOf(wire.build_id),
      .program = TextOf(wire.program),
  };
  return {};
}

void MpiRankReader::State::Finish(std::string reason) {
  ended = true;
  outcome.state =
      wire.state <= TARE_MPI_ABORTED ? static_cast<tare_mpi_state>(wire.state) : TARE_MPI_RUNNING;
  outcome.lost = wire.lost;
  if (reason.empty() && outcome.lost > 0) {
    reason = wire.lost_reason == 0
                 ? fmt::format("{} events could not be written", outcome.lost)
                 : fmt::format("{} events could not be written ({})", outcome.lost,
                               std::strerror(static_cast<int>(wire.lost_reason)));
  }
  if (reason.empty() && !sealed) {
    reason = outcome.state == TARE_MPI_RUNNING ? "the process was killed, or is still running"
                                               : "the file is truncated";
  }
  const bool is_whole_without_mpi = header.is_without_mpi && outcome.state == TARE_MPI_EXITED;
  if (reason.empty() && outcome.state == TARE_MPI_EXITED && !is_whole_without_mpi) {
    reason = "the process ended without MPI_Finalize";
  }
  if (reason.empty() && outcome.state == TARE_MPI_ABORTED) reason = "the process called MPI_Abort";
  outcome.complete =
      reason.empty() && (outcome.state == TARE_MPI_FINALIZED || is_whole_without_mpi);
  if (!outcome.complete) {
    outcome.reason = "incomplete: " + (reason.empty() ? "the process did not end" : reason);
  }
  if (wire.call > 0 && wire.call <= TARE_MPI_FUNCTION_COUNT) {
    outcome.in_progress = {static_cast<MpiFunction>(wire.call - 1), wire.call_communicator,
                           wire.call_peer, wire.call_tag,
                           static_cast<std::int64_t>(wire.call_start_ns)};
  }
}

// Moves to the next chunk with records. Returns false at the end.
bool MpiRankReader::State::NextChunk() {
  if (ended) return false;
  const auto damaged = [this](std::string_view what) {
    Finish(fmt::format("the file is {} at byte {}", what, next_chunk));
    return false;
  };
  // The chunk after an open one cannot exist.
  if (is_open) {
    Finish({});
    return false;
  }
  if (next_chunk == bytes.size()) {
    Finish({});
    return false;
  }
  if (next_chunk > bytes.size() || bytes.size() - next_chunk < sizeof(tare_mpi_chunk)) {
    return damaged("truncated");
  }
  tare_mpi_chunk chunk;
  std::memcpy(&chunk, bytes.data() + next_chunk, sizeof chunk);
  if (chunk.kind == 0) {
    Finish({});
    return false;
  }
  const std::size_t first = next_chunk + sizeof chunk;
  if (chunk.kind != TARE_MPI_CHUNK_CLOSED && chunk.kind != TARE_MPI_CHUNK_OPEN &&
      chunk.kind != TARE_MPI_CHUNK_END) {
    return damaged("damaged");
  }
  if (chunk.number != chunk_number || chunk.bytes > 2 * TARE_MPI_RECORD_BYTES) {
    return damaged("damaged");
  }
  if (chunk.bytes > bytes.size() - first) return damaged("truncated");
  const std::span<const std::byte> records = bytes.subspan(first, chunk.bytes);
  if (chunk.kind != TARE_MPI_CHUNK_OPEN) {
    const std::uint32_t sum = Crc(Crc(checksum, &chunk, offsetof(tare_mpi_chunk, checksum)),
                                  records.data(), records.size());
    if (sum != chunk.checksum) return damaged("damaged");
    checksum = sum;
  }
  is_open = chunk.kind == TARE_MPI_CHUNK_OPEN;
  if (chunk.kind == TARE_MPI_CHUNK_END) {
    sealed = true;
    constexpr std::uint64_t kMaxEnd = std::uint64_t{1} << 60;
    outcome.end_ns = static_cast<std::int64_t>(std::min(chunk.start_ns, kMaxEnd));
    Finish({});
    return false;
  }
  numbers = MpiNumbers(records);
  previous_end_ns = static_cast<std::int64_t>(chunk.start_ns);
  thread = 0;
  core = TARE_MPI_NO_CORE;
  ++chunk_number;
  next_chunk = first + ((chunk.bytes + 7) & ~std::size_t{7});
  return true;
}

// The ranks are an arithmetic sequence each.
bool MpiRankReader::State::ReadMembers(std::vector<std::int32_t>& members) {
  const std::uint64_t runs = numbers.Unsigned();
  if (runs > numbers.Remaining()) return false;
  for (std::uint64_t i = 0; i < runs && !numbers.IsDamaged(); ++i) {
    std::int64_t rank = numbers.Signed32();
    const std::int64_t stride = numbers.Signed32();
    const std::uint64_t length = numbers.Unsigned();
    if (length + members.size() > header.size + kMaxMpiRanks / 16) return false;
    for (std::uint64_t k = 0; k < length; ++k, rank += stride) {
      if (rank < TARE_MPI_NULL_RANK || rank >= header.size) return false;
      members.push_back(static_cast<std::int32_t>(rank));
    }
  }
  return !numbers.IsDamaged();
}

bool MpiRankReader::State::ReadCommunicator() {
  const std::uint64_t number = numbers.Unsigned();
  const std::uint64_t kind = numbers.Unsigned();
  const std::uint64_t parent = numbers.Unsigned();
  if (number != communicators.size() || number > kMaxCommunicators || kind > TARE_MPI_COMM_GROUP ||
      parent > number) {
    return false;
  }
  MpiCommunicator communicator;
  communicator.kind = static_cast<tare_mpi_comm_kind>(kind);
  if (parent > 0) communicator.parent = static_cast<std::uint32_t>(parent - 1);
  if (!ReadMembers(communicator.members)) return false;
  if (kind == TARE_MPI_COMM_INTER && !ReadMembers(communicator.remote_members)) return false;
  if (kind == TARE_MPI_COMM_TOPOLOGY &&
      (!ReadMembers(communicator.sources) || !ReadMembers(communicator.destinations))) {
    return false;
  }
  communicators.push_back(std::move(communicator));
  return true;
}

bool MpiRankReader::State::ReadModule() {
  MpiCounterModule module;
  module.first_slot = numbers.Unsigned32();
  module.slots = numbers.Unsigned32();
  module.path = numbers.Text(numbers.Unsigned());
  if (numbers.IsDamaged()) return false;
  modules.push_back(std::move(module));
  return true;
}

bool MpiRankReader::State::ReadList() {
  const std::uint64_t count = numbers.Unsigned();
  if (count > kMaxMpiRanks) return false;
  while (list.size() < count && !numbers.IsDamaged()) {
    const std::uint64_t length = numbers.Unsigned();
    const std::uint64_t value = numbers.Unsigned();
    if (length == 0 || length > count - list.size()) return false;
    list.insert(list.end(), length, value);
  }
  return true;
}

bool MpiRankReader::State::ReadEvent(std::uint8_t code) {
  event = {};
  completions.clear();
  list.clear();
  counters.clear();
  event.function = static_cast<MpiFunction>(code);
  event.operation = OperationOf(event.function);
  event.thread = thread;
  event.core = core;
  const std::uint64_t fields = numbers.Unsigned();
  if ((fields & ~std::uint64_t{TARE_MPI_FIELDS}) != 0) return false;
  const auto has = [fields](std::uint64_t bit) { return (fields & bit) != 0; };
  // Far beyond any run, and far from an overflow.
  constexpr std::int64_t kMaxNs = std::int64_t{1} << 60;
  const std::int64_t gap = numbers.Signed();
  const std::uint64_t duration = numbers.Unsigned();
  if (gap > kMaxNs || gap < -kMaxNs || duration > std::uint64_t{kMaxNs}) return false;
  event.start_ns = previous_end_ns + gap;
  if (event.start_ns > kMaxNs || event.start_ns < -kMaxNs) return false;
  event.end_ns = event.start_ns + static_cast<std::int64_t>(duration);
  if (has(TARE_MPI_CPU)) event.burst_cpu_ns = numbers.Unsigned();
  if (has(TARE_MPI_COMM)) event.communicator = numbers.Unsigned32();
  if (has(TARE_MPI_PEER)) event.peer = numbers.Signed32();
  if (has(TARE_MPI_TAG)) event.tag = numbers.Signed32();
  if (has(TARE_MPI_SENT)) event.bytes = numbers.Unsigned();
  if (has(TARE_MPI_RECEIVED)) event.bytes_received = numbers.Unsigned();
  if (has(TARE_MPI_SOURCE)) event.source = numbers.Signed32();
  if (has(TARE_MPI_RECV_TAG)) event.receive_tag = numbers.Signed32();
  if (has(TARE_MPI_NEW_REQUEST)) event.request = numbers.Unsigned32();
  if (has(TARE_MPI_ROOT)) event.root = numbers.Signed32();
  if (has(TARE_MPI_COMPLETIONS)) {
    const std::uint64_t count = numbers.Unsigned();
    if (count > numbers.Remaining()) return false;
    std::int64_t request = 0;
    for (std::uint64_t i = 0; i < count && !numbers.IsDamaged(); ++i) {
      request += numbers.Signed32() + 1;
      if (request < 0 || request > std::numeric_limits<std::uint32_t>::max()) return false;
      const std::uint64_t kind = numbers.Unsigned();
      if (kind > 2) return false;
      MpiCompletion done{.request = static_cast<std::uint32_t>(request),
                         .is_receive = kind == 1,
                         .is_cancelled = kind == 2};
      if (kind == 1) {
        done.source = numbers.Signed32();
        done.tag = numbers.Signed32();
        done.bytes = numbers.Unsigned();
        if (done.source < TARE_MPI_NULL_RANK || done.source >= std::int64_t{header.size}) {
          return false;
        }
      }
      completions.push_back(done);
    }
    event.completions = {0, static_cast<std::uint32_t>(completions.size())};
  }
  if (has(TARE_MPI_LIST)) {
    if (!ReadList()) return false;
    event.list = {0, static_cast<std::uint32_t>(list.size())};
  }
  event.any_source = has(TARE_MPI_ANY_SOURCE);
  event.any_tag = has(TARE_MPI_ANY_TAG);
  if (has(TARE_MPI_ERROR)) event.error = numbers.Unsigned32();
  if (has(TARE_MPI_COUNT)) event.count = numbers.Unsigned();
  if (has(TARE_MPI_NEW_COMM)) event.new_communicator = numbers.Unsigned32();
  if (has(TARE_MPI_COUNTERS)) {
    const std::uint64_t count = numbers.Unsigned();
    if (count > numbers.Remaining()) return false;
    std::uint64_t slot = 0;
    for (std::uint64_t i = 0; i < count && !numbers.IsDamaged(); ++i) {
      slot += numbers.Unsigned32();
      if (slot > std::numeric_limits<std::uint32_t>::max()) return false;
      counters.push_back({static_cast<std::uint32_t>(slot), numbers.Unsigned()});
    }
    event.counters = {0, static_cast<std::uint32_t>(counters.size())};
  }
  const auto is_rank = [this](std::int32_t rank) {
    return rank >= TARE_MPI_NULL_RANK && rank < std::int64_t{header.size};
  };
  if (numbers.IsDamaged() || event.communicator >= communicators.size() ||
      event.new_communicator >= std::max<std::size_t>(communicators.size(), 1) ||
      !is_rank(event.peer) || !is_rank(event.source) || !is_rank(event.root)) {
    // The event of MPI_Init comes after the definitions of the predefined communicators.
    return false;
  }
  previous_end_ns = event.end_ns;
  return true;
}

// Reads up to the next event. Returns false at the end.
bool MpiRankReader::State::NextRecord() {
  while (true) {
    while (numbers.AtEnd()) {
      if (!NextChunk()) return false;
    }
    const std::uint8_t code = numbers.Byte();
    bool is_sound = true;
    if (code == TARE_MPI_DEFINE_COMM) {
      is_sound = ReadCommunicator();
    } else if (code == TARE_MPI_THREAD) {
      const std::uint64_t number = numbers.Unsigned();
      is_sound = !numbers.IsDamaged() && number <= std::numeric_limits<std::uint16_t>::max();
      thread = static_cast<std::uint16_t>(number);
    } else if (code == TARE_MPI_CORE) {
      const std::uint64_t number = numbers.Unsigned();
      is_sound = !numbers.IsDamaged() && number < kMaxCores;
      core = static_cast<std::int32_t>(number);
    } else if (code == TARE_MPI_MODULE) {
      is_sound = ReadModule();
    } else if (code == TARE_MPI_OPENMP_BLOCK) {
      is_sound = ReadOpenMpBlock(numbers, openmp);
    } else if (code == TARE_MPI_OPENMP_PLACE) {
      is_sound = ReadOpenMpPlace(numbers, openmp);
    } else if (code < TARE_MPI_FUNCTION_COUNT) {
      if (ReadEvent(code)) {
        ++events;
        return true;
      }
      is_sound = false;
    } else {
      is_sound = false;
    }
    if (!is_sound) {
      Finish(fmt::format("a record after event {} is damaged", events));
      return false;
    }
  }
}

MpiRankReader::MpiRankReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
MpiRankReader::MpiRankReader(MpiRankReader&&) noexcept = default;
MpiRankReader& MpiRankReader::operator=(MpiRankReader&&) noexcept = default;
MpiRankReader::~MpiRankReader() = default;

Result<MpiRankReader> MpiRankReader::From(std::span<const std::byte> bytes,
                                          const std::string& name) {
  auto state = std::make_unique<State>();
  state->name = name;
  state->bytes = bytes;
  TRY_VOID(state->ReadHeader());
  return MpiRankReader(std::move(state));
}

Result<MpiRankReader> MpiRankReader::Open(const std::filesystem::path& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (file.Number() < 0 || fstat(file.Number(), &status) != 0) {
    return std::unexpected(SystemError("open", path, errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{}: not an MPI trace: not a regular file", Printable(path.string())));
  }
  auto state = std::make_unique<State>();
  state->name = path.string();
  state->mapped_bytes = static_cast<std::size_t>(status.st_size);
  if (state->mapped_bytes > 0) {
    // A private mapping of a file that a process may still write: numbers are checked as they are
    // read.
    void* mapping = mmap(nullptr, state->mapped_bytes, PROT_READ, MAP_PRIVATE, file.Number(), 0);
    if (mapping == MAP_FAILED) return std::unexpected(SystemError("read", path, errno));
    state->mapping = mapping;
    state->bytes = {static_cast<const std::byte*>(mapping), state->mapped_bytes};
  }
  TRY_VOID(state->ReadHeader());
  return MpiRankReader(std::move(state));
}

const MpiRankHeader& MpiRankReader::Header() const { return state_->header; }
const std::vector<MpiCommunicator>& MpiRankReader::Communicators() const {
  return state_->communicators;
}
const std::vector<MpiCounterModule>& MpiRankReader::Modules() const { return state_->modules; }
const OpenMpTrace& MpiRankReader::OpenMp() const { return state_->openmp; }
const MpiEvent* MpiRankReader::Next() { return state_->NextRecord() ? &state_->event : nullptr; }
std::span<const MpiCompletion> MpiRankReader::Completions() const { return state_->completions; }
std::span<const std::uint64_t> MpiRankReader::List() const { return state_->list; }
std::span<const MpiCounterDelta> MpiRankReader::Counters() const { return state_->counters; }
const MpiRankOutcome& MpiRankReader::Outcome() const { return state_->outcome; }

MpiRank ReadMpiRank(MpiRankReader reader) {
  MpiRank rank;
  rank.header = reader.Header();
  while (const MpiEvent* event = reader.Next()) {
    MpiEvent copy = *event;
    copy.completions.first = static_cast<std::uint32_t>(rank.completions.size());
    copy.list.first = static_cast<std::uint32_t>(rank.lists.size());
    copy.counters.first = static_cast<std::uint32_t>(rank.counters.size());
    const auto append = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    append(rank.completions, reader.Completions());
    append(rank.lists, reader.List());
    append(rank.counters, reader.Counters());
    rank.events.push_back(copy);
  }
  rank.communicators = reader.Communicators();
  rank.modules = reader.Modules();
  rank.openmp = reader.OpenMp();
  rank.outcome = reader.Outcome();
  return rank;
}

Result<MpiRank> ReadMpiRank(const std::filesystem::path& path) {
  TRY(MpiRankReader reader, MpiRankReader::Open(path));
  return ReadMpiRank(std::move(reader));
}

}  // namespace tare::format
