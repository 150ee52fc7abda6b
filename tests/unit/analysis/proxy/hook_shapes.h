// hook_shapes.h: functions of known shapes, and the cost of instrumenting one call of each.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/proxy/hook_cost.h"
#include "analysis/proxy/static_difference.h"
#include "binary/code/function_walk.h"
#include "binary/mix/file_mix.h"
#include "binary/mix/measurement_interface.h"
#include "tests/programs/build_directory.h"

namespace tare::proxy {

// Straight-line code: without conditional branches, the code shows what is executed. Bodies are
// inlined into callers without a frame, which then get one, and into callers that already have one.
inline constexpr std::string_view kShapes = R"(
#define BARE __attribute__((no_instrument_function))
struct item { int id; long size; struct item *next; double weight; };
int other(int);
void noted(void *, long);
extern int counter;

int plain_constant(void) { return 7; }
void plain_nothing(void) { ++counter; }
int plain_one(int a) { return a * 3 + 1; }
int plain_two(int a, int b) { return a * b - a; }
long plain_four(long a, long b, long c, long d) { return (a + b) * (c - d); }
int plain_get(const struct item *one) { return one->id; }
void plain_set(struct item *one, long size) { one->size = size; }
void plain_link(struct item *one, struct item *two) { one->next = two; two->id = one->id; }
double plain_weight(const struct item *one, double by) { return one->weight * by; }
double plain_mix(double a, double b, double c) { return a * b + c; }

int framed_call(int a) { return other(a + 1) + a; }
int framed_two(int a, int b) { return other(a) + other(b); }
void framed_sequence(struct item *one) { noted(one, 1); noted(one->next, 2); one->id = 3; }
int framed_three(int a, int b, int c) { return other(a) * b + other(c); }
long framed_room(long a) { volatile long room[8]; room[a & 7] = a; return room[3]; }

long framed_pressed(struct item *a, long b, long c, long d, long e) { long f = other((int)b); noted(a, c); return f * b + c * d - e; }

int tail_call(int a) { return other(a + 1); }
void tail_note(struct item *one) { noted(one, one->size); }

static inline int id_of(const struct item *one) { return one->id; }
static inline struct item *next_of(const struct item *one) { return one->next; }
static inline void resize(struct item *one, long size) { one->size = size; }
static inline int scaled(int value, int by) { return value * by + 1; }
static inline double heavier(const struct item *one, double by) { return one->weight + by; }
static inline const struct item *self(const struct item *one) { return one; }
BARE int inlined_3_bare_get(const struct item *a, const struct item *b, const struct item *c) { return id_of(a) + id_of(b) * id_of(c); }
BARE void inlined_2_bare_set(struct item *a, struct item *b) { resize(a, 4); resize(b, 5); }
BARE int inlined_3_bare_chain(const struct item *a) { return id_of(next_of(next_of(a))); }
BARE int inlined_2_bare_scale(int a, int b) { return scaled(a, b) - scaled(b, 3); }
BARE double inlined_2_bare_weight(const struct item *a, double b) { return heavier(a, b) * heavier(a->next, b); }
BARE long inlined_2_bare_pressed(struct item *a, long b, long c, long d, long e, long f, long g) {
  long h = b * c, i = d * e, j = f * g, k = b - g, l = c + f;
  resize(a, h);
  return (h ^ i) + (j | k) * l + id_of(a) * (b + h) + (c ^ i) + (d | j) + (e & k) - f * l + g;
}
BARE double inlined_2_bare_floats(struct item *a, double b, double c, double d, double e, double f) {
  double g = b * c, h = d * e;
  resize(a, 4);
  return (b + g) * (c - h) + heavier(a, d) * (e + f) + g * h + b / c + d / f;
}
BARE int inlined_4_bare_self(const struct item *a) { return id_of(self(a)) + id_of(self(a->next)); }
BARE int inlined_3_get(const struct item *a, const struct item *b, const struct item *c) { int d = other(1); return d + id_of(a) + id_of(b) * id_of(c); }
BARE void inlined_2_set(struct item *a, struct item *b) { long c = other(1); resize(a, c); resize(b, 5); noted(a, c); }
BARE int inlined_3_chain(const struct item *a) { int b = other(1); return other(id_of(next_of(next_of(a)))) + b; }
BARE int inlined_2_scale(int a, int b) { int c = other(a); return scaled(a, b) - scaled(b, c); }
BARE double inlined_2_weight(const struct item *a, double b) { double c = other(1); return heavier(a, b) * heavier(a->next, c); }
BARE long inlined_2_pressed(struct item *a, long b, long c, long d, long e, long f, long g) {
  long h = b * c, i = d * e, j = f * g, k = b - g, l = c + f;
  noted(a, g);
  resize(a, h);
  return (h ^ i) + (j | k) * l + id_of(a) * (b + h) + (c ^ i) + (d | j) + (e & k) - f * l + g;
}
BARE double inlined_2_floats(struct item *a, double b, double c, double d, double e, double f) {
  double g = b * c, h = d * e;
  noted(a, 1);
  resize(a, 4);
  return (b + g) * (c - h) + heavier(a, d) * (e + f) + g * h + b / c + d / f;
}
BARE int inlined_4_self(const struct item *a) { int b = other(1); return b + id_of(self(a)) + id_of(self(a->next)); }
)";

// Compiles the shapes and follows each function's code from its start to its return, including the
// functions of the same file that it calls.
class Shapes {
 public:
  // Returns nothing when the command fails to compile them.
  static std::optional<Shapes> Build(const std::string& command) {
    Shapes shapes;
    shapes.directory_ = std::make_unique<BuildDirectory>();
    shapes.directory_->Write("shapes.c", kShapes);
    for (const std::string kind : {"vanilla", "hooked"}) {
      const std::string flags = kind == "vanilla" ? "" : " -finstrument-functions";
      if (!shapes.directory_->Runs(command + flags +
                                   " -O2 -fPIE -fno-stack-protector -c shapes.c -o " + kind + ".o"))
        return std::nullopt;
      auto file = mix::ReadFileMix(*shapes.directory_ / (kind + ".o"), false, NoProgress);
      if (!file) return std::nullopt;
      (kind == "vanilla" ? shapes.vanilla_ : shapes.hooked_).emplace(std::move(*file));
    }
    return shapes;
  }

  decode::Architecture architecture() const { return vanilla_->image->architecture(); }

  struct Cost {
    std::string shape;
    CallKind kind = CallKind::kPlain;
    Amounts amounts;
    int calls = 1;  // number of calls that the amounts include
  };

  std::vector<Cost> Costs() const {
    std::vector<Cost> costs;
    for (const auto& function : vanilla_->image->functions()) {
      const auto kind = KindOf(function.name);
      if (!kind) continue;
      Cost cost{function.name, *kind, Follow(*hooked_, function.name), 1};
      cost.amounts -= Follow(*vanilla_, function.name);
      if (*kind == CallKind::kInlined) cost.calls = function.name[8] - '0';  // inlined_N_
      costs.push_back(cost);
    }
    return costs;
  }

 private:
  static std::optional<CallKind> KindOf(std::string_view name) {
    if (name.starts_with("plain_")) return CallKind::kPlain;
    if (name.starts_with("framed_")) return CallKind::kFramed;
    if (name.starts_with("tail_")) return CallKind::kTailCall;
    if (name.starts_with("inlined_")) return CallKind::kInlined;
    return std::nullopt;
  }

  // One call of a hook: the PLT stub and the C library's hook, which returns immediately.
  static Amounts HookRun(decode::Architecture architecture) {
    if (architecture == decode::Architecture::kX86_64) return {2, 2, 0, 0, 0};  // jmp *; ret
    return {5, 1, 0, 0, 0};  // adrp, ldr, add, br; ret
  }

  static Amounts Follow(const mix::FileMix& file, const std::string& name) {
    const auto function = file.image->FindFunction(name);
    EXPECT_TRUE(function) << name;
    if (!function) return {};
    const auto index = file.code->targets().FunctionStartingAt(function->start);
    std::map<std::uint64_t, const code::CallSite*> sites;
    for (const auto& site : file.code->CallsOf(index)) sites[site.address] = &site;
    Amounts sum;
    decode::Decoder decoder(file.image->architecture());
    for (std::uint64_t at = function->start;;) {
      const auto instruction = decoder.TryDecode(file.image->Code(at, 16), at);
      EXPECT_TRUE(instruction) << name;
      if (!instruction) return sum;
      EXPECT_NE(instruction->branch, decode::BranchKind::kConditional) << name;
      const bool calls = instruction->branch == decode::BranchKind::kCall ||
                         instruction->branch == decode::BranchKind::kIndirectCall;
      sum += {1, instruction->loads, instruction->stores, 0, calls ? 1 : 0};
      const auto site = sites.find(at);
      if (site != sites.end()) sum += Called(file, *site->second);
      const bool leaves = instruction->branch == decode::BranchKind::kReturn ||
                          (site != sites.end() && site->second->kind != code::SiteKind::kCall);
      if (leaves) return sum;
      EXPECT_TRUE(calls || instruction->branch == decode::BranchKind::kNone) << name;
      at += instruction->length;
    }
  }

  static Amounts Called(const mix::FileMix& file, const code::CallSite& site) {
    const std::string callee(mix::CalledName(*file.code, site));
    if (callee.starts_with("__cyg_profile_func_")) return HookRun(file.image->architecture());
    if (site.to == code::TargetKind::kFunction) return Follow(file, callee);
    return {};
  }

  std::unique_ptr<BuildDirectory> directory_;
  std::optional<mix::FileMix> vanilla_;
  std::optional<mix::FileMix> hooked_;
};

}  // namespace tare::proxy
