// mix.cc: `tare mix`: the static instruction mix of a binary, and the changes between two.
#include <array>

#include "cli/commands.h"
#include "cli/commands/mix/mix_report.h"

namespace tare::cli {
namespace {

constexpr auto kPer =
    std::to_array<std::string_view>({"function", "class", "operand", "call", "line", "inlined"});

const std::vector<Flag<MixOptions>> kFlags = {
    {{"--root", "FUNCTION", "inclusive mix from this function (main)"}, &MixOptions::root},
    {{"--per", "WHAT",
      "list functions (as if not given), classes, operand types, call sites, source lines or "
      "inlined functions; the last two need debug information",
      kPer},
     &MixOptions::per},
    {{"--top", "N", "rows of long tables; 0 for all (20; 100000 for --json, --csv, --markdown)"},
     &MixOptions::top},
    {{"--sort", "COLUMN", "order of the functions: instructions, function, address, or a category"},
     &MixOptions::sort},
    {{"--interface", "REGEX", "functions with such names belong to a measurement interface too"},
     &MixOptions::interface},
    {{"--weights", "FILE",
      "counts of a run, made by tare count --per function (or block) --top 0 --save FILE"},
     &MixOptions::weights},
};

constexpr std::array kExamples = {
    Example{"tare mix /usr/bin/ls", "categories, call graph and largest functions of a program"},
    Example{"tare mix vanilla instrumented", "what instrumenting changed, function by function"},
    Example{"tare mix --root compress --sort mem ./a.out",
            "all that compress reaches; functions with most memory instructions first"},
    Example{"tare mix --per call --json libm.so.6", "the call graph, for a script"},
    Example{"tare mix --weights run.json ./a.out", "the mix of what ran"},
};

}  // namespace

Command MixCommand() {
  return MakeCommand<MixOptions>(
      {"mix",
       "what is in a binary: instruction mix, call graph, comparison",
       "Decodes all code of an ELF program, library or object file (x86-64 or AArch64, with or "
       "without symbols), sorts each instruction into one of seven categories, and follows calls: "
       "the inclusive mix of a function is the sum over all functions that are reached from it, "
       "each once. Nothing is run.\n\n"
       "With two files it shows what changed: by category, by function, and call by call, so that "
       "what instrumentation did to a program can be seen: calls of the interface, inlining that "
       "was lost, more memory and stack instructions.",
       kExamples,
       false,
       {"BINARY [BINARY]", 1, 2}},
      kFlags, MixReportOf);
}

}  // namespace tare::cli
