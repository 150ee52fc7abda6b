// setting.cc: a setting in words.
#include "run/setting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "base/printable.h"

namespace tare::run {
namespace {

std::string EnvironmentInWords(const Environment& environment) {
  std::string words;
  switch (environment.from) {
    case Environment::From::kInherited:
      words = "inherited";
      break;
    case Environment::From::kEmpty:
      words = "cleared";
      break;
    case Environment::From::kGiven:
      words = fmt::format("given, {} variables", environment.given.size());
      break;
  }
  if (environment.sorted) words += ", sorted";
  if (environment.bytes) words += fmt::format(", {} bytes", *environment.bytes);
  return words;
}

std::string_view Name(Output output) {
  switch (output) {
    case Output::kPassed:
      return "passed on";
    case Output::kCaptured:
      return "captured";
    case Output::kDiscarded:
      return "discarded";
    case Output::kClosed:
      return "closed";
  }
  return "";
}

std::string InputInWords(const Input& input) {
  switch (input.from) {
    case Input::From::kPassed:
      return "passed on";
    case Input::From::kNothing:
      return "empty";
    case Input::From::kFile:
      return Printable(input.file.string());
  }
  return "";
}

}  // namespace

Setting Silenced(Setting setting) {
  setting.output = Output::kDiscarded;
  setting.errors = Output::kDiscarded;
  return setting;
}

std::vector<std::pair<std::string, std::string>> Describe(const Setting& setting) {
  const Environment& environment = setting.environment;
  std::vector<std::pair<std::string, std::string>> pairs = {
      {"address randomisation", setting.randomise_addresses ? "on" : "off"},
      {"environment", EnvironmentInWords(environment)},
  };
  const auto add = [&](std::string_view name, std::string value) {
    pairs.emplace_back(name, std::move(value));
  };
  for (const auto& [name, value] : environment.set) {
    add("variable set", Printable(fmt::format("{}={}", name, value)));
  }
  for (const std::string& name : environment.unset) add("variable unset", Printable(name));
  add("library dispatch", environment.pin_dispatch ? "common subset" : "as the processor allows");
  add("symbol binding", environment.bind_now ? "at the start" : "as the program asks");
  add("hash seeds", environment.pin_seeds ? "fixed" : "as they are");
  if (setting.name_bytes) add("length of argv[0]", fmt::format("{} bytes", *setting.name_bytes));
  if (setting.folder) add("folder", Printable(setting.folder->string()));
  if (setting.folder_bytes) add("length of PWD", fmt::format("{} bytes", *setting.folder_bytes));
  add("core", setting.core ? fmt::format("{}", *setting.core) : "any");
  if (setting.time_out_seconds) add("time-out", fmt::format("{} s", *setting.time_out_seconds));
  add("standard input", InputInWords(setting.input));
  add("standard output", std::string(Name(setting.output)));
  add("standard error", std::string(Name(setting.errors)));
  return pairs;
}

}  // namespace tare::run
