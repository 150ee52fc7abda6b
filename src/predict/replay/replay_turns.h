// replay_turns.h: ranks of a node that has fewer cores: who has a core, and what waits for one.
#pragma once

#include <algorithm>
#include <utility>

#include "predict/replay/replay_core.h"

namespace tare::replay {

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::PrepareCores() {
  if (!kMayShare || network_->cores == 0) return;
  std::vector<std::uint32_t> ranks_of(std::size_t{*std::ranges::max_element(nodes_)} + 1);
  for (const std::uint32_t node : nodes_) ++ranks_of[node];
  const auto shares = [&](std::uint32_t node) { return ranks_of[node] > network_->cores; };
  if (std::ranges::none_of(nodes_, shares)) return;
  seats_.resize(nodes_.size());
  if (network_->shared_overhead.value > 0) {
    within_.overhead = FromSeconds(network_->shared_overhead.value);
  }
  std::vector<std::uint32_t> first_core(ranks_of.size(), kNoIndex);
  std::vector<std::uint32_t> seated(ranks_of.size());
  const SharedCore empty(FromSeconds(network_->hand_over.value), FromSeconds(network_->time_slice));
  for (std::uint32_t rank = 0; rank < nodes_.size(); ++rank) {
    const std::uint32_t node = nodes_[rank];
    if (!shares(node)) continue;
    if (first_core[node] == kNoIndex) {
      first_core[node] = static_cast<std::uint32_t>(cores_.size());
      cores_.resize(cores_.size() + network_->cores, {empty});
    }
    Seat& seat = seats_[rank];
    seat.first_core = first_core[node];
    seat.core = first_core[node] + seated[node]++ % network_->cores;
  }
  // On other nodes, the ranks of a core would not be those that were recorded.
  const auto& moves = program_->moves;
  const bool follows = program_->cores == network_->cores && program_->nodes == nodes_;
  if (!follows) next_move_ = moves.size();
  for (; next_move_ < moves.size() && moves[next_move_].seconds <= 0; ++next_move_) {
    Seat& seat = seats_[moves[next_move_].rank];
    if (seat.core != kNoIndex) seat.core = seat.first_core + moves[next_move_].core;
  }
  for (std::uint32_t rank = 0; rank < seats_.size(); ++rank) {
    if (SharesCore(rank)) cores_[seats_[rank].core].turns.Add(rank, 0);
  }
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::RunCore(std::uint32_t index, Picoseconds now,
                                                 Picoseconds limit) {
  CoreInTurns& core = cores_[index];
  if (core.event != now) return;  // it continued before
  MoveRanks(now);
  core.event = kMaxTime;
  SharedCore& turns = core.turns;
  while (turns.Size() > 0) {
    if (!turns.IsBusy()) {
      const SharedCore::Turn turn = turns.NextTurn();
      if (turn.time == kMaxTime) return;
      if (MustYield(kFirstCore + index, turn.time, limit)) return Schedule(index, turn.time);
      if (MoveRanks(turn.time)) {
        core.event = kMaxTime;
        continue;
      }
      turns.Take(turn);
      Resume(turns.Current(), turn.time);
    }
    const std::uint32_t id = turns.Current();
    Run(id, limit);
    const Actor& actor = ranks_[id];
    if (failed_ || core.event != kMaxTime) return;
    if (actor.done) {
      Leave(id);
      turns.Remove(actor.clock);
    } else if (seats_[id].next_core != kNoIndex) {
      turns.Remove(actor.clock);
      Seize(id, std::exchange(seats_[id].next_core, kNoIndex), ReadyTime(id), actor.clock);
    } else {
      turns.HandOver(actor.clock, ReadyTime(id));
    }
  }
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::Schedule(std::uint32_t core, Picoseconds time) {
  if (time >= cores_[core].event) return;
  cores_[core].event = time;
  queue_.Push(time, kFirstCore + core);
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::MakeReady(std::uint32_t id, Picoseconds time) {
  CoreInTurns& core = cores_[seats_[id].core];
  core.turns.MakeReady(id, time);
  if (!core.turns.IsBusy()) Schedule(seats_[id].core, std::max(time, core.turns.Clock()));
}

template <typename Path, typename Transport, typename Queue>
Picoseconds ReplayCore<Path, Transport, Queue>::ReadyTime(std::uint32_t id) {
  Actor& actor = ranks_[id];
  if (!actor.blocked) return actor.clock;
  const Request& request = RequestAt(actor, actor.wait_from);
  Picoseconds ready = request.done == kUnknownTime ? kMaxTime : request.done;
  for (const PendingCopy& copy : seats_[id].copies) ready = std::min(ready, copy.ready);
  return ready;
}

template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::Resume(std::uint32_t id, Picoseconds time) {
  Actor& actor = ranks_[id];
  if (actor.blocked) {
    const Picoseconds ready = ReadyTime(id);
    actor.blocked = false;
    const Request& request = RequestAt(actor, actor.wait_from);
    if (ready > actor.clock) {
      Picoseconds partner = request.partner;
      const Path* path = &request.path;
      if (request.done != ready) {
        const auto copy = std::ranges::find(seats_[id].copies, ready, &PendingCopy::ready);
        partner = messages_[copy->message].send_ready;
        path = &messages_[copy->message].path;
      }
      const Picoseconds blocked = ready - actor.clock;
      const Picoseconds wait = std::clamp<Picoseconds>(partner - actor.clock, 0, blocked);
      actor.wait += wait;
      actor.transfer += blocked - wait;
      actor.clock = ready;
      if constexpr (Path::kTracks) TakePath(actor, *path);
    }
  }
  const Picoseconds queued = std::max<Picoseconds>(time - actor.clock, 0);
  actor.wait += queued;
  actor.clock += queued;
  if constexpr (Path::kTracks) actor.path.queueing += queued;
}

// Both ranks need the core for a large message: the sender asks, the receiver copies, and the
// sender notices at its next turn.
template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::CopyMessages(std::uint32_t id) {
  Actor& actor = ranks_[id];
  auto& copies = seats_[id].copies;
  while (!copies.empty()) {
    const auto first = std::ranges::min_element(copies, {}, &PendingCopy::ready);
    if (first->ready > actor.clock) return;
    const std::uint32_t index = first->message;
    copies.erase(first);
    Message& message = messages_[index];
    const Picoseconds start = actor.clock;
    const Picoseconds transmission = within_.Transmission(message.bytes);
    Spend(actor, within_.handshake);
    actor.clock += transmission;
    actor.transfer += transmission;
    if constexpr (Path::kTracks) {
      actor.path.transmission += transmission;
      message.path = actor.path;
    }
    ++message_count_;
    Complete(id, message.receiver_request, actor.clock, start, message);
    if constexpr (Path::kTracks) message.path.latency += within_.latency;
    Complete(message.sender, message.sender_request, actor.clock + within_.latency, start, message);
    Free(index);
  }
}

template <typename Path, typename Transport, typename Queue>
bool ReplayCore<Path, Transport, Queue>::ComputeTurn(std::uint32_t id) {
  Actor& actor = ranks_[id];
  const Picoseconds time =
      std::min(actor.to_compute, cores_[seats_[id].core].turns.TimeLeft(actor.clock));
  actor.to_compute -= time;
  actor.clock += time;
  actor.compute += time;
  if constexpr (Path::kTracks) actor.path.compute += time;
  return actor.to_compute == 0;
}

template <typename Path, typename Transport, typename Queue>
bool ReplayCore<Path, Transport, Queue>::MoveRanks(Picoseconds now) {
  const auto& moves = program_->moves;
  const std::size_t first = next_move_;
  for (; next_move_ < moves.size(); ++next_move_) {
    const CoreMove& move = moves[next_move_];
    if (FromSeconds(move.seconds) > now) break;
    if (!SharesCore(move.rank)) continue;
    Seat& seat = seats_[move.rank];
    const std::uint32_t to = seat.first_core + move.core;
    SharedCore& turns = cores_[seat.core].turns;
    if (turns.IsBusy() && turns.Current() == move.rank) {
      seat.next_core = to == seat.core ? kNoIndex : to;
    } else if (to != seat.core) {
      Seize(move.rank, to, turns.TakeOut(move.rank), now);
    }
  }
  return next_move_ > first;
}

// A rank that has no core waits for its turn on this one.
template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::Seize(std::uint32_t id, std::uint32_t core,
                                               Picoseconds ready, Picoseconds now) {
  seats_[id].core = core;
  SharedCore& turns = cores_[core].turns;
  const Picoseconds from = std::max(ready, now);
  turns.Add(id, from);
  if (from < kMaxTime && !turns.IsBusy()) Schedule(core, std::max(from, turns.Clock()));
}

// A rank that has ended no longer copies: what it still receives comes by itself.
template <typename Path, typename Transport, typename Queue>
void ReplayCore<Path, Transport, Queue>::Leave(std::uint32_t id) {
  Seat& seat = seats_[id];
  seat.core = kNoIndex;
  for (const PendingCopy& copy : seat.copies) {
    const Message& message = messages_[copy.message];
    const MessageOrder order = OrderOfSend(message, message.sender, message.sender_request);
    StartTransfer(copy.message, copy.ready, order);
  }
  seat.copies.clear();
}

}  // namespace tare::replay
