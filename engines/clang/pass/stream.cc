// stream.cc: emits the code that writes records, and the records' descriptions.
#include "stream.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <map>
#include <optional>
#include <vector>

#include "format/counters_wire.h"
#include "format/stream_wire.h"
#include "runtime_symbols.h"
#include "unit.h"

namespace tare::clang_engine {
namespace {

constexpr const char* kCursor = "tare_stream_cursor";
constexpr const char* kFlush = "tare_stream_flush";

// A word of a record: its value is available before `place`.
struct Word {
  llvm::Value* value = nullptr;
  llvm::Instruction* place = nullptr;
};

struct Access {
  tare_stream_kind kind = TARE_STREAM_LOAD;
  std::uint64_t bytes = 0;
  std::uint16_t word = 0;
  std::int64_t offset = 0;
  llvm::Constant* constant = nullptr;  // the address, if it is constant
};

// Code that executes as a unit, from `begin` to the next call or the end of its block.
struct Stretch {
  llvm::Instruction* begin = nullptr;
  bool begins_block = false;
  std::vector<Word> words;  // after the first word, which is the description
  std::vector<Access> accesses;
};

bool Calls(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call) && !call->isInlineAsm();
}

// Splits a block into stretches.
class Reader {
 public:
  Reader(const llvm::DataLayout& layout, bool addresses) : layout_(layout), addresses_(addresses) {}

  std::vector<Stretch> Read(llvm::BasicBlock& block) {
    llvm::Instruction* first =
        block.isEntryBlock() ? EntryPlace(*block.getParent()) : FirstOf(block);
    if (first == nullptr) return {};
    Begin(first, true);
    for (llvm::Instruction* at = first; at != nullptr; at = at->getNextNode()) {
      if (addresses_) {
        if (IsFull(stretches_.back())) Begin(at, false);
        Take(*at);
      }
      const bool ends = Calls(*at) && !at->isTerminator();
      if (ends && !llvm::cast<llvm::CallInst>(at)->isMustTailCall()) {
        Begin(at->getNextNode(), false);
      }
    }
    std::erase_if(stretches_, [](const Stretch& stretch) {
      return !stretch.begins_block && stretch.accesses.empty();
    });
    return std::move(stretches_);
  }

 private:
  static bool IsFull(const Stretch& stretch) {
    return stretch.words.size() + 8 > TARE_STREAM_RECORD_WORDS ||
           stretch.accesses.size() + 8 > TARE_STREAM_MAX_ACCESSES;
  }

  static llvm::Instruction* FirstOf(llvm::BasicBlock& block) {
    const auto place = block.getFirstInsertionPt();
    return place == block.end() ? nullptr : &*place;
  }

  void Begin(llvm::Instruction* place, bool block) {
    stretches_.push_back({place, block, {}, {}});
    bases_.clear();
  }

  std::uint64_t BytesOf(llvm::Type* type) const {
    return layout_.getTypeStoreSize(type).getKnownMinValue();
  }

  void Take(llvm::Instruction& at) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&at)) {
      Add(at, load->getPointerOperand(), TARE_STREAM_LOAD, BytesOf(load->getType()));
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) {
      Add(at, store->getPointerOperand(), TARE_STREAM_STORE,
          BytesOf(store->getValueOperand()->getType()));
    } else if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&at)) {
      Add(at, update->getPointerOperand(), TARE_STREAM_ATOMIC, BytesOf(update->getType()));
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&at)) {
      Add(at, exchange->getPointerOperand(), TARE_STREAM_ATOMIC,
          BytesOf(exchange->getCompareOperand()->getType()));
    } else if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&at)) {
      TakeIntrinsic(*intrinsic);
    }
  }

  void TakeIntrinsic(llvm::IntrinsicInst& at) {
    if (auto* copy = llvm::dyn_cast<llvm::AnyMemTransferInst>(&at)) {
      AddWords(at, TARE_STREAM_COPY, {copy->getRawDest(), copy->getRawSource(), copy->getLength()});
    } else if (auto* set = llvm::dyn_cast<llvm::AnyMemSetInst>(&at)) {
      AddWords(at, TARE_STREAM_SET, {set->getRawDest(), set->getLength()});
    } else if (at.getIntrinsicID() == llvm::Intrinsic::masked_load) {
      Add(at, at.getArgOperand(0), TARE_STREAM_MASKED_LOAD, BytesOf(at.getType()));
    } else if (at.getIntrinsicID() == llvm::Intrinsic::masked_store) {
      Add(at, at.getArgOperand(1), TARE_STREAM_MASKED_STORE,
          BytesOf(at.getArgOperand(0)->getType()));
    }
  }

  void AddWords(llvm::Instruction& at, tare_stream_kind kind, llvm::ArrayRef<llvm::Value*> values) {
    Stretch& stretch = stretches_.back();
    stretch.accesses.push_back(
        {kind, 0, static_cast<std::uint16_t>(stretch.words.size() + 1), 0, nullptr});
    for (llvm::Value* value : values) stretch.words.push_back({value, &at});
  }

  void Add(llvm::Instruction& at, llvm::Value* pointer, tare_stream_kind kind,
           std::uint64_t bytes) {
    if (pointer->getType()->getPointerAddressSpace() != 0) return;
    Stretch& stretch = stretches_.back();
    llvm::APInt distance(64, 0);
    llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout_, distance, true);
    const std::int64_t offset = distance.getSExtValue();
    auto* global = llvm::dyn_cast<llvm::GlobalVariable>(base);
    if (global != nullptr && global->isDSOLocal() && !global->isThreadLocal()) {
      stretch.accesses.push_back({kind, bytes, 0, offset, global});
      return;
    }
    const auto [found, is_new] = bases_.try_emplace(base);
    if (is_new) {
      stretch.words.push_back({pointer, &at});
      found->second = {static_cast<std::uint16_t>(stretch.words.size()), offset};
    }
    stretch.accesses.push_back(
        {kind, bytes, found->second.word, offset - found->second.offset, nullptr});
  }

  struct Base {
    std::uint16_t word = 0;
    std::int64_t offset = 0;  // from the base to the word
  };
  const llvm::DataLayout& layout_;
  bool addresses_;
  std::vector<Stretch> stretches_;
  std::map<llvm::Value*, Base> bases_;
};

class Writer {
 public:
  Writer(llvm::Module& module, std::uint64_t unit, bool addresses)
      : module_(module), context_(module.getContext()), unit_(unit), addresses_(addresses) {
    word_ = llvm::Type::getInt64Ty(context_);
    llvm::MDBuilder metadata(context_);
    llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain("tare");
    records_ =
        llvm::MDNode::get(context_, metadata.createAnonymousAliasScope(domain, "tare.records"));
    cursor_ = RuntimeWord(module, kCursor);
    flush_ = RuntimeFunction(module, kFlush, llvm::FunctionType::get(word_, {word_}, false));
  }

  void Write(llvm::Function& function) {
    std::vector<Stretch> stretches;
    for (llvm::BasicBlock& block : function) {
      for (Stretch& stretch : Reader(module_.getDataLayout(), addresses_).Read(block)) {
        stretches.push_back(std::move(stretch));
      }
    }
    if (stretches.empty()) return;
    MarkNoAlias(function);
    llvm::GlobalVariable* descriptions = Describe(stretches);
    llvm::IRBuilder<> entry(EntryPlace(function));
    llvm::Value* cursor = entry.CreateThreadLocalAddress(cursor_);
    std::uint64_t at = 0;
    for (const Stretch& stretch : stretches) {
      llvm::Constant* description = llvm::ConstantExpr::getInBoundsGetElementPtr(
          llvm::Type::getInt8Ty(context_), descriptions, llvm::ConstantInt::get(word_, at));
      WriteRecord(stretch, cursor, description, number_++);
      at += BytesOf(stretch);
    }
    used_.push_back(descriptions);
  }

  void Finish() {
    if (!used_.empty()) llvm::appendToUsed(module_, used_);
    if (cursor_->use_empty()) cursor_->eraseFromParent();
    auto* function = llvm::cast<llvm::Function>(flush_.getCallee());
    if (function->use_empty()) function->eraseFromParent();
  }

 private:
  // The program never accesses records, so its loads and stores do not alias them. This lets the
  // code generator reorder its accesses and the records.
  void MarkNoAlias(llvm::Function& function) const {
    for (llvm::Instruction& at : llvm::instructions(function)) {
      if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(at)) continue;
      llvm::MDNode* known = at.getMetadata(llvm::LLVMContext::MD_noalias);
      at.setMetadata(llvm::LLVMContext::MD_noalias, llvm::MDNode::concatenate(known, records_));
    }
  }

  void StoreWord(llvm::IRBuilderBase& builder, llvm::Value* value, llvm::Value* place) const {
    builder.CreateAlignedStore(value, place, llvm::Align(8))
        ->setMetadata(llvm::LLVMContext::MD_alias_scope, records_);
  }

  static std::uint64_t BytesOf(const Stretch& stretch) {
    return sizeof(tare_stream_stretch) + stretch.accesses.size() * sizeof(tare_stream_access);
  }

  llvm::Constant* Number(unsigned bits, std::uint64_t value) const {
    return llvm::ConstantInt::get(llvm::Type::getIntNTy(context_, bits), value);
  }

  // The descriptions of a function are consecutive. Offsets of constant addresses are relative to
  // their own location, so the variable is created before its contents.
  llvm::GlobalVariable* Describe(const std::vector<Stretch>& stretches) {
    auto* half = llvm::Type::getInt32Ty(context_);
    auto* quarter = llvm::Type::getInt16Ty(context_);
    auto* head = llvm::StructType::get(context_, {word_, half, quarter, quarter});
    auto* access = llvm::StructType::get(context_, {word_, half, quarter, quarter});
    std::vector<llvm::Type*> types;
    for (const Stretch& stretch : stretches) {
      types.push_back(head);
      types.insert(types.end(), stretch.accesses.size(), access);
    }
    auto* type = llvm::StructType::get(context_, types);
    auto* all = new llvm::GlobalVariable(module_, type, true, llvm::GlobalValue::InternalLinkage,
                                         nullptr, "tare.stream");
    std::vector<llvm::Constant*> values;
    std::uint64_t at = 0;
    std::uint32_t number = number_;
    for (const Stretch& stretch : stretches) {
      const std::uint64_t flags = (stretch.begins_block ? TARE_STREAM_BEGINS_BLOCK : 0) |
                                  (addresses_ ? 0 : TARE_STREAM_NO_ADDRESSES);
      values.push_back(llvm::ConstantStruct::get(
          head, {Number(64, unit_), Number(32, number++), Number(16, stretch.words.size() + 1),
                 Number(16, stretch.accesses.size() | flags)}));
      at += sizeof(tare_stream_stretch);
      for (const Access& one : stretch.accesses) {
        values.push_back(
            llvm::ConstantStruct::get(access, {OffsetOf(one, all, at), Number(32, one.bytes),
                                               Number(16, one.word), Number(16, one.kind)}));
        at += sizeof(tare_stream_access);
      }
    }
    all->setInitializer(llvm::ConstantStruct::get(type, values));
    all->setSection(TARE_STREAM_SECTION);
    all->setAlignment(llvm::Align(8));
    return all;
  }

  llvm::Constant* OffsetOf(const Access& access, llvm::GlobalVariable* all,
                           std::uint64_t at) const {
    if (access.constant == nullptr) return Number(64, static_cast<std::uint64_t>(access.offset));
    auto* byte = llvm::Type::getInt8Ty(context_);
    llvm::Constant* target = llvm::ConstantExpr::getGetElementPtr(
        byte, access.constant, Number(64, static_cast<std::uint64_t>(access.offset)));
    llvm::Constant* place = llvm::ConstantExpr::getGetElementPtr(byte, all, Number(64, at));
    return llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(target, word_),
                                      llvm::ConstantExpr::getPtrToInt(place, word_));
  }

  // Advances the cursor before writing, so that a signal handler writes after the record.
  void WriteRecord(const Stretch& stretch, llvm::Value* cursor, llvm::Constant* description,
                   std::uint32_t number) {
    llvm::IRBuilder<> builder(stretch.begin);
    const std::uint64_t words = stretch.words.size() + 1;
    llvm::Value* here = builder.CreateAlignedLoad(word_, cursor, llvm::Align(8), true);
    llvm::Value* end = builder.CreateAdd(here, Number(64, 8 * words));
    llvm::Value* full =
        builder.CreateICmpNE(builder.CreateAnd(end, Number(64, TARE_STREAM_CHUNK)), Number(64, 0));
    // The site is on this volatile store because the optimiser may merge two plain stores and drop
    // it.
    builder.CreateAlignedStore(end, cursor, llvm::Align(8), true)
        ->setMetadata(llvm::LLVMContext::MD_pcsections, Site(number));
    llvm::BasicBlock* before = stretch.begin->getParent();
    llvm::Instruction* then =
        llvm::SplitBlockAndInsertIfThen(full, stretch.begin->getIterator(), false,
                                        llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    builder.SetInsertPoint(then);
    llvm::CallInst* fresh = builder.CreateCall(flush_, {Number(64, words)});
    fresh->setCallingConv(llvm::CallingConv::PreserveMost);
    builder.SetInsertPoint(stretch.begin->getParent(), stretch.begin->getParent()->begin());
    llvm::PHINode* room = builder.CreatePHI(word_, 2);
    room->addIncoming(here, before);
    room->addIncoming(fresh, then->getParent());
    builder.SetInsertPoint(stretch.begin);
    llvm::Value* record = builder.CreateIntToPtr(room, builder.getPtrTy());
    StoreWord(builder, description, record);
    for (std::size_t i = 0; i < stretch.words.size(); ++i) {
      const Word& word = stretch.words[i];
      builder.SetInsertPoint(word.place);
      llvm::Value* value = word.value;
      if (value->getType()->isIntegerTy()) value = builder.CreateZExtOrTrunc(value, word_);
      StoreWord(builder, value, builder.CreateConstGEP1_64(word_, record, i + 1));
    }
  }

  llvm::MDNode* Site(std::uint32_t number) const {
    llvm::Metadata* numbers[] = {llvm::ConstantAsMetadata::get(Number(32, TARE_SITE_END)),
                                 llvm::ConstantAsMetadata::get(Number(32, number)),
                                 llvm::ConstantAsMetadata::get(Number(64, unit_))};
    llvm::Metadata* node[] = {llvm::MDString::get(context_, TARE_STREAM_SITES_SECTION),
                              llvm::MDNode::get(context_, numbers)};
    return llvm::MDNode::get(context_, node);
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  std::uint64_t unit_;
  bool addresses_;
  llvm::Type* word_;
  llvm::GlobalVariable* cursor_;
  llvm::FunctionCallee flush_;
  llvm::MDNode* records_;  // the alias scope of all records
  std::uint32_t number_ = 0;
  std::vector<llvm::GlobalValue*> used_;
};

bool IsStreamed(const llvm::Function& function) {
  return !function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
         !function.hasFnAttribute(llvm::Attribute::Naked) &&
         !function.getName().starts_with("tare_");
}

}  // namespace

llvm::PreservedAnalyses StreamAccesses::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : module) {
    if (IsStreamed(function)) functions.push_back(&function);
  }
  Unit unit(module, "stream");
  Writer writer(module, unit.Id(), content_ == format::StreamContent::kAddresses);
  unit.Emit();
  for (llvm::Function* function : functions) writer.Write(*function);
  writer.Finish();
  return llvm::PreservedAnalyses::none();
}

}  // namespace tare::clang_engine
