// step_recorder.cc: turns executed instructions into blocks of a trace.
#include "measure/events/step_recorder.h"

#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace tare::events {
namespace {

class StepRecorder {
 public:
  StepRecorder(TraceBuilder& builder, Content content, RecordedBlocks& recorded)
      : builder_(builder), content_(content), recorded_(recorded) {}

  void Take(const engine::SteppedInstruction& step) {
    const std::pair origin(step.process, step.generation);
    std::vector<std::uint32_t>& numbers = numbers_[origin];
    if (numbers.size() <= step.block) numbers.resize(step.block + 1, format::kNoBlock);
    std::uint32_t& number = numbers[step.block];
    if (number == format::kNoBlock) {
      number = builder_.BlockNumber(BlockOf(step));
      recorded_[origin].emplace_back(step.block, number);
    }
    builder_.SetThread(builder_.ThreadNumber({step.process, step.thread, step.generation}));
    builder_.AddBlock(number, {});
    if (++steps_ % kStepsPerLook == 0) builder_.Pause();
  }

 private:
  // A step takes microseconds.
  static constexpr std::uint64_t kStepsPerLook = 1024;

  format::TraceBlock BlockOf(const engine::SteppedInstruction& step) const {
    format::TraceBlock made;
    made.address = step.address;
    made.code_bytes = static_cast<std::uint32_t>(step.code.size());
    made.instructions = 1;
    made.end = step.instruction.repeated ? format::BlockEnd::kUnknown
                                         : EndOfBlock(step.instruction.branch);
    if (content_ == Content::kInstructions)
      made.code.assign(reinterpret_cast<const char*>(step.code.data()), step.code.size());
    return made;
  }

  TraceBuilder& builder_;
  Content content_;
  RecordedBlocks& recorded_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::uint32_t>> numbers_;
  std::uint64_t steps_ = 0;
};

}  // namespace

engine::OnStep RecordSteps(TraceBuilder& builder, Content content, RecordedBlocks& blocks) {
  const auto recorder = std::make_shared<StepRecorder>(builder, content, blocks);
  return [recorder](const engine::SteppedInstruction& step) { recorder->Take(step); };
}

}  // namespace tare::events
