// page_server.h: serves a report to the browser of the same user, with updates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"
#include "base/stop.h"

namespace tare::report {

// The data of the page at one time.
struct ServedData {
  std::string payload;  // see PagePayload
  std::string version;  // differs if the payload does; letters and digits
  std::string waiting;  // a sentence for readers about what is still missing; may be empty
};

// The answer to one request, as bytes of HTTP/1.1.
struct ServerRules {
  std::uint16_t port;
  std::string token;  // the first part of every path
};
std::string Answer(std::string_view request, const ServerRules& rules, const ServedData& data);

// Listens on the loopback address only.
class PageServer {
 public:
  // Port 0: any free one.
  static Result<PageServer> Open(std::uint16_t port);

  // "http://127.0.0.1:PORT/TOKEN/"
  std::string Address() const;

  // Answers until `stopped`. Calls `refresh` before answers, at most every half second.
  Result<void> Serve(const std::function<ServedData()>& refresh, const StopAsked& stopped);

 private:
  PageServer(Descriptor listener, ServerRules rules)
      : listener_(std::move(listener)), rules_(std::move(rules)) {}

  Descriptor listener_;
  ServerRules rules_;
};

}  // namespace tare::report
