// virtuals.cc: finds the methods of a class and of its base classes.
#include "virtuals.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include "members.h"
#include "names.h"

namespace tare::clang_engine {
namespace {

using llvm::DICompositeType;
using llvm::DISubprogram;

bool IsDestructor(const DISubprogram& method) { return method.getName().starts_with("~"); }

bool IsVirtual(const DISubprogram& method) {
  return method.getVirtuality() != llvm::dwarf::DW_VIRTUALITY_none;
}

// Overriding methods differ in the type of the object, but must agree in its constness.
bool HasConstObject(llvm::DITypeRefArray types) {
  const auto* object =
      types.size() < 2 ? nullptr : llvm::dyn_cast_or_null<llvm::DIDerivedType>(types[1]);
  const auto* pointee = object == nullptr
                            ? nullptr
                            : llvm::dyn_cast_or_null<llvm::DIDerivedType>(object->getBaseType());
  return pointee != nullptr && pointee->getTag() == llvm::dwarf::DW_TAG_const_type;
}

bool IsSameMethod(const DISubprogram& a, const DISubprogram& b) {
  if (IsDestructor(a) && IsDestructor(b)) return true;
  const auto of_a = a.getType()->getTypeArray();
  const auto of_b = b.getType()->getTypeArray();
  if (a.getName() != b.getName() || of_a.size() != of_b.size()) return false;
  if (HasConstObject(of_a) != HasConstObject(of_b)) return false;
  for (unsigned i = 2; i < of_a.size(); ++i) {
    if (of_a[i] != of_b[i]) return false;
  }
  return true;
}

void AddFromBases(const DICompositeType& type, const DISubprogram& method,
                  std::vector<const DISubprogram*>& found) {
  for (const llvm::DINode* element : type.getElements()) {
    const auto* base = llvm::dyn_cast_or_null<llvm::DIDerivedType>(element);
    if (base == nullptr || base->getTag() != llvm::dwarf::DW_TAG_inheritance) continue;
    const auto* base_type = llvm::dyn_cast_or_null<DICompositeType>(Bare(base->getBaseType()));
    if (base_type == nullptr) continue;
    for (const llvm::DINode* inner : base_type->getElements()) {
      const auto* other = llvm::dyn_cast_or_null<DISubprogram>(inner);
      if (other == nullptr || !IsVirtual(*other) || !IsSameMethod(method, *other)) continue;
      if (!llvm::is_contained(found, other)) found.push_back(other);
    }
    AddFromBases(*base_type, method, found);
  }
}

}  // namespace

std::vector<const DISubprogram*> Overridden(const DISubprogram& definition) {
  const DISubprogram* declaration = definition.getDeclaration();
  if (declaration == nullptr) declaration = &definition;
  const auto* type = llvm::dyn_cast_or_null<DICompositeType>(declaration->getScope());
  if (type == nullptr || !IsVirtual(*declaration)) return {};
  std::vector<const DISubprogram*> found = {declaration};
  AddFromBases(*type, *declaration, found);
  return found;
}

std::vector<std::string> NamesOfMethod(const DISubprogram& method) {
  const std::string name = QualifiedName(method);
  std::vector<std::string> names = {name};
  const std::string plain = WithoutTemplateArguments(name);
  if (plain != name) names.push_back(plain);
  if (llvm::StringRef rest = plain; rest.consume_front("(anonymous namespace)::")) {
    names.push_back(rest.str());
  }
  if (!method.getLinkageName().empty()) names.push_back(method.getLinkageName().str());
  return names;
}

}  // namespace tare::clang_engine
