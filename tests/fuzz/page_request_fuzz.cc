// page_request_fuzz.cc: the data of a report are served only to requests with the token.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "report/page_server.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string request(reinterpret_cast<const char*>(data), size);
  const tare::report::ServerRules rules{4711, "0123456789abcdef"};
  const std::string answer = tare::report::Answer(request, rules, {"the payload", "1", ""});
  CHECK(answer.starts_with("HTTP/1.1 "));
  const bool served = answer.starts_with("HTTP/1.1 200");
  CHECK(!served || request.starts_with("GET /0123456789abcdef/"));
  CHECK(!served || request.contains(":4711"));
  CHECK(served || !answer.contains("the payload"));
  return 0;
}
