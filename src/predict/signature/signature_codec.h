// signature_codec.h: the bytes of a signature before compression.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "predict/signature/signature.h"

namespace tare::signature {

// Fails (kFormat) on what a reader would refuse: counters of another grid, a block without a
// file...
Result<std::string> EncodeSignature(const Signature& signature);

// Trusts nothing (kFormat). Takes memory in proportion to `bytes`, and at most 600 MB more for
// counters that are 0.
Result<Signature> DecodeSignature(std::string_view bytes);

}  // namespace tare::signature
