// form.cc: sizes and values of the forms.
#include "binary/dwarf/form.h"

namespace tare::dwarf {

std::optional<unsigned> PlainSize(std::uint16_t form) {
  switch (form) {
    case kFormFlagPresent:
    case kFormImplicitConst:
      return 0;
    case kFormData1:
    case kFormFlag:
    case kFormRef1:
    case kFormStrx1:
    case kFormAddrx1:
      return 1;
    case kFormData2:
    case kFormRef2:
    case kFormStrx2:
    case kFormAddrx2:
      return 2;
    case kFormStrx3:
    case kFormAddrx3:
      return 3;
    case kFormData4:
    case kFormRef4:
    case kFormRefSup4:
    case kFormStrx4:
    case kFormAddrx4:
      return 4;
    case kFormData8:
    case kFormRef8:
    case kFormRefSup8:
    case kFormRefSig8:
      return 8;
    case kFormData16:
      return 16;
    default:
      return std::nullopt;
  }
}

bool IsOffset(std::uint16_t form) {
  switch (form) {
    case kFormStrp:
    case kFormLineStrp:
    case kFormSecOffset:
    case kFormStrpSup:
    case kFormGnuRefAlt:
    case kFormGnuStrpAlt:
      return true;
    default:
      return false;
  }
}

namespace {

// Blocks are skipped; their contents are never needed.
bool SkipBlock(Cursor& cursor, std::uint16_t form) {
  switch (form) {
    case kFormBlock1:
      cursor.Skip(cursor.U8());
      return true;
    case kFormBlock2:
      cursor.Skip(cursor.U16());
      return true;
    case kFormBlock4:
      cursor.Skip(cursor.U32());
      return true;
    case kFormBlock:
    case kFormExprloc:
      cursor.Skip(cursor.Uleb());
      return true;
    default:
      return false;
  }
}

std::uint64_t ReadNumber(Cursor& cursor, std::uint16_t form, Encoding encoding) {
  if (IsOffset(form)) return cursor.Unsigned(encoding.offset_bytes);
  switch (form) {
    case kFormAddr:
      return cursor.Unsigned(encoding.address_bytes);
    case kFormRefAddr:
      return cursor.Unsigned(encoding.reference_bytes());
    case kFormUdata:
    case kFormRefUdata:
    case kFormStrx:
    case kFormAddrx:
    case kFormLoclistx:
    case kFormRnglistx:
    case kFormGnuAddrIndex:
    case kFormGnuStrIndex:
      return cursor.Uleb();
    case kFormSdata:
      return static_cast<std::uint64_t>(cursor.Sleb());
    default:
      cursor.Fail();
      return 0;
  }
}

}  // namespace

FormValue ReadForm(Cursor& cursor, std::uint16_t form, std::int64_t constant, Encoding encoding) {
  while (form == kFormIndirect) {
    const std::uint64_t real = cursor.Uleb();
    form = real <= 0xffff ? static_cast<std::uint16_t>(real) : 0;
    // Normally the abbreviation contains this constant; an indirect form has it inline.
    if (form == kFormImplicitConst) constant = cursor.Sleb();
  }
  FormValue read{form, 0, {}};
  if (form == kFormImplicitConst) {
    read.value = static_cast<std::uint64_t>(constant);
  } else if (form == kFormFlagPresent) {
    read.value = 1;
  } else if (form == kFormString) {
    read.text = cursor.Text().substr(0, kLongestText);
  } else if (form == kFormLlvmAddrxOffset) {
    read.value = cursor.Uleb() << 32;
    read.value |= cursor.U32();
  } else if (form == kFormData16) {
    cursor.Skip(16);
  } else if (const auto size = PlainSize(form)) {
    read.value = cursor.Unsigned(*size);
  } else if (!SkipBlock(cursor, form)) {
    read.value = ReadNumber(cursor, form, encoding);
  }
  return read;
}

void SkipForm(Cursor& cursor, std::uint16_t form, Encoding encoding) {
  if (const auto size = PlainSize(form)) {
    cursor.Skip(*size);
  } else {
    ReadForm(cursor, form, 0, encoding);
  }
}

bool IsAddressIndex(std::uint16_t form) {
  return form == kFormAddrx || (form >= kFormAddrx1 && form <= kFormAddrx4) ||
         form == kFormGnuAddrIndex;
}

bool IsTextIndex(std::uint16_t form) {
  return form == kFormStrx || (form >= kFormStrx1 && form <= kFormStrx4) ||
         form == kFormGnuStrIndex;
}

bool IsSupplementary(std::uint16_t form) {
  return form == kFormRefSup4 || form == kFormRefSup8 || form == kFormStrpSup ||
         form == kFormGnuRefAlt || form == kFormGnuStrpAlt;
}

std::optional<std::uint64_t> Constant(const FormValue& value) {
  switch (value.form) {
    case kFormData1:
    case kFormData2:
    case kFormData4:
    case kFormData8:
    case kFormUdata:
    case kFormSdata:
    case kFormImplicitConst:
      return value.value;
    default:
      return std::nullopt;
  }
}

}  // namespace tare::dwarf
