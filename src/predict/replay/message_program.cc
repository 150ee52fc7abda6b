// message_program.cc: builds and checks what ranks do.
#include "predict/replay/message_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tare::replay {
namespace {

constexpr double kPicosecondsPerSecond = 1e12;

}  // namespace

Communicator CommunicatorOf(std::vector<std::int32_t> members) {
  Communicator communicator;
  communicator.index.reserve(members.size());
  for (std::size_t place = 0; place < members.size(); ++place) {
    communicator.index.emplace_back(members[place], static_cast<std::int32_t>(place));
  }
  std::ranges::sort(communicator.index);
  communicator.members = std::move(members);
  return communicator;
}

std::uint64_t MessageProgram::Actions() const {
  std::uint64_t actions = 0;
  for (const auto& rank : ranks) actions += rank.size();
  return actions;
}

std::int32_t MessageProgram::SizeOf(std::uint32_t communicator) const {
  const auto& members = communicators[communicator].members;
  return members.empty() ? Size() : static_cast<std::int32_t>(members.size());
}

std::int32_t MessageProgram::RankAt(std::uint32_t communicator, std::int32_t place) const {
  const auto& members = communicators[communicator].members;
  return members.empty() ? place : members[static_cast<std::size_t>(place)];
}

std::int32_t MessageProgram::PlaceOf(std::uint32_t communicator, std::int32_t rank) const {
  const Communicator& found = communicators[communicator];
  if (found.members.empty()) return rank;
  const auto at =
      std::ranges::lower_bound(found.index, rank, {}, [](const auto& p) { return p.first; });
  return at != found.index.end() && at->first == rank ? at->second : -1;
}

void RankBuilder::Add(const Action& action) {
  auto& actions = program_->ranks[static_cast<std::size_t>(rank_)];
  switch (action.kind) {
    case ActionKind::kStartSend:
    case ActionKind::kStartReceive:
    case ActionKind::kStartCollective:
    case ActionKind::kPut:
    case ActionKind::kGet:
      ++requests_;
      break;
    case ActionKind::kCompute:
      if (!actions.empty() && actions.back().kind == ActionKind::kCompute) {
        actions.back().amount += action.amount;
        return;
      }
      break;
    default:
      break;
  }
  actions.push_back(action);
}

void RankBuilder::Compute(double seconds) {
  if (!(seconds > 0)) return;
  Add({.kind = ActionKind::kCompute,
       .amount = static_cast<std::uint64_t>(std::llround(seconds * kPicosecondsPerSecond))});
}

void RankBuilder::Send(std::int32_t to, std::uint64_t bytes, std::int32_t tag,
                       std::uint32_t communicator) {
  Add({.kind = ActionKind::kSend,
       .communicator = communicator,
       .peer = to,
       .tag = tag,
       .amount = bytes});
}

void RankBuilder::Receive(std::int32_t from, std::int32_t tag, std::uint32_t communicator) {
  Add({.kind = ActionKind::kReceive, .communicator = communicator, .peer = from, .tag = tag});
}

std::uint64_t RankBuilder::StartSend(std::int32_t to, std::uint64_t bytes, std::int32_t tag,
                                     std::uint32_t communicator, bool synchronous) {
  Add({.kind = ActionKind::kStartSend,
       .synchronous = synchronous,
       .communicator = communicator,
       .peer = to,
       .tag = tag,
       .amount = bytes});
  return requests_ - 1;
}

std::uint64_t RankBuilder::StartReceive(std::int32_t from, std::int32_t tag,
                                        std::uint32_t communicator) {
  Add({.kind = ActionKind::kStartReceive, .communicator = communicator, .peer = from, .tag = tag});
  return requests_ - 1;
}

std::uint64_t RankBuilder::Put(std::int32_t to, std::uint64_t bytes) {
  Add({.kind = ActionKind::kPut, .peer = to, .amount = bytes});
  return requests_ - 1;
}

std::uint64_t RankBuilder::Get(std::int32_t from, std::uint64_t bytes) {
  Add({.kind = ActionKind::kGet, .peer = from, .amount = bytes});
  return requests_ - 1;
}

void RankBuilder::Wait(std::uint64_t request) {
  Add({.kind = ActionKind::kWait, .amount = request});
}

void RankBuilder::AddCollective(Collective collective, std::uint64_t bytes, std::int32_t root,
                                std::uint32_t communicator, std::int32_t number) {
  Add({.kind = ActionKind::kCollective,
       .collective = collective,
       .communicator = communicator,
       .peer = root,
       .tag = number,
       .amount = bytes});
}

std::uint64_t RankBuilder::StartCollective(Collective collective, std::uint64_t bytes,
                                           std::int32_t root, std::uint32_t communicator,
                                           std::int32_t number) {
  Add({.kind = ActionKind::kStartCollective,
       .collective = collective,
       .communicator = communicator,
       .peer = root,
       .tag = number,
       .amount = bytes});
  return requests_ - 1;
}

Result<void> CheckProgram(const MessageProgram& program) {
  if (program.ranks.empty()) return Fail(ErrorKind::kFormat, "the trace has no ranks");
  for (std::size_t rank = 0; rank < program.ranks.size(); ++rank) {
    std::uint64_t requests = 0;
    const auto& actions = program.ranks[rank];
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const Action& action = actions[i];
      const auto fail = [&](std::string_view what) {
        return Fail(ErrorKind::kFormat, fmt::format("rank {}, action {}: {}", rank, i, what));
      };
      if (action.communicator >= program.communicators.size()) {
        return fail("the communicator does not exist");
      }
      const bool collective =
          action.kind == ActionKind::kCollective || action.kind == ActionKind::kStartCollective;
      if (collective) {
        const std::int32_t size = program.SizeOf(action.communicator);
        if (program.PlaceOf(action.communicator, static_cast<std::int32_t>(rank)) < 0) {
          return fail("the rank is not a member of the communicator");
        }
        if (action.peer < 0 || action.peer >= size) return fail("the root does not exist");
        if (action.has_list &&
            action.amount + static_cast<std::uint64_t>(size) > program.lists.size()) {
          return fail("the list of bytes is too short");
        }
      } else if (action.kind == ActionKind::kWait) {
        if (action.amount >= requests) return fail("waits for a request that was not started");
      } else if (action.kind != ActionKind::kCompute &&
                 (action.peer < 0 || action.peer >= program.Size())) {
        return fail("the peer does not exist");
      }
      switch (action.kind) {
        case ActionKind::kStartSend:
        case ActionKind::kStartReceive:
        case ActionKind::kStartCollective:
        case ActionKind::kPut:
        case ActionKind::kGet:
          ++requests;
          break;
        default:
          break;
      }
    }
  }
  return {};
}

}  // namespace tare::replay
