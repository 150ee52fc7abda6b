// core.cc: handles the accesses that RecentLines does not.
#include "model/core/core.h"

#include <bit>

#include "base/check.h"
#include "model/core/hierarchy_moves.h"
#include "model/core/tlbs.h"

// Inlines the whole of an access, which makes it faster. With sanitizers gcc 12 would compile this
// file for 10 minutes.
#ifdef TARE_SANITIZED
#define TARE_FLATTEN
#else
#define TARE_FLATTEN [[gnu::flatten]]
#endif

namespace tare::model {
namespace {

RecentLines RecentOf(const CacheLevel& first, std::uint64_t page_bytes) {
  return RecentLines(static_cast<unsigned>(std::countr_zero(first.line_bytes)), page_bytes);
}

// Caches and TLBs together. Times of use are those of Core.
template <bool kPlain>
class Memory {
 public:
  Memory(const Processor& processor, RecentLines& code, RecentLines& data)
      : code_(code), data_(data), hierarchy_(processor, code, data), tlbs_(processor, code, data) {}

  unsigned code_line_bytes() const { return hierarchy_.code_line_bytes(); }
  unsigned data_line_bytes() const { return hierarchy_.data_line_bytes(); }

  std::uint64_t Fetch(std::uint64_t time, std::uint64_t address, std::uint32_t bytes,
                      EventCounts& to) {
    *code_.clock() = time;
    tlbs_.Code(address, bytes, to);
    hierarchy_.Fetch(address, bytes, to);
    return *code_.clock();
  }

  TARE_FLATTEN std::uint64_t Access(std::uint64_t time, const DataAccess& access, EventCounts& to) {
    if (access.store && hierarchy_.StoreToRecent(access.address, access.bytes - 1, time)) {
      return time;
    }
    *data_.clock() = time;
    tlbs_.Data(access.address, access.bytes, access.store, to);
    hierarchy_.Access(access.address, access.bytes, access.store, access.site, to);
    return *data_.clock();
  }

 private:
  RecentLines& code_;
  RecentLines& data_;
  Hierarchy<kPlain> hierarchy_;
  Tlbs<kPlain> tlbs_;
};

}  // namespace

struct Core::State {
  explicit State(const Processor& processor)
      : recent_code(RecentOf(processor.l1i, processor.page_bytes)),
        recent_data(RecentOf(processor.l1d, processor.page_bytes)) {
    // With Split::kOnce an access longer than the shortest line is shortened.
    if (processor.split == Split::kOnce && processor.l1i.line_bytes != processor.l1d.line_bytes) {
      recent_code.DisableTwo();
      recent_data.DisableTwo();
    }
    if (IsPlain(processor) && HasPlainTlbs(processor)) {
      plain.emplace(processor, recent_code, recent_data);
    } else {
      other.emplace(processor, recent_code, recent_data);
    }
  }

  RecentLines recent_code;
  RecentLines recent_data;
  std::optional<Memory<true>> plain;  // exactly one of the two is set
  std::optional<Memory<false>> other;
};

Result<Core> Core::Make(const Processor& processor) {
  TRY_VOID(Validate(processor));
  return Core(processor);
}

Core::Core(const Processor& processor)
    : branches_(processor.branching), state_(std::make_unique<State>(processor)) {
  recent_code_ = &state_->recent_code;
  recent_data_ = &state_->recent_data;
}

Core::Core(Core&&) noexcept = default;
Core& Core::operator=(Core&&) noexcept = default;
Core::~Core() = default;

unsigned Core::code_line_bytes() const {
  return state_->plain ? state_->plain->code_line_bytes() : state_->other->code_line_bytes();
}

unsigned Core::data_line_bytes() const {
  return state_->plain ? state_->plain->data_line_bytes() : state_->other->data_line_bytes();
}

std::uint64_t Core::FetchSlow(std::uint64_t time, std::uint64_t address, std::uint32_t bytes,
                              EventCounts& to) {
  CHECK(bytes > 0);
  if (state_->plain) return state_->plain->Fetch(time, address, bytes, to);
  return state_->other->Fetch(time, address, bytes, to);
}

std::uint64_t Core::AccessSlow(std::uint64_t time, const DataAccess& access, EventCounts& to) {
  CHECK(access.bytes > 0);
  if (state_->plain) return state_->plain->Access(time, access, to);
  return state_->other->Access(time, access, to);
}

}  // namespace tare::model
