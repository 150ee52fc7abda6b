// signature_file.h: the file of a signature: versioned, sparse, compressed, checked.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "predict/signature/signature.h"

namespace tare::signature {

// Replaces the file whole or not at all.
Result<void> WriteSignature(const Signature& signature, const std::filesystem::path& path);

// Trusts nothing in the file. Names both versions when the file has another one.
Result<Signature> ReadSignature(const std::filesystem::path& path);

// The contents of a file from the encoded signature, and the signature from the contents.
Result<std::string> PackSignature(std::string_view raw);
Result<Signature> ParseSignature(std::string_view file);

}  // namespace tare::signature
