// variants.cc: links in other orders and finds the region in each file.
#include "analysis/why/variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/printable.h"
#include "machine/host/installed_program.h"
#include "stats/random.h"

namespace tare::why {
namespace {

constexpr std::size_t kMaxOrders = 8;
constexpr std::uint64_t kSeed = 1;

Result<Variant> Make(run::ResolvedProgram program, const std::string& region) {
  Variant variant;
  if (!region.empty()) {
    TRY(variant.region, engine::FindRegion(program, region));
  }
  variant.program = std::move(program);
  return variant;
}

// The same arguments with another file.
Result<run::ResolvedProgram> WithFile(const run::ResolvedProgram& program,
                                      const std::filesystem::path& file) {
  run::Program named{program.arguments};
  named.arguments[0] = std::filesystem::absolute(file).string();
  TRY(auto resolved, run::Resolve(named));
  if (resolved.form != run::ResolvedProgram::Form::kElf || resolved.foreign) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{} is not a program for this machine", Printable(file.string())));
  }
  return resolved;
}

// Distinct orders other than the given one.
std::vector<std::vector<std::string>> OtherOrders(const std::vector<std::string>& objects) {
  std::set<std::vector<std::string>> seen = {objects};
  std::vector<std::vector<std::string>> orders;
  stats::Generator generator(kSeed);
  // Limits the draws, because two objects have only one other order.
  for (int draw = 0; draw < 64 && orders.size() < kMaxOrders; ++draw) {
    std::vector<std::string> order = objects;
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(generator.Below(i))]);
    }
    if (seen.insert(order).second) orders.push_back(std::move(order));
  }
  return orders;
}

Result<void> Link(const std::vector<std::string>& linker, const std::vector<std::string>& objects,
                  const std::filesystem::path& file) {
  const auto program = linker[0].contains('/') ? std::optional(std::filesystem::path(linker[0]))
                                               : host::FindProgram(linker[0], host::SearchPath());
  if (!program) {
    return Fail(ErrorKind::kNotFound, fmt::format("linker not found: {}", Printable(linker[0])));
  }
  std::vector<std::string> words;
  for (const std::string& object : objects) {
    words.push_back(std::filesystem::absolute(object).string());
  }
  words.insert(words.end(), linker.begin() + 1, linker.end());
  words.insert(words.end(), {"-o", file.string()});
  host::ProgramLimits limits;
  limits.time = std::chrono::minutes(5);
  TRY(const auto linked, host::RunBriefly(*program, words, limits));
  if (linked.exit_status == 0) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("{} cannot link the objects: {}", linker[0],
                          Printable(linked.text.substr(0, linked.text.find('\n')))));
}

}  // namespace

Result<Variants> Variants::Make(const VariantRequest& request) {
  Variants variants;
  if (request.objects.empty()) {
    TRY(variants.fixed_, why::Make(request.program, request.region));
  } else {
    TRY_VOID(variants.AddLinks(request));
  }
  if (request.other_linking) {
    TRY(auto program, WithFile(request.program, *request.other_linking));
    TRY(variants.other_linking_, why::Make(std::move(program), request.region));
    variants.factors_.push_back({Factor::kStatic, 1});
  }
  return variants;
}

Result<void> Variants::AddLinks(const VariantRequest& request) {
  if (request.objects.size() < 2) {
    return Fail(ErrorKind::kUsage, "changing the link order needs at least two objects");
  }
  TRY(auto directory, PrivateDirectory::Make());
  directory_.emplace(std::move(directory));
  auto orders = OtherOrders(request.objects);
  orders.insert(orders.begin(), request.objects);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const auto file = directory_->path() / fmt::format("order{}", i);
    TRY_VOID(Link(request.linker, orders[i], file));
    TRY(auto program, WithFile(request.program, file));
    TRY(auto variant, why::Make(std::move(program), request.region));
    if (i == 0) {
      fixed_ = std::move(variant);
    } else {
      orders_.push_back(std::move(variant));
    }
  }
  factors_.push_back({Factor::kLinkOrder, static_cast<unsigned>(orders_.size())});
  return {};
}

const Variant& Variants::At(const Levels& levels) const {
  if (const auto found = levels.find(Factor::kStatic); found != levels.end()) {
    return *other_linking_;
  }
  if (const auto found = levels.find(Factor::kLinkOrder); found != levels.end()) {
    return orders_[(found->second - 1) % orders_.size()];
  }
  return fixed_;
}

std::size_t Variants::Argv0Length() const {
  std::size_t bytes = fixed_.program.path.string().size();
  if (other_linking_) bytes = std::max(bytes, other_linking_->program.path.string().size());
  for (const Variant& order : orders_) bytes = std::max(bytes, order.program.path.string().size());
  return bytes;
}

}  // namespace tare::why
