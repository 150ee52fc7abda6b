// dwarf_constants.h: the constants of the DWARF standard that are used here.
#pragma once

#include <cstdint>

// DWARF 5, chapter 7; names with GNU or LLVM are vendor extensions.
namespace tare::dwarf {

enum Tag : std::uint16_t {
  kTagCompileUnit = 0x11,
  kTagInlinedSubroutine = 0x1d,
  kTagSubprogram = 0x2e,
  kTagPartialUnit = 0x3c,
  kTagSkeletonUnit = 0x4a,
};

enum UnitType : std::uint8_t {
  kUnitCompile = 1,
  kUnitType = 2,
  kUnitPartial = 3,
  kUnitSkeleton = 4,
  kUnitSplitCompile = 5,
  kUnitSplitType = 6,
};

enum Attribute : std::uint16_t {
  kAtSibling = 0x01,
  kAtName = 0x03,
  kAtStmtList = 0x10,
  kAtLowPc = 0x11,
  kAtHighPc = 0x12,
  kAtCompDir = 0x1b,
  kAtAbstractOrigin = 0x31,
  kAtDeclFile = 0x3a,
  kAtDeclLine = 0x3b,
  kAtSpecification = 0x47,
  kAtEntryPc = 0x52,
  kAtRanges = 0x55,
  kAtCallFile = 0x58,
  kAtCallLine = 0x59,
  kAtLinkageName = 0x6e,
  kAtStrOffsetsBase = 0x72,
  kAtAddrBase = 0x73,
  kAtRnglistsBase = 0x74,
  kAtDwoName = 0x76,
  kAtMipsLinkageName = 0x2007,
  kAtGnuDwoName = 0x2130,
  kAtGnuAddrBase = 0x2133,
};

enum Form : std::uint16_t {
  kFormAddr = 0x01,
  kFormBlock2 = 0x03,
  kFormBlock4 = 0x04,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormString = 0x08,
  kFormBlock = 0x09,
  kFormBlock1 = 0x0a,
  kFormData1 = 0x0b,
  kFormFlag = 0x0c,
  kFormSdata = 0x0d,
  kFormStrp = 0x0e,
  kFormUdata = 0x0f,
  kFormRefAddr = 0x10,
  kFormRef1 = 0x11,
  kFormRef2 = 0x12,
  kFormRef4 = 0x13,
  kFormRef8 = 0x14,
  kFormRefUdata = 0x15,
  kFormIndirect = 0x16,
  kFormSecOffset = 0x17,
  kFormExprloc = 0x18,
  kFormFlagPresent = 0x19,
  kFormStrx = 0x1a,
  kFormAddrx = 0x1b,
  kFormRefSup4 = 0x1c,
  kFormStrpSup = 0x1d,
  kFormData16 = 0x1e,
  kFormLineStrp = 0x1f,
  kFormRefSig8 = 0x20,
  kFormImplicitConst = 0x21,
  kFormLoclistx = 0x22,
  kFormRnglistx = 0x23,
  kFormRefSup8 = 0x24,
  kFormStrx1 = 0x25,
  kFormStrx2 = 0x26,
  kFormStrx3 = 0x27,
  kFormStrx4 = 0x28,
  kFormAddrx1 = 0x29,
  kFormAddrx2 = 0x2a,
  kFormAddrx3 = 0x2b,
  kFormAddrx4 = 0x2c,
  kFormGnuAddrIndex = 0x1f01,
  kFormGnuStrIndex = 0x1f02,
  kFormGnuRefAlt = 0x1f20,
  kFormGnuStrpAlt = 0x1f21,
  kFormLlvmAddrxOffset = 0x2001,
};

enum RangeEntry : std::uint8_t {
  kRangeEnd = 0,
  kRangeBaseAddressx = 1,
  kRangeStartxEndx = 2,
  kRangeStartxLength = 3,
  kRangeOffsetPair = 4,
  kRangeBaseAddress = 5,
  kRangeStartEnd = 6,
  kRangeStartLength = 7,
};

enum LineOpcode : std::uint8_t {
  kLineExtended = 0,
  kLineCopy = 1,
  kLineAdvancePc = 2,
  kLineAdvanceLine = 3,
  kLineSetFile = 4,
  kLineConstAddPc = 8,
  kLineFixedAdvancePc = 9,
};

enum LineExtendedOpcode : std::uint8_t {
  kLineEndSequence = 1,
  kLineSetAddress = 2,
  kLineDefineFile = 3,
};

enum LineContent : std::uint8_t { kLinePath = 1, kLineDirectoryIndex = 2 };

}  // namespace tare::dwarf
