// mix.cc: `tare mix`: the static instruction mix of a binary, and the changes between two.
#include <array>

#include "cli/commands.h"
#include "cli/commands/mix/mix_report.h"

namespace tare::cli {
namespace {

constexpr auto kPer =
    std::to_array<std::string_view>({"function", "class", "operand", "call", "line", "inlined"});

const std::vector<Flag<MixOptions>> kMixFlags = {
    {{"--root", "FUNCTION", "function to start the inclusive mix from (default: main)"},
     &MixOptions::root},
    {{"--per", "WHAT",
      "list functions, classes, operand types, call sites, source lines or inlined functions "
      "(default: function); the last two need debug information",
      kPer},
     &MixOptions::per},
    {{"--top", "N",
      "rows of long tables; 0 for all (default: 20; 100000 with --json, --csv, --markdown)"},
     &MixOptions::top},
    {{"--sort", "COLUMN",
      "sort functions by instructions, function, address or a category (default: instructions)"},
     &MixOptions::sort},
    {{"--interface", "REGEX",
      "also treat functions with matching names as a measurement interface"},
     &MixOptions::interface},
    {{"--weights", "FILE",
      "counts of a run, from tare count --per function (or block) --top 0 --save FILE"},
     &MixOptions::weights},
};

constexpr std::array kMixExamples = {
    Example{"tare mix /usr/bin/ls", "categories, call graph and largest functions of a program"},
    Example{"tare mix vanilla instrumented", "what instrumentation changed, by function"},
    Example{"tare mix --root compress --sort mem ./a.out",
            "everything reachable from compress; functions with most memory instructions first"},
    Example{"tare mix --per call --json libm.so.6", "the call graph, as JSON"},
    Example{"tare mix --weights run.json ./a.out", "the mix of executed instructions"},
};

}  // namespace

Command MixCommand() {
  return MakeCommand<MixOptions>(
      {"mix",
       "show the instruction mix and call graph of a binary, or compare two",
       "Decodes all code of an ELF program, library or object file (x86-64 or AArch64, with or "
       "without symbols), assigns each instruction to one of seven categories, and follows calls: "
       "the inclusive mix of a function is the sum over all functions that are reachable from it, "
       "each counted once. No program is run.\n\n"
       "With two files it shows what changed: by category, by function and by call. This shows "
       "the effects of instrumentation: calls of the measurement interface, lost inlining, more "
       "memory and stack instructions.",
       kMixExamples,
       false,
       {"BINARY [BINARY]", 1, 2}},
      kMixFlags, MixReportOf);
}

}  // namespace tare::cli
