// runtime_symbols.cc: declares each runtime symbol once per module.
#include "runtime_symbols.h"

namespace tare::clang_engine {

llvm::GlobalVariable* RuntimeWord(llvm::Module& module, llvm::StringRef name) {
  if (auto* found = module.getNamedGlobal(name)) return found;
  auto* word = new llvm::GlobalVariable(module, llvm::Type::getInt64Ty(module.getContext()), false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, name, nullptr,
                                        llvm::GlobalValue::InitialExecTLSModel);
  word->setVisibility(llvm::GlobalValue::HiddenVisibility);
  word->setDSOLocal(true);
  return word;
}

llvm::FunctionCallee RuntimeFunction(llvm::Module& module, llvm::StringRef name,
                                     llvm::FunctionType* type) {
  auto callee = module.getOrInsertFunction(name, type);
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setVisibility(llvm::GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  function->setCallingConv(llvm::CallingConv::PreserveMost);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->addFnAttr(llvm::Attribute::Cold);
  function->addFnAttr(llvm::Attribute::WillReturn);
  return callee;
}

}  // namespace tare::clang_engine
