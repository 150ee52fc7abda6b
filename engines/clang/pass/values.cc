// values.cc: finds the source's arguments in the IR, which splits and casts them.
#include "values.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/raw_ostream.h>

#include "members.h"

namespace tare::clang_engine {
namespace {

constexpr unsigned kMaxBits = 64;

std::string Printed(const llvm::Type& type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  type.print(stream, false, true);
  return text;
}

std::string NotANumber(const std::string& what, const std::string& type) {
  return what + " has the type " + type + ", which is neither an integer nor a pointer";
}

bool IsNumber(const llvm::Type& type) {
  return type.isPointerTy() || (type.isIntegerTy() && type.getIntegerBitWidth() <= kMaxBits);
}

// Structs and unions may be passed as integers, so the source type decides.
bool IsNumber(const llvm::DIType* type) {
  type = Bare(type);
  if (type == nullptr) return false;
  if (const auto* basic = llvm::dyn_cast<llvm::DIBasicType>(type)) {
    return basic->getEncoding() != llvm::dwarf::DW_ATE_float &&
           basic->getEncoding() != llvm::dwarf::DW_ATE_complex_float &&
           basic->getSizeInBits() <= kMaxBits;
  }
  if (llvm::isa<llvm::DICompositeType>(type)) {
    return type->getTag() == llvm::dwarf::DW_TAG_enumeration_type;
  }
  return true;
}

std::string NameOf(const llvm::DIType* type) {
  if (type == nullptr) return "void";
  if (!type->getName().empty()) return type->getName().str();
  return "of a struct or union without a name";
}

std::string Ordinal(int argument) { return "argument " + std::to_string(argument); }

// The memory of a source argument, and its type.
struct ArgumentPlace {
  llvm::Value* memory = nullptr;
  const llvm::DIType* type = nullptr;
};

ArgumentPlace PlaceOf(llvm::Function& function, unsigned argument) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      // With optimisation, clang describes arguments by their assignments.
      if (!record.isDbgDeclare() && !record.isDbgAssign()) continue;
      if (record.getVariable()->getArg() != argument) continue;
      if (record.getDebugLoc().getInlinedAt() != nullptr) continue;
      return {record.getAddress(), record.getVariable()->getType()};
    }
  }
  return {};
}

// Returns the IR argument that is stored to the memory unchanged.
llvm::Argument* StoredIn(llvm::Value& memory) {
  for (llvm::User* user : memory.users()) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getPointerOperand() != &memory) continue;
    llvm::Value* value = store->getValueOperand();
    // A bool is i1 in registers and i8 in memory.
    if (auto* wider = llvm::dyn_cast<llvm::ZExtInst>(value)) value = wider->getOperand(0);
    if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) return argument;
  }
  return nullptr;
}

const llvm::DIType* ResultType(const llvm::DISubprogram& debug) {
  const auto types = debug.getType()->getTypeArray();
  return types.size() == 0 ? nullptr : types[0];
}

unsigned HiddenArguments(bool has_result_in_memory) { return has_result_in_memory ? 1 : 0; }

}  // namespace

ReadValue ArgumentOf(llvm::Function& function, int argument) {
  const auto number = static_cast<unsigned>(argument);
  if (const llvm::DISubprogram* debug = function.getSubprogram()) {
    const auto types = debug->getType()->getTypeArray();
    const bool has_names = types.size() > 0;
    if (has_names && number >= types.size()) {
      return {nullptr,
              "it has no " + Ordinal(argument) + ", but " + std::to_string(types.size() - 1)};
    }
    const ArgumentPlace place = PlaceOf(function, number);
    if (place.type != nullptr) {
      if (!IsNumber(place.type)) {
        return {nullptr, NotANumber(Ordinal(argument), NameOf(place.type))};
      }
      llvm::Argument* found = place.memory == nullptr ? nullptr : StoredIn(*place.memory);
      if (found != nullptr && IsNumber(*found->getType())) return {found, ""};
      return {nullptr, NotANumber(Ordinal(argument), NameOf(place.type))};
    }
    if (has_names && !IsNumber(types[number])) {
      return {nullptr, NotANumber(Ordinal(argument), NameOf(types[number]))};
    }
    // The argument has no name in the source; earlier ones may have been split or dropped.
    if (has_names &&
        types.size() - 1 + HiddenArguments(function.hasStructRetAttr()) != function.arg_size()) {
      return {nullptr, Ordinal(argument) + " has no name and cannot be located"};
    }
  }
  const unsigned at = number - 1 + HiddenArguments(function.hasStructRetAttr());
  if (at >= function.arg_size()) return {nullptr, "it has no " + Ordinal(argument)};
  llvm::Argument* found = function.getArg(at);
  if (IsNumber(*found->getType())) return {found, ""};
  return {nullptr, NotANumber(Ordinal(argument), Printed(*found->getType()))};
}

ReadValue ArgumentOf(llvm::CallBase& call, int argument) {
  const unsigned at =
      static_cast<unsigned>(argument) - 1 + HiddenArguments(call.hasStructRetAttr());
  // Intrinsics have one argument more than the library functions that they represent.
  const bool is_memory = llvm::isa<llvm::IntrinsicInst>(call);
  if (at >= call.arg_size() || (is_memory && argument > 3)) {
    return {nullptr, "it has no " + Ordinal(argument)};
  }
  llvm::Value* found = call.getArgOperand(at);
  if (IsNumber(*found->getType())) return {found, ""};
  return {nullptr, NotANumber(Ordinal(argument), Printed(*found->getType()))};
}

std::string ResultProblem(const llvm::Function& function) {
  const llvm::Type& type = *function.getReturnType();
  if (const llvm::DISubprogram* debug = function.getSubprogram();
      debug != nullptr && debug->getType()->getTypeArray().size() > 0) {
    const llvm::DIType* source = ResultType(*debug);
    if (!IsNumber(source)) return NotANumber("its result", NameOf(source));
  }
  if (type.isVoidTy()) return "it has no result";
  return IsNumber(type) ? "" : NotANumber("its result", Printed(type));
}

}  // namespace tare::clang_engine
