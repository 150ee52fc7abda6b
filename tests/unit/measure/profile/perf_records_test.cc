// perf_records_test.cc: records as the kernel writes them, and address spaces that they describe.
#include "measure/profile/perf_records.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <cstring>
#include <string>

#include "measure/profile/process_maps.h"
#include "measure/profile/sample_store.h"
#include "measure/profile/symbolizer.h"

namespace tare::profile {
namespace {

class RecordBuilder {
 public:
  template <typename T>
  RecordBuilder& Add(T value) {
    body_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  RecordBuilder& Text(std::string_view text) {
    body_ += text;
    body_.append(8 - text.size() % 8, '\0');
    return *this;
  }
  // The identification behind every record but samples.
  RecordBuilder& Trailer(std::uint64_t time) {
    return Add(std::uint64_t{0}).Add(time).Add(std::uint64_t{0}).Add(std::uint64_t{0});
  }
  std::string Make(std::uint32_t type, std::uint16_t misc = 0) const {
    const perf_event_header header{
        type, misc, static_cast<std::uint16_t>(sizeof(perf_event_header) + body_.size())};
    std::string record(reinterpret_cast<const char*>(&header), sizeof header);
    return record + body_;
  }

 private:
  std::string body_;
};

Result<PerfRecord> Parsed(const std::string& record, const SampleLayout& layout = {}) {
  return ParseRecord(std::as_bytes(std::span(record)), layout);
}

RecordBuilder SampleOf(std::uint64_t event, std::uint64_t address, std::uint64_t time) {
  RecordBuilder builder;
  builder.Add(event).Add(address).Add(std::uint32_t{10}).Add(std::uint32_t{11});
  builder.Add(time).Add(std::uint64_t{1});
  return builder;
}

TEST(ParseRecord, ASampleHasItsChainRegistersAndStack) {
  auto builder = SampleOf(99, 0x401000, 5);
  builder.Add(std::uint64_t{3}).Add(static_cast<std::uint64_t>(PERF_CONTEXT_USER));
  builder.Add(std::uint64_t{0x401000}).Add(std::uint64_t{0x402000});
  builder.Add(std::uint64_t{PERF_SAMPLE_REGS_ABI_64}).Add(std::uint64_t{0xabc});
  builder.Add(std::uint64_t{16}).Text("stackbytes").Add(std::uint64_t{10});
  const auto record = Parsed(builder.Make(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER),
                             {.chain = true, .registers = 1, .stack_bytes = 16});
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->kind, RecordKind::kSample);
  EXPECT_EQ(record->event, 99);
  EXPECT_EQ(record->process, 10);
  EXPECT_EQ(record->thread, 11);
  EXPECT_EQ(record->chain.size(), 3);
  EXPECT_EQ(record->registers, std::vector<std::uint64_t>{0xabc});
  EXPECT_EQ(record->stack, "stackbytes");
  EXPECT_FALSE(record->in_kernel);
}

TEST(ParseRecord, ASampleHasItsDataAddressAndRawData) {
  RecordBuilder builder;
  builder.Add(std::uint64_t{99}).Add(std::uint64_t{0x401000});
  builder.Add(std::uint32_t{10}).Add(std::uint32_t{11}).Add(std::uint64_t{5});
  builder.Add(std::uint64_t{0x7000}).Add(std::uint32_t{3}).Add(std::uint32_t{0});
  builder.Add(std::uint32_t{4}).Add(std::uint32_t{0x64636261});
  const std::string bytes = builder.Make(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
  const auto record = Parsed(bytes, {.data_address = true, .raw = true});
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->time_ns, 5);
  EXPECT_EQ(record->data_address, 0x7000);
  EXPECT_EQ(record->processor, 3);
  EXPECT_EQ(record->raw, "abcd");
  EXPECT_FALSE(Parsed(bytes.substr(0, bytes.size() - 4), {.data_address = true, .raw = true}));
}

TEST(ParseRecord, ASwitchHasItsThreadTimeAndDirection) {
  RecordBuilder builder;
  builder.Add(std::uint32_t{10}).Add(std::uint32_t{11}).Add(std::uint64_t{5});
  builder.Add(std::uint32_t{3}).Add(std::uint32_t{0}).Add(std::uint64_t{99});
  const auto in = Parsed(builder.Make(PERF_RECORD_SWITCH, 0));
  ASSERT_TRUE(in);
  EXPECT_EQ(in->kind, RecordKind::kSwitch);
  EXPECT_FALSE(in->leaves);
  EXPECT_EQ(in->process, 10);
  EXPECT_EQ(in->thread, 11);
  EXPECT_EQ(in->time_ns, 5);
  EXPECT_EQ(in->processor, 3);
  const auto out = Parsed(builder.Make(
      PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT));
  ASSERT_TRUE(out);
  EXPECT_TRUE(out->leaves && out->preempted);
}

TEST(ParseRecord, AMappingHasItsPathAndTime) {
  RecordBuilder builder;
  builder.Add(std::uint32_t{10}).Add(std::uint32_t{10});
  builder.Add(std::uint64_t{0x400000}).Add(std::uint64_t{0x1000}).Add(std::uint64_t{0x2000});
  for (int i = 0; i < 4; ++i) builder.Add(std::uint64_t{0});
  builder.Text("/lib/my lib.so").Trailer(77);
  const auto record = Parsed(builder.Make(PERF_RECORD_MMAP2));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->name, "/lib/my lib.so");
  EXPECT_EQ(record->time_ns, 77);
  EXPECT_EQ(record->file_offset, 0x2000);
}

TEST(ParseRecord, AMappingMayHaveTheBuildIdOfItsFile) {
  const auto mapping = [](std::uint32_t size) {
    RecordBuilder builder;
    builder.Add(std::uint32_t{10}).Add(std::uint32_t{10});
    builder.Add(std::uint64_t{0x400000}).Add(std::uint64_t{0x1000}).Add(std::uint64_t{0x2000});
    builder.Add(size).Add(std::uint32_t{0x04030201}).Add(std::uint64_t{0x0605});
    builder.Add(std::uint64_t{0}).Add(std::uint64_t{0});
    builder.Text("/bin/x").Trailer(77);
    return Parsed(builder.Make(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID));
  };
  const auto record = mapping(6);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->build_id, "010203040506");
  EXPECT_EQ(record->name, "/bin/x");
  EXPECT_FALSE(mapping(21));
}

TEST(ParseRecord, CutRecordsAreRefused) {
  auto builder = SampleOf(1, 2, 3);
  builder.Add(std::uint64_t{2}).Add(std::uint64_t{1}).Add(std::uint64_t{2});
  const std::string whole = builder.Make(PERF_RECORD_SAMPLE);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(Parsed(whole.substr(0, size), {.chain = true})) << size;
  EXPECT_TRUE(Parsed(whole, {.chain = true}));
}

TEST(ParseRecord, AChainOfImpossibleLengthIsRefused) {
  auto builder = SampleOf(1, 2, 3);
  builder.Add(~std::uint64_t{0});
  EXPECT_FALSE(Parsed(builder.Make(PERF_RECORD_SAMPLE), {.chain = true}));
}

TEST(ProcessMaps, ANewMappingReplacesWhatItCovers) {
  ProcessMaps maps({});
  maps.Map(1, 0x1000, 0x3000, 0, "/a", 0);
  maps.Map(1, 0x2000, 0x1000, 0x500, "/b", 0);
  const auto at = [&](std::uint64_t address) {
    const CodePlace place = maps.Find(1, address);
    return std::pair(maps.Objects()[place.object], place.offset);
  };
  EXPECT_EQ(at(0x1800), std::pair(std::string("/a"), std::uint64_t{0x800}));
  EXPECT_EQ(at(0x2010), std::pair(std::string("/b"), std::uint64_t{0x510}));
  EXPECT_EQ(at(0x3010), std::pair(std::string("/a"), std::uint64_t{0x2010}));
  EXPECT_EQ(at(0x4000).first, kUnknownObject);
}

TEST(ProcessMaps, AFileThatWasReplacedIsAnotherObject) {
  ProcessMaps maps(nullptr);
  maps.Map(1, 0x1000, 0x1000, 0, "/a", 0, "01");
  maps.Map(2, 0x1000, 0x1000, 0, "/a", 0, "02");
  maps.Map(3, 0x1000, 0x1000, 0, "/a", 0, "01");
  maps.Map(4, 0x1000, 0x1000, 0, "/a", 0);
  EXPECT_EQ(maps.Find(1, 0x1800).object, maps.Find(3, 0x1800).object);
  EXPECT_EQ(maps.Find(1, 0x1800).object, maps.Find(4, 0x1800).object);
  EXPECT_NE(maps.Find(1, 0x1800).object, maps.Find(2, 0x1800).object);
  EXPECT_EQ(maps.Objects()[maps.Find(2, 0x1800).object], "/a");
  EXPECT_EQ(maps.BuildIds()[maps.Find(2, 0x1800).object], "02");
}

TEST(ProcessMaps, AForkKeepsItsMappingsWhenTheParentChanges) {
  ProcessMaps maps({});
  maps.Map(1, 0x1000, 0x1000, 0, "/a", 0);
  maps.Fork(2, 1);
  maps.Exec(1);
  maps.Map(1, 0x1000, 0x1000, 0, "/b", 0);
  EXPECT_EQ(maps.Objects()[maps.Find(2, 0x1000).object], "/a");
  EXPECT_EQ(maps.Objects()[maps.Find(1, 0x1000).object], "/b");
}

TEST(ProcessMaps, AProcessThatWasThereIsReadFromTheSystem) {
  ProcessMaps maps([](std::uint32_t) {
    return std::string(
        "00400000-00401000 r--p 00000000 00:00 1 /x\n"
        "00401000-00402000 r-xp 00001000 00:00 1                /path with blanks\n"
        "7f0000000000-7f0000001000 r-xp 00000000 00:00 0\n");
  });
  const CodePlace place = maps.Find(5, 0x401234);
  EXPECT_EQ(maps.Objects()[place.object], "/path with blanks");
  EXPECT_EQ(place.offset, 0x1234);
  EXPECT_EQ(maps.Objects()[maps.Find(5, 0x7f0000000010).object], kAnonymousObject);
}

TEST(SampleStore, ReturnAddressesBelongToTheCall) {
  SampleStore store({}, {});
  store.AddEvent(99, 1);
  PerfRecord mapping;
  mapping.kind = RecordKind::kMapping;
  mapping.process = 10;
  mapping.start = 0x401000;
  mapping.bytes = 0x1000;
  mapping.name = "/a";
  store.Take(mapping);
  PerfRecord sample;
  sample.kind = RecordKind::kSample;
  sample.event = 99;
  sample.process = 10;
  sample.thread = 10;
  sample.address = 0x401010;
  sample.chain = {static_cast<std::uint64_t>(PERF_CONTEXT_USER), 0x401010, 0x401020};
  store.Take(sample);
  store.Take(sample);
  StoreMarks marks;
  const StoredPart part = store.Since(marks);
  ASSERT_EQ(part.stacks.size(), 1);
  ASSERT_EQ(part.samples.size(), 2);
  EXPECT_EQ(part.samples[0].timer, 1);
  EXPECT_EQ(part.places[part.stacks[0][0]].address, 0x401010);
  EXPECT_EQ(part.places[part.stacks[0][1]].address, 0x40101f);
}

TEST(SampleStore, PartsHaveWhatCameSinceTheLast) {
  SampleStore store({}, {});
  store.AddEvent(99, 0);
  PerfRecord sample;
  sample.kind = RecordKind::kSample;
  sample.event = 99;
  sample.process = 10;
  sample.thread = 10;
  const auto take = [&](std::uint64_t time, std::uint64_t address) {
    sample.time_ns = time;
    sample.chain = {static_cast<std::uint64_t>(PERF_CONTEXT_USER), address};
    store.Take(sample);
  };
  StoreMarks marks;
  take(1, 0x1000);
  take(2, 0x2000);
  EXPECT_EQ(store.Since(marks).samples.size(), 2);
  take(3, 0x1000);
  take(4, 0x3000);
  const StoredPart part = store.Since(marks);
  ASSERT_EQ(part.samples.size(), 2);
  EXPECT_EQ(part.samples[0].stack, 0);
  EXPECT_EQ(part.samples[1].stack, 2);
  ASSERT_EQ(part.stacks.size(), 1);
  ASSERT_EQ(part.links.size(), 1);
  ASSERT_EQ(part.places.size(), 1);
  EXPECT_EQ(part.places[0].address, 0x3000);
  EXPECT_EQ(part.threads.size(), 1);
  EXPECT_TRUE(store.Since(marks).samples.empty());
}

TEST(SampleStore, SamplesOfOtherEventsAreIgnored) {
  SampleStore store({}, {});
  PerfRecord sample;
  sample.kind = RecordKind::kSample;
  sample.event = 5;
  store.Take(sample);
  StoreMarks marks;
  EXPECT_TRUE(store.Since(marks).samples.empty());
}

TEST(AddressNames, OfTheKernelEndAtTheNext) {
  const auto names = AddressNames::FromKallsyms(
      "ffffffff81000000 T _text\nffffffff81000100 t second\n0000000000000000 T hidden\n"
      "ffffffff81000180 d data\nffffffffc0000000 t in_module [nf]\n");
  EXPECT_EQ(names.At(0xffffffff81000010)->name, "_text");
  EXPECT_EQ(names.At(0xffffffff81000190)->name, "second");
  EXPECT_EQ(names.At(0x10), nullptr);
}

TEST(AddressNames, OfGeneratedCodeHaveASize) {
  const auto names = AddressNames::FromPerfMap("7f00 10 Lazy:add one\nnot a line\n7f20 8 b\n");
  EXPECT_EQ(names.At(0x7f08)->name, "Lazy:add one");
  EXPECT_EQ(names.At(0x7f10), nullptr);
  EXPECT_EQ(names.At(0x7f21)->name, "b");
}

}  // namespace
}  // namespace tare::profile
