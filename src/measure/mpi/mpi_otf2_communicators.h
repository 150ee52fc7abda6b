// mpi_otf2_communicators.h: communicators of an OTF2 archive.
#pragma once

#include "measure/mpi/mpi_otf2_definitions.h"

#ifdef TARE_HAVE_OTF2

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "measure/mpi/mpi_otf2_fields.h"

namespace tare::mpi {

// Communicators by their numbers in the archive.
class Otf2Communicators {
 public:
  Otf2Communicators(const Otf2Definitions& definitions, std::size_t ranks, format::MpiTrace& trace)
      : definitions_(definitions), trace_(trace) {
    format::MpiCommunicator& world = trace.communicators.emplace_back();
    for (std::size_t r = 0; r < ranks; ++r) world.members.push_back(static_cast<std::int32_t>(r));
    const std::vector<std::int32_t> everybody = world.members;
    bool has_world = false;
    for (const auto& [reference, communicator] : definitions.communicators) {
      if (IsSelf(communicator.group)) continue;
      std::vector<std::int32_t> members = MembersOf(communicator.group, ranks);
      if (!has_world && members == everybody) {
        has_world = true;
        indices_[reference] = TARE_MPI_WORLD;
        continue;
      }
      indices_[reference] = static_cast<std::uint32_t>(trace.communicators.size());
      format::MpiCommunicator& added = trace.communicators.emplace_back();
      added.members = std::move(members);
      added.kind = KindOf(definitions.Text(communicator.name));
      if (communicator.remote != OTF2_UNDEFINED_GROUP) {
        added.kind = TARE_MPI_COMM_INTER;
        added.remote_members = MembersOf(communicator.remote, ranks);
      }
    }
    for (const auto& [reference, index] : indices_) {
      const auto parent = indices_.find(definitions.communicators.at(reference).parent);
      if (parent != indices_.end()) trace.communicators[index].parent = parent->second;
    }
  }

  // Of this rank: each has a communicator of its own where the archive has one for all of them.
  std::uint32_t IndexOf(OTF2_CommRef reference, std::uint32_t rank) {
    if (const auto found = indices_.find(reference); found != indices_.end()) return found->second;
    const auto known = definitions_.communicators.find(reference);
    if (known == definitions_.communicators.end()) return TARE_MPI_WORLD;
    const auto [own, is_new] = self_.try_emplace(
        {reference, rank}, static_cast<std::uint32_t>(trace_.communicators.size()));
    if (is_new) {
      trace_.communicators.emplace_back().members = {static_cast<std::int32_t>(rank)};
    }
    return own->second;
  }

  bool Exists(std::uint32_t index) const { return index < trace_.communicators.size(); }

  // The rank in MPI_COMM_WORLD of a rank of the communicator, as `own` sees it.
  std::int32_t RankAt(OTF2_CommRef reference, std::uint32_t own, std::uint32_t place) {
    const auto known = definitions_.communicators.find(reference);
    if (known != definitions_.communicators.end()) {
      const auto group = definitions_.groups.find(known->second.group);
      if (group != definitions_.groups.end() && group->second.global_members) {
        return place < trace_.communicators.front().members.size()
                   ? static_cast<std::int32_t>(place)
                   : TARE_MPI_NO_RANK;
      }
    }
    const format::MpiCommunicator& communicator = trace_.communicators[IndexOf(reference, own)];
    const auto* members = &communicator.members;
    if (communicator.kind == TARE_MPI_COMM_INTER &&
        std::ranges::find(*members, static_cast<std::int32_t>(own)) != members->end()) {
      members = &communicator.remote_members;
    }
    return place < members->size() ? (*members)[place] : TARE_MPI_NO_RANK;
  }

 private:
  bool IsSelf(OTF2_GroupRef group) const {
    const auto found = definitions_.groups.find(group);
    return found != definitions_.groups.end() && found->second.type == OTF2_GROUP_TYPE_COMM_SELF;
  }

  std::vector<std::int32_t> MembersOf(OTF2_GroupRef group, std::size_t ranks) const {
    std::vector<std::int32_t> members;
    const auto found = definitions_.groups.find(group);
    if (found == definitions_.groups.end()) return members;
    // The group of all locations lists locations; the others list positions in it.
    const bool is_all = found->second.type == OTF2_GROUP_TYPE_COMM_LOCATIONS;
    for (std::size_t i = 0; i < found->second.members.size(); ++i) {
      const std::uint64_t member = is_all ? i : found->second.members[i];
      members.push_back(member < ranks ? static_cast<std::int32_t>(member) : TARE_MPI_NO_RANK);
    }
    return members;
  }

  static tare_mpi_comm_kind KindOf(const std::string& name) {
    for (const Otf2CommunicatorName& row : kOtf2CommunicatorNames) {
      if (name.starts_with(fmt::format("{} ", row.name))) return row.kind;
    }
    return TARE_MPI_COMM_INTRA;
  }

  const Otf2Definitions& definitions_;
  format::MpiTrace& trace_;
  std::unordered_map<OTF2_CommRef, std::uint32_t> indices_;
  std::map<std::pair<OTF2_CommRef, std::uint32_t>, std::uint32_t> self_;
};

}  // namespace tare::mpi

#endif
