// page_server_test.cc: tests which requests are answered.
#include "report/page_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>

namespace tare::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const ServerRules kRules{4711, "0123456789abcdef0123456789abcdef"};
const ServedData kData{"payload", "7", "one file is missing"};

std::string Ask(std::string_view target, std::string_view host = "127.0.0.1:4711",
                std::string_view method = "GET") {
  return Answer(fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n\r\n", method, target, host), kRules,
                kData);
}

std::string Under(std::string_view path) { return fmt::format("/{}{}", kRules.token, path); }

TEST(Answer, GivesThePageAndItsDataToTheToken) {
  const std::string page = Ask(Under("/"));
  EXPECT_THAT(page, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(page, HasSubstr("connect-src 'self'"));
  const std::string data = Ask(Under("/data?after="));
  EXPECT_THAT(data, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(data, HasSubstr("X-Tare-Version: 7\r\n"));
  EXPECT_TRUE(data.ends_with("\r\n\r\npayload"));
  EXPECT_THAT(Ask(Under("/data?after=7")), StartsWith("HTTP/1.1 204"));
}

TEST(Answer, RefusesWithoutTheToken) {
  for (const char* target : {"/", "/data", "/0123456789abcdef0123456789abcdee/", "//",
                             "/0123456789abcdef0123456789abcdef"}) {
    EXPECT_THAT(Ask(target), StartsWith("HTTP/1.1 403")) << target;
    EXPECT_THAT(Ask(target), Not(HasSubstr("payload"))) << target;
  }
}

// A page of another site can point its own name at 127.0.0.1 (DNS rebinding).
TEST(Answer, RefusesOtherHosts) {
  for (const char* host :
       {"evil.example:4711", "127.0.0.1", "127.0.0.1:80", "", "127.0.0.1:47110"}) {
    EXPECT_THAT(Ask(Under("/data"), host), StartsWith("HTTP/1.1 403")) << host;
  }
  EXPECT_THAT(Ask(Under("/data"), "localhost:4711"), StartsWith("HTTP/1.1 200"));
}

TEST(Answer, ServesNoOtherPathAndNoOtherMethod) {
  EXPECT_THAT(Ask(Under("/../../etc/passwd")), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Ask(Under("/data"), "127.0.0.1:4711", "POST"), StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(Answer("nonsense", kRules, kData), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Answer("GET\r\n\r\n", kRules, kData), StartsWith("HTTP/1.1 400"));
}

TEST(PageServer, ListensOnTheLoopbackAddressWithItsOwnToken) {
  const auto one = PageServer::Open(0);
  const auto two = PageServer::Open(0);
  ASSERT_TRUE(one && two);
  EXPECT_THAT(one->Address(), ::testing::ContainsRegex("^http://127.0.0.1:[0-9]+/[0-9a-f]+/$"));
  EXPECT_NE(one->Address().substr(one->Address().rfind('/', one->Address().size() - 2)),
            two->Address().substr(two->Address().rfind('/', two->Address().size() - 2)));
}

// A connection to a server on the loopback address.
Descriptor Connect(const PageServer& server) {
  Descriptor connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const std::string address = server.Address();
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr generic;
  std::memcpy(&generic, &to, sizeof generic);
  EXPECT_EQ(::connect(connection.Number(), &generic, sizeof to), 0);
  return connection;
}

void Send(const Descriptor& connection, std::string_view text) {
  EXPECT_EQ(::send(connection.Number(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

std::string ReadAll(const Descriptor& connection) {
  std::string text;
  std::array<char, 4096> bytes;
  ssize_t size = 0;
  while ((size = ::recv(connection.Number(), bytes.data(), bytes.size(), 0)) > 0) {
    text.append(bytes.data(), static_cast<std::size_t>(size));
  }
  return text;
}

TEST(PageServer, AnswersOthersWhileAConnectionIsIdle) {
  auto server = PageServer::Open(0);
  ASSERT_TRUE(server);
  std::atomic<bool> stop = false;
  std::thread serving(
      [&] { EXPECT_TRUE(server->Serve([] { return kData; }, [&] { return stop.load(); })); });
  const Descriptor silent = Connect(*server);
  const Descriptor slow = Connect(*server);
  Send(slow, "GET / HTTP/1.1\r\n");
  const Descriptor quick = Connect(*server);
  Send(quick, "GET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(ReadAll(quick), StartsWith("HTTP/1.1 403"));
  Send(slow, "Host: nobody\r\n\r\n");
  EXPECT_THAT(ReadAll(slow), StartsWith("HTTP/1.1 403"));
  stop = true;
  serving.join();
}

}  // namespace
}  // namespace tare::report
