// replay_steps.h: what a rank does next: messages, steps of collectives, waits; and deadlocks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "predict/replay/replay_core.h"

namespace tare::replay {

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::StartSend(std::uint32_t id, Actor& actor, std::int32_t to,
                                                   std::uint64_t bytes, std::uint32_t context,
                                                   std::int32_t tag, bool synchronous, bool own) {
  const bool within = IsWithin(actor.rank, to);
  Spend(actor, (within ? within_ : between_).overhead);
  const std::uint64_t number = NewRequest(actor, own);
  const bool eager = bytes <= network_->eager_limit && !synchronous;
  const MessageKey key{actor.rank, to, context, tag};
  std::uint32_t index = table_.First(key);
  const bool posted = index != kNoIndex && messages_[index].receive_ready != kUnknownTime;
  if (posted) {
    table_.RemoveFirst(index);
  } else {
    index = NewMessage();
  }
  Message& message = messages_[index];
  message.key = key;
  message.bytes = bytes;
  message.eager = eager;
  message.send_ready = actor.clock;
  if constexpr (Path::kTracks) message.path = actor.path;
  if (eager) {
    RequestAt(actor, number).done = actor.clock;
    RequestAt(actor, number).partner = actor.clock;
    if (!posted) table_.Append(index);
    StartTransfer(index, actor.clock, OrderOfSend(message, id, number));
    return;
  }
  message.sender = id;
  message.sender_request = number;
  if (posted) {
    StartRendezvous(index);
  } else {
    table_.Append(index);
  }
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::StartReceive(std::uint32_t id, Actor& actor,
                                                      std::int32_t from, std::uint32_t context,
                                                      std::int32_t tag, bool own) {
  const std::uint64_t number = NewRequest(actor, own);
  Request& request = RequestAt(actor, number);
  request.receives = true;
  request.within = IsWithin(actor.rank, from);
  const MessageKey key{from, actor.rank, context, tag};
  std::uint32_t index = table_.First(key);
  if (index == kNoIndex || messages_[index].send_ready == kUnknownTime) {
    index = NewMessage();
    Message& posted = messages_[index];
    posted.key = key;
    posted.receive_ready = actor.clock;
    posted.receiver = id;
    posted.receiver_request = number;
    if constexpr (Path::kTracks) posted.receive_path = actor.path;
    table_.Append(index);
    return;
  }
  table_.RemoveFirst(index);
  Message& message = messages_[index];
  message.receive_ready = actor.clock;
  message.receiver = id;
  message.receiver_request = number;
  if (!message.eager) {
    if constexpr (Path::kTracks) message.receive_path = actor.path;
    StartRendezvous(index);
    if (SharesCore(id)) CopyMessages(id);
  } else if (message.arrival != kUnknownTime) {
    Complete(id, number, message.arrival, message.send_ready, message);
    Free(index);
  }
}

template <typename Path, typename Transport, typename Queue>
bool ReplayCore<Path, Transport, Queue>::FinishWaits(std::uint32_t id, Actor& actor) {
  const bool shares = SharesCore(id);
  actor.blocked = false;
  while (actor.wait_from < actor.wait_to) {
    if (shares) CopyMessages(id);
    Request& request = RequestAt(actor, actor.wait_from);
    if (request.done == kUnknownTime || (shares && request.done > actor.clock)) {
      actor.blocked = true;
      return false;
    }
    const Picoseconds blocked = request.done - actor.clock;
    if (blocked > 0) {
      const Picoseconds wait = std::clamp<Picoseconds>(request.partner - actor.clock, 0, blocked);
      actor.wait += wait;
      actor.transfer += blocked - wait;
      actor.clock = request.done;
      if constexpr (Path::kTracks) TakePath(actor, request.path);
    }
    if (request.receives) Spend(actor, (request.within ? within_ : between_).overhead);
    request.waited = true;
    ++actor.wait_from;
  }
  if (actor.wait_to > 0) {
    Forget(actor);
    actor.wait_from = 0;
    actor.wait_to = 0;
  }
  if (actor.reduced > 0) {
    if (network_->reduction > 0) {
      const Picoseconds time =
          FromSeconds(static_cast<double>(actor.reduced) / network_->reduction);
      Spend(actor, time);
    }
    actor.reduced = 0;
  }
  return true;
}

template <typename Path, typename Transport, typename Queue>
bool ReplayCore<Path, Transport, Queue>::NextStep(std::uint32_t id, Actor& actor) {
  const Action& action = actor.collective;
  CollectiveCall call;
  call.collective = action.collective;
  call.size = program_->SizeOf(action.communicator);
  call.place = program_->PlaceOf(action.communicator, actor.rank);
  call.root = action.peer;
  call.bytes = action.amount;
  if (action.has_list) {
    call.list = program_->lists.data() + action.amount;
    call.bytes = 0;
  }
  call.algorithm = action.synchronous
                       ? Algorithm::kLinear
                       : AlgorithmFor(*network_, call.collective, call.size, call.bytes);
  CollectiveStep step;
  if (!StepOf(call, actor.step, step)) return false;
  ++actor.step;
  ++events_;
  const std::uint32_t context = action.communicator | 0x80000000U;
  if (step.receive_from >= 0) {
    StartReceive(id, actor, program_->RankAt(action.communicator, step.receive_from), context,
                 action.tag, true);
  }
  if (step.send_to >= 0) {
    StartSend(id, actor, program_->RankAt(action.communicator, step.send_to), step.bytes, context,
              action.tag, false, true);
  }
  actor.reduced += step.reduced;
  if (step.waits) {
    actor.wait_from = kOwn;
    actor.wait_to = kOwn + actor.own.size();
  }
  return true;
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::BeginCollective(Actor& actor, const Action& action) {
  actor.collective = action;
  actor.step = 0;
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::EndCollective(Actor& actor) {
  actor.step = -1;
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::BeginNonblocking(std::uint32_t id, Actor& actor,
                                                          const Action& action) {
  const std::uint64_t number = NewRequest(actor, false);
  std::uint32_t child = 0;
  if (free_collectives_.empty()) {
    collectives_.emplace_back();
    child = static_cast<std::uint32_t>(ranks_.size() + collectives_.size() - 1);
  } else {
    child = free_collectives_.back();
    free_collectives_.pop_back();
    At(child) = Actor{};
  }
  Actor& started = At(child);
  started.rank = actor.rank;
  started.clock = actor.clock;
  started.owner = id;
  started.owner_request = number;
  started.path = actor.path;
  BeginCollective(started, action);
  queue_.Push(started.clock, child);
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::EndNonblocking(std::uint32_t id, Actor& actor) {
  actor.done = true;
  Message message;
  message.path = actor.path;
  Complete(actor.owner, actor.owner_request, actor.clock, actor.clock - actor.transfer, message);
  free_collectives_.push_back(id);
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::Act(std::uint32_t id, Actor& actor, const Action& action) {
  const bool blocks = action.kind == ActionKind::kSend || action.kind == ActionKind::kReceive;
  switch (action.kind) {
    case ActionKind::kCompute:
      Compute(actor, action.amount);
      return;
    case ActionKind::kSend:
    case ActionKind::kStartSend:
      StartSend(id, actor, action.peer, action.amount, action.communicator, action.tag,
                action.synchronous, blocks);
      break;
    case ActionKind::kReceive:
    case ActionKind::kStartReceive:
      StartReceive(id, actor, action.peer, action.communicator, action.tag, blocks);
      break;
    case ActionKind::kPut:
    case ActionKind::kGet:
      StartOneSided(id, actor, action);
      return;
    case ActionKind::kWait:
      actor.wait_from = action.amount;
      actor.wait_to = action.amount + 1;
      return;
    case ActionKind::kCollective:
      BeginCollective(actor, action);
      return;
    case ActionKind::kStartCollective:
      BeginNonblocking(id, actor, action);
      return;
  }
  if (blocks) {
    actor.wait_from = kOwn;
    actor.wait_to = kOwn + 1;
  }
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::Run(std::uint32_t id, Picoseconds limit) {
  Actor& actor = At(id);
  while (true) {
    if (!FinishWaits(id, actor)) return;
    if (actor.clock > kMaxTime) {
      failed_ = true;
      return;
    }
    if (MustYield(id, actor.clock, limit)) {
      if (SharesCore(id)) {
        Schedule(seats_[id].core, actor.clock);
      } else {
        queue_.Push(actor.clock, id);
      }
      return;
    }
    if (actor.to_compute > 0) {
      if (!ComputeTurn(id)) return;
      continue;
    }
    if (actor.step >= 0) {
      if (NextStep(id, actor)) continue;
      EndCollective(actor);
      if (actor.owner != kNoIndex) {
        EndNonblocking(id, actor);
        return;
      }
      continue;
    }
    const auto& actions = program_->ranks[static_cast<std::size_t>(actor.rank)];
    if (actor.next == actions.size()) {
      actor.done = true;
      return;
    }
    ++events_;
    Act(id, actor, actions[actor.next++]);
  }
}

template <typename Path, typename Transport, typename Queue>
std::string ReplayCore<Path, Transport, Queue>::WaitText(std::uint32_t id) {
  const Actor& actor = At(id);
  std::string text = fmt::format("rank {}", actor.rank);
  if (!actor.blocked) return text + " cannot continue";
  std::string what = " waits for a request";
  table_.ForEach([&](std::uint32_t index) {
    const Message& message = messages_[index];
    const std::string tag =
        (message.key.context & 0x80000000U) != 0 ? "" : fmt::format(", tag {}", message.key.tag);
    if (message.receiver == id && message.receiver_request == actor.wait_from) {
      what = fmt::format(" waits for a message from rank {}{}", message.key.from, tag);
    } else if (message.sender == id && message.sender_request == actor.wait_from) {
      what = fmt::format(" waits until rank {} receives {} bytes{}", message.key.to, message.bytes,
                         tag);
    }
  });
  if (actor.step >= 0) what += fmt::format(" in {}", Name(actor.collective.collective));
  return text + what;
}

template <typename Path, typename Transport, typename Queue>
std::unexpected<Error> ReplayCore<Path, Transport, Queue>::Deadlock() {
  constexpr std::size_t kShown = 4;
  std::size_t stuck = 0;
  std::string text;
  for (std::uint32_t id = 0; id < ranks_.size(); ++id) {
    if (ranks_[id].done) continue;
    if (++stuck <= kShown) text += fmt::format("{}{}", text.empty() ? "" : "; ", WaitText(id));
  }
  if (stuck > kShown) text += fmt::format("; and {} more", stuck - kShown);
  return Fail(ErrorKind::kFormat,
              fmt::format("the replay comes to a deadlock: {} of {} ranks cannot go on: {}", stuck,
                          ranks_.size(), text));
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::StartOneSided(std::uint32_t id, Actor& actor,
                                                       const Action& action) {
  const bool gets = action.kind == ActionKind::kGet;
  const MessageCosts& costs = IsWithin(actor.rank, action.peer) ? within_ : between_;
  Spend(actor, costs.overhead);
  const std::uint32_t index = NewMessage();
  Message& message = messages_[index];
  message.key = {gets ? action.peer : actor.rank, gets ? actor.rank : action.peer, 0, 0};
  message.bytes = action.amount;
  message.one_sided = true;
  message.sender = id;
  message.sender_request = NewRequest(actor, false);
  message.send_ready = actor.clock;
  Picoseconds start = actor.clock;
  if constexpr (Path::kTracks) message.path = actor.path;
  if (gets) {  // the request travels first
    start += costs.latency;
    if constexpr (Path::kTracks) message.path.latency += costs.latency;
  }
  StartTransfer(index, start, OrderOfSend(message, id, message.sender_request));
}

template <typename Path, typename Transport, typename Queue>
CriticalPath ReplayCore<Path, Transport, Queue>::PathOf(const Actor& actor, Picoseconds end) const {
  CriticalPath path;
  path.compute = ToSeconds(actor.path.compute);
  path.overhead = ToSeconds(actor.path.overhead);
  path.latency = ToSeconds(actor.path.latency);
  path.transmission = ToSeconds(actor.path.transmission);
  path.queueing = ToSeconds(actor.path.queueing);
  path.messages = static_cast<double>(actor.path.messages);
  path.bytes = static_cast<double>(actor.path.bytes);
  if (parts_.size() >= kMaxParts) return path;
  Picoseconds to = end;
  for (std::uint32_t node = actor.path.node; node != kNoIndex; node = parts_[node].before) {
    path.parts.push_back({parts_[node].rank, ToSeconds(parts_[node].from), ToSeconds(to)});
    to = parts_[node].from;
  }
  std::ranges::reverse(path.parts);
  return path;
}

}  // namespace tare::replay
