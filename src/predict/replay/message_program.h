// message_program.h: what each rank of a message-passing program does: the input of a replay.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/replay/collective.h"

namespace tare::replay {

enum class ActionKind : std::uint8_t {
  kCompute,          // amount: picoseconds
  kSend,             // amount: bytes; blocking
  kReceive,          // blocking; the message brings its size
  kStartSend,        // creates the rank's next request
  kStartReceive,     // likewise
  kWait,             // amount: the request
  kCollective,       // all members of the communicator
  kStartCollective,  // creates the rank's next request
  kPut,              // one-sided, to `peer`; creates the rank's next request
  kGet,              // one-sided, from `peer`; likewise
};

// One step of a rank. A million ranks with a hundred actions fit into 2.4 GB.
struct Action {
  ActionKind kind = ActionKind::kCompute;
  Collective collective = Collective::kBarrier;
  // The send completes only when the receive was posted. Of a collective: parts differ between
  // members, so the algorithm must not depend on their sizes.
  bool synchronous = false;
  bool has_list = false;  // amount is a position in MessageProgram::lists
  std::uint32_t communicator = 0;
  std::int32_t peer = 0;     // a world rank; of a collective, the root's index in the communicator
  std::int32_t tag = 0;      // of a collective, its number in the communicator
  std::uint64_t amount = 0;  // bytes, picoseconds or a request
};
static_assert(sizeof(Action) == 24);

// The members of a communicator in their order. Empty: all ranks.
struct Communicator {
  std::vector<std::int32_t> members;
  std::vector<std::pair<std::int32_t, std::int32_t>> index;  // rank, place; by rank
};
Communicator CommunicatorOf(std::vector<std::int32_t> members);

// A rank goes to another core of its node.
struct CoreMove {
  double seconds = 0;  // since the start; not above 0: it begins there
  std::uint32_t rank = 0;
  std::uint32_t core = 0;

  friend bool operator==(const CoreMove&, const CoreMove&) = default;
};

struct MessageProgram {
  std::vector<std::vector<Action>> ranks;
  std::vector<Communicator> communicators = {{}};  // 0: all ranks
  std::vector<std::uint64_t> lists;                // bytes to each member, of vector collectives
  std::vector<std::uint32_t> nodes;                // by rank, as recorded; empty: unknown
  // Of nodes that had more ranks than cores: where their ranks were, in order of time.
  std::uint32_t cores = 0;  // of each node; 0: unknown
  std::vector<CoreMove> moves;
  double recorded = 0;                   // seconds that the recorded run took; 0: unknown
  std::vector<double> recorded_compute;  // seconds by rank; empty: unknown

  std::int32_t Size() const { return static_cast<std::int32_t>(ranks.size()); }
  std::uint64_t Actions() const;
  std::int32_t SizeOf(std::uint32_t communicator) const;
  std::int32_t RankAt(std::uint32_t communicator, std::int32_t place) const;
  // -1 if the rank is not a member.
  std::int32_t PlaceOf(std::uint32_t communicator, std::int32_t rank) const;
};

// Adds actions to one rank.
class RankBuilder {
 public:
  RankBuilder(MessageProgram& program, std::int32_t rank) : program_(&program), rank_(rank) {}

  void Compute(double seconds);
  void Send(std::int32_t to, std::uint64_t bytes, std::int32_t tag = 0,
            std::uint32_t communicator = 0);
  void Receive(std::int32_t from, std::int32_t tag = 0, std::uint32_t communicator = 0);
  // Return the request.
  std::uint64_t StartSend(std::int32_t to, std::uint64_t bytes, std::int32_t tag = 0,
                          std::uint32_t communicator = 0, bool synchronous = false);
  std::uint64_t StartReceive(std::int32_t from, std::int32_t tag = 0,
                             std::uint32_t communicator = 0);
  std::uint64_t Put(std::int32_t to, std::uint64_t bytes);
  std::uint64_t Get(std::int32_t from, std::uint64_t bytes);
  void Wait(std::uint64_t request);
  // `number` counts the collectives of the communicator.
  void AddCollective(Collective collective, std::uint64_t bytes, std::int32_t root = 0,
                     std::uint32_t communicator = 0, std::int32_t number = 0);
  std::uint64_t StartCollective(Collective collective, std::uint64_t bytes, std::int32_t root,
                                std::uint32_t communicator, std::int32_t number);
  void Add(const Action& action);
  std::uint64_t Requests() const { return requests_; }

 private:
  MessageProgram* program_;
  std::int32_t rank_;
  std::uint64_t requests_ = 0;
};

// kFormat, with the rank and the action, for peers, communicators, roots and requests that do not
// exist.
Result<void> CheckProgram(const MessageProgram& program);

}  // namespace tare::replay
