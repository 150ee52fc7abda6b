// elf_image_builder.h: makes an ElfImage of a file's bytes.
#pragma once

#include <string>
#include <vector>

#include "binary/elf_file.h"
#include "binary/elf_image.h"
#include "binary/symbol_table.h"

namespace tare::binary {

class ElfImageBuilder {
 public:
  static Result<ElfImage> Build(std::string bytes);

 private:
  ElfImageBuilder(ElfFile file, ElfImage& image) : file_(std::move(file)), image_(image) {}

  void SetKind();
  void SetSegments();
  void SetSlots(const std::vector<Relocation>& relocations);
  void SetResolvers(const std::vector<CodeSymbol>& symbols,
                    const std::vector<Relocation>& relocations);
  void SetFunctions(const std::vector<CodeSymbol>& symbols,
                    const std::vector<Relocation>& relocations);
  std::vector<Function> Guesses() const;
  // Code that nothing describes, with the padding before it left away.
  std::vector<Function> Leftovers(const std::vector<AddressRange>& code) const;
  std::optional<Function> Leftover(std::uint64_t start, std::uint64_t end) const;
  void SetMain(const std::vector<CodeSymbol>& symbols);

  ElfFile file_;
  ElfImage& image_;
};

}  // namespace tare::binary
