// elf_image_builder.h: building an ElfImage from a file's bytes.
#pragma once

#include <string>
#include <vector>

#include "binary/elf/elf_file.h"
#include "binary/elf/elf_image.h"
#include "binary/elf/symbol_table.h"

namespace tare::elf {

class ElfImageBuilder {
 public:
  static Result<ElfImage> Build(std::string bytes);

 private:
  ElfImageBuilder(ElfFile file, ElfImage& image)
      : file_(std::move(file)), image_(image), padding_left_(image.bytes_.size()) {}

  void SetKind();
  void SetSegments();
  void SetResolvers(const std::vector<CodeSymbol>& symbols);
  void SetNamedMain(const std::vector<CodeSymbol>& symbols);
  void SetFunctions(std::vector<CodeSymbol> symbols);
  std::vector<Function> Guesses() const;
  // Code that no symbol or frame describes, without leading padding.
  std::vector<Function> Leftovers(const std::vector<AddressRange>& code);
  std::optional<Function> Leftover(std::uint64_t start, std::uint64_t end);
  void SetMain();

  ElfFile file_;
  ElfImage& image_;
  std::uint64_t padding_left_;  // instructions and bytes; limits the work
};

}  // namespace tare::elf
