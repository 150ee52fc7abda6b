// page_server_test.cc: tests which requests are answered.
#include "report/page_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tare::report
