// metric_candidates.cc: collects names of a module as lines for its object file and for lists.
#include "metric_candidates.h"

#include <fcntl.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "format/counters_wire.h"
#include "lines.h"
#include "unit.h"
#include "virtuals.h"

namespace tare::clang_engine {
namespace {

using format::Candidate;
using format::CandidateKind;

Candidate MakeCandidate(CandidateKind kind, std::string name, std::string file = "",
                        std::uint64_t line = 0, std::string detail = "") {
  Candidate candidate;
  candidate.kind = kind;
  candidate.name = std::move(name);
  candidate.file = std::move(file);
  candidate.line = line;
  candidate.detail = std::move(detail);
  return candidate;
}

void SortOnce(std::vector<Candidate>& candidates) {
  const auto key = [](const Candidate& candidate) {
    return std::tie(candidate.kind, candidate.name, candidate.file, candidate.line,
                    candidate.detail);
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
  candidates.erase(
      std::unique(candidates.begin(), candidates.end(),
                  [&](const Candidate& a, const Candidate& b) { return key(a) == key(b); }),
      candidates.end());
}

bool IsCalled(const llvm::Function& function) {
  return llvm::any_of(function.users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call != nullptr && call->getCalledOperand() == &function;
  });
}

std::string DetailOf(const KnownFunction& known) {
  std::string detail = known.names.parameters;
  const llvm::Function& function = *known.function;
  const char* word = function.hasLocalLinkage()      ? "static"
                     : function.hasLinkOnceLinkage() ? "inline"
                                                     : "";
  if (*word != 0) detail += (detail.empty() ? "" : " ") + std::string(word);
  return detail;
}

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void AddPlaces(const KnownFunction& known, std::set<std::pair<std::string, unsigned>>& lines,
               std::vector<Candidate>& candidates) {
  unsigned number = 0;
  for (const llvm::BasicBlock& block : *known.function) {
    std::uint64_t first = 0;
    for (const llvm::Instruction& instruction : block) {
      const SourceLine place = LineOf(instruction);
      if (place.line == 0) continue;
      if (first == 0) first = place.line;
      lines.emplace(place.path, place.line);
    }
    candidates.push_back(MakeCandidate(CandidateKind::kBlock,
                                       known.names.shown + ':' + std::to_string(number++),
                                       known.path, first));
  }
  for (const SourceLoop& loop : LoopsOf(*known.function)) {
    if (loop.start.line == 0) continue;
    candidates.push_back(MakeCandidate(
        CandidateKind::kLoop, FileName(loop.start.path) + ':' + std::to_string(loop.start.line),
        loop.start.path, loop.start.line, "in " + known.names.shown));
  }
}

// Escapes text for an assembler string.
std::string Quoted(llvm::StringRef text) {
  std::string quoted;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\' || byte < 0x20 || byte >= 0x7f) {
      quoted += '\\';
      for (const int shift : {6, 3, 0}) {
        quoted += static_cast<char>('0' + ((static_cast<unsigned>(byte) >> shift) & 7U));
      }
    } else {
      quoted += letter;
    }
  }
  return quoted;
}

}  // namespace

std::vector<Candidate> FunctionCandidates(const ModuleView& view) {
  std::vector<Candidate> candidates;
  for (const KnownFunction& known : view.Functions()) {
    const llvm::DISubprogram* debug = known.function->getSubprogram();
    if (known.counted) {
      candidates.push_back(MakeCandidate(CandidateKind::kFunction, known.names.shown, known.path,
                                         debug == nullptr ? 0 : debug->getLine(), DetailOf(known)));
    } else if (IsCalled(*known.function)) {
      candidates.push_back(
          MakeCandidate(CandidateKind::kLibrary, known.names.shown, "", 0, known.names.parameters));
    }
  }
  SortOnce(candidates);
  return candidates;
}

std::vector<Candidate> VirtualCandidates(const ModuleView& view) {
  std::vector<Candidate> candidates;
  for (const KnownFunction& known : view.Functions()) {
    const llvm::DISubprogram* debug = known.function->getSubprogram();
    if (debug == nullptr || !known.counted) continue;
    for (const llvm::DISubprogram* method : Overridden(*debug)) {
      candidates.push_back(MakeCandidate(CandidateKind::kVirtual, NamesOfMethod(*method).front(),
                                         PathOf(method->getFile()), method->getLine()));
    }
  }
  SortOnce(candidates);
  return candidates;
}

std::vector<Candidate> UpdateCandidates(const ModuleView& view,
                                        const std::vector<Update>& updates) {
  std::vector<Candidate> candidates;
  const auto add = [&](const llvm::GlobalVariable& variable) {
    const auto names = NamesOf(variable);
    if (names.empty()) return;
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> debug;
    variable.getDebugInfo(debug);
    const auto* source = debug.empty() ? nullptr : debug.front()->getVariable();
    candidates.push_back(MakeCandidate(
        CandidateKind::kVariable, names.front(), source == nullptr ? "" : PathOf(source->getFile()),
        source == nullptr ? 0 : source->getLine(), variable.hasLocalLinkage() ? "static" : ""));
  };
  for (const llvm::GlobalVariable& variable : view.Module().globals()) {
    if (!variable.isDeclaration() && !variable.isConstant()) add(variable);
  }
  MemberNames members;
  for (const Update& update : updates) {
    if (update.variable != nullptr && update.variable->isDeclaration()) add(*update.variable);
    members.insert(update.members.begin(), update.members.end());
  }
  for (const std::string& member : members)
    candidates.push_back(MakeCandidate(CandidateKind::kMember, member));
  SortOnce(candidates);
  return candidates;
}

std::vector<Candidate> PlaceCandidates(const ModuleView& view) {
  std::vector<Candidate> candidates;
  std::set<std::pair<std::string, unsigned>> lines;
  for (const KnownFunction& known : view.Functions()) {
    if (known.has_code) AddPlaces(known, lines, candidates);
  }
  for (const auto& [path, line] : lines) {
    candidates.push_back(MakeCandidate(CandidateKind::kLine,
                                       FileName(path) + ':' + std::to_string(line), path, line));
  }
  SortOnce(candidates);
  return candidates;
}

void EmbedNames(llvm::Module& module, const std::vector<Candidate>& candidates) {
  if (candidates.empty()) return;
  std::string text = ".pushsection " TARE_NAMES_SECTION ",\"MS\",@progbits,1\n";
  for (const Candidate& candidate : candidates) {
    text += ".asciz \"" + Quoted(format::CandidateLine(candidate)) + "\"\n";
  }
  module.appendModuleInlineAsm(text + ".popsection\n");
}

bool AppendNames(const std::string& path, const std::vector<Candidate>& candidates) {
  std::string text;
  for (const Candidate& candidate : candidates) text += format::CandidateLine(candidate);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(file) == 0 && written;
}

}  // namespace tare::clang_engine
