// core.cc: accesses that are not to what was used recently.
#include "cache/core.h"

#include <bit>

#include "base/check.h"
#include "cache/hierarchy.h"
#include "cache/translations.h"

namespace tare::cache {
namespace {

RecentLines RecentOf(const CacheLevel& first, std::uint64_t page_bytes) {
  return RecentLines(static_cast<unsigned>(std::countr_zero(first.line_bytes)),
                     first.bytes / first.line_bytes, page_bytes);
}

}  // namespace

struct Core::State {
  explicit State(const Processor& processor)
      : recent_code(RecentOf(processor.l1i, processor.page_bytes)),
        recent_data(RecentOf(processor.l1d, processor.page_bytes)),
        hierarchy(processor, recent_code, recent_data),
        translations(processor, recent_code, recent_data) {}

  RecentLines recent_code;
  RecentLines recent_data;
  Hierarchy hierarchy;
  Translations translations;
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
  return static_cast<unsigned>(state_->hierarchy.code().level().line_bytes());
}

std::uint64_t Core::FetchElsewhere(std::uint64_t moment, std::uint64_t address, std::uint32_t bytes,
                                   EventCounts& to) {
  CHECK(bytes > 0);
  *recent_code_->clock() = moment;
  state_->translations.Code(address, bytes, to);
  state_->hierarchy.Fetch(address, bytes, to);
  return *recent_code_->clock();
}

std::uint64_t Core::AccessElsewhere(std::uint64_t moment, std::uint64_t address,
                                    std::uint32_t bytes, bool store, std::uint64_t site,
                                    EventCounts& to) {
  CHECK(bytes > 0);
  *recent_data_->clock() = moment;
  state_->translations.Data(address, bytes, store, to);
  state_->hierarchy.Access(address, bytes, store, site, to);
  return *recent_data_->clock();
}

}  // namespace tare::cache
