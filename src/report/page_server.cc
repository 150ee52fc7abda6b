// page_server.cc: HTTP for one page and its data. Every request needs the right Host, against pages
// that point their own name at this address, and the token, against other users of the machine.
#include "report/page_server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <vector>

#include "report/page.h"

namespace tare::report {
namespace {

constexpr std::size_t kMaxRequest = 16u << 10;
constexpr int kRequestMilliseconds = 10'000;
constexpr int kSendMilliseconds = 2000;

std::string Response(std::string_view status, std::string_view type, std::string_view body,
                     std::string_view more = {}) {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n"
      "{}Connection: close\r\n\r\n{}",
      status, type, body.size(), more, body);
}

std::string Refusal(std::string_view status) {
  return Response(status, "text/plain", fmt::format("{}\n", status));
}

// The value of a header field, without blanks around it; names ignore case.
std::string FieldOf(std::string_view head, std::string_view name) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view own = line.substr(0, colon);
    const bool same = std::ranges::equal(own, name, {}, lower, lower);
    if (!same) continue;
    std::string_view value = line.substr(colon + 1);
    while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
    while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
    return std::string(value);
  }
  return "";
}

// Takes the same time wherever the texts differ.
bool IsSame(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i) difference |= given[i] ^ secret[i];
  return difference == 0;
}

Result<std::string> NewToken() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Fail(ErrorKind::kUnsupported, "cannot get random bytes for the token");
  }
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// A connection whose request is not complete yet. Browsers open some before they need them, so the
// others do not wait for one.
struct Client {
  Descriptor connection;
  std::chrono::steady_clock::time_point end;
  std::string request;
};

constexpr std::size_t kMaxClients = 64;

bool IsComplete(std::string_view request) {
  return request.size() >= kMaxRequest || request.contains("\r\n\r\n");
}

// Takes what has arrived. Returns whether the other side may send more.
bool Receive(Client& client) {
  std::array<char, 4096> bytes;
  const ssize_t size = ::recv(client.connection.Number(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  client.request.append(bytes.data(), static_cast<std::size_t>(size));
  return size > 0;
}

void SendAll(int client, std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd wait{client, POLLOUT, 0};
    if (::poll(&wait, 1, kSendMilliseconds) <= 0) return;
    const ssize_t size = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::unexpected<Error> CannotListen(std::uint16_t port, int error) {
  return Fail(ErrorKind::kIo,
              fmt::format("cannot listen on 127.0.0.1 port {}: {}; choose another with --port",
                          port, std::strerror(error)));
}

}  // namespace

std::string Answer(std::string_view request, const ServerRules& rules, const ServedData& data) {
  const std::size_t line_end = request.find("\r\n");
  if (line_end == std::string_view::npos) return Refusal("400 Bad Request");
  const std::string_view line = request.substr(0, line_end);
  const std::size_t blank = line.find(' ');
  const std::size_t second = line.find(' ', blank + 1);
  if (blank == std::string_view::npos || second == std::string_view::npos) {
    return Refusal("400 Bad Request");
  }
  const std::string_view head = request.substr(line_end + 2);
  const std::string host = FieldOf(head, "host");
  if (host != fmt::format("127.0.0.1:{}", rules.port) &&
      host != fmt::format("localhost:{}", rules.port)) {
    return Refusal("403 Forbidden");
  }
  if (line.substr(0, blank) != "GET") return Refusal("405 Method Not Allowed");
  const std::string_view target = line.substr(blank + 1, second - blank - 1);
  const std::string_view path = target.substr(0, target.find('?'));
  if (path.size() < rules.token.size() + 2 || !path.starts_with('/') ||
      !IsSame(path.substr(1, rules.token.size()), rules.token)) {
    return Refusal("403 Forbidden");
  }
  const std::string_view rest = path.substr(rules.token.size() + 1);
  if (rest == "/") return Response("200 OK", "text/html; charset=utf-8", LivePage());
  if (rest != "/data") return Refusal("404 Not Found");
  if (target.ends_with("?after=" + data.version))
    return Response("204 No Content", "text/plain", "");
  return Response(
      "200 OK", "application/octet-stream", data.payload,
      fmt::format("X-Tare-Version: {}\r\nX-Tare-Waiting: {}\r\n", data.version, data.waiting));
}

Result<PageServer> PageServer::Open(std::uint16_t port) {
  Descriptor listener =
      Descriptor::AboveStandard(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener.IsOpen()) return CannotListen(port, errno);
  const int on = 1;
  ::setsockopt(listener.Number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  sockaddr generic;
  std::memcpy(&generic, &address, sizeof generic);
  if (::bind(listener.Number(), &generic, size) != 0 || ::listen(listener.Number(), 16) != 0 ||
      ::getsockname(listener.Number(), &generic, &size) != 0) {
    return CannotListen(port, errno);
  }
  std::memcpy(&address, &generic, sizeof address);
  TRY(std::string token, NewToken());
  return PageServer(std::move(listener), {ntohs(address.sin_port), std::move(token)});
}

std::string PageServer::Address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", rules_.port, rules_.token);
}

Result<void> PageServer::Serve(const std::function<ServedData()>& refresh,
                               const StopAsked& stopped) {
  using Clock = std::chrono::steady_clock;
  ServedData data = refresh();
  auto last = Clock::now();
  std::vector<Client> clients;
  while (!stopped()) {
    std::vector<pollfd> waits = {{listener_.Number(), POLLIN, 0}};
    for (const Client& client : clients) waits.push_back({client.connection.Number(), POLLIN, 0});
    ::poll(waits.data(), waits.size(), 200);
    const auto now = Clock::now();
    std::vector<Client> waiting;
    for (std::size_t i = 0; i < clients.size(); ++i) {
      Client& client = clients[i];
      const bool open = (waits[i + 1].revents == 0 || Receive(client)) && now < client.end;
      if (!IsComplete(client.request)) {
        if (open) waiting.push_back(std::move(client));
        continue;
      }
      if (now - last > std::chrono::milliseconds(500)) {
        data = refresh();
        last = Clock::now();
      }
      SendAll(client.connection.Number(), Answer(client.request, rules_, data));
    }
    clients = std::move(waiting);
    if ((waits.front().revents & POLLIN) == 0) continue;
    Descriptor connection =
        Descriptor::AboveStandard(::accept4(listener_.Number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.IsOpen()) continue;
    if (clients.size() == kMaxClients) clients.erase(clients.begin());
    clients.push_back(
        {std::move(connection), now + std::chrono::milliseconds(kRequestMilliseconds), ""});
  }
  return {};
}

}  // namespace tare::report
