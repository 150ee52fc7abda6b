// series_summary.cc: computes all statistics in one pass with online algorithms.
#include "format/series_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "format/series_quantiles.h"

namespace tare::format {
namespace {

// Limits for all channels together.
constexpr std::size_t kMaxKeptNumbers = 1u << 21;
constexpr std::size_t kMaxBuckets = 1u << 19;

// B. P. Welford, "Note on a method for calculating corrected sums of squares and products",
// Technometrics 4, 1962.
class Moments {
 public:
  // `width` is the duration of the interval to which a rate applies.
  void Add(double number, double width) {
    ++count_;
    if (number < smallest_) {
      smallest_ = number;
      smallest_width_ = width;
    }
    if (number > largest_) {
      largest_ = number;
      largest_width_ = width;
    }
    const double before = number - mean_;
    mean_ += before / static_cast<double>(count_);
    squares_ += before * (number - mean_);
  }
  std::uint64_t Count() const { return count_; }
  double Smallest() const { return smallest_; }
  double Largest() const { return largest_; }
  double SmallestWidth() const { return smallest_width_; }
  double LargestWidth() const { return largest_width_; }
  std::optional<double> Mean() const { return count_ > 0 ? std::optional(mean_) : std::nullopt; }
  std::optional<double> Deviation() const {
    if (count_ < 2) return std::nullopt;
    return std::sqrt(squares_ / static_cast<double>(count_ - 1));
  }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();
  double largest_ = -std::numeric_limits<double>::infinity();
  double smallest_width_ = 0;
  double largest_width_ = 0;
};

struct Bucket {
  std::uint64_t figures = 0;
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;  // sum of figures times their weights
  double weight = 0;

  void Add(double figure, double its_weight) {
    ++figures;
    smallest = std::min(smallest, figure);
    largest = std::max(largest, figure);
    sum += figure * its_weight;
    weight += its_weight;
  }
  void Merge(const Bucket& other) {
    figures += other.figures;
    smallest = std::min(smallest, other.smallest);
    largest = std::max(largest, other.largest);
    sum += other.sum;
    weight += other.weight;
  }
};

// Buckets of time since the first record. While the trace is longer than all buckets, pairs are
// merged.
class Buckets {
 public:
  void MergePairs() {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      Bucket moved = std::exchange(buckets_[i], Bucket{});
      if (i % 2 == 0) {
        buckets_[i / 2] = moved;
      } else {
        buckets_[i / 2].Merge(moved);
      }
    }
    buckets_.resize((buckets_.size() + 1) / 2);
  }

  void AddAt(std::uint64_t time, std::uint64_t width, double figure) {
    At(time / width).Add(figure, 1);
  }

  // Adds the figure to each bucket that overlaps (from, to), weighted by the length of the overlap.
  void AddBetween(std::uint64_t from, std::uint64_t to, std::uint64_t width, double figure) {
    for (std::uint64_t place = from; place < to;) {
      const std::uint64_t index = place / width;
      const std::uint64_t rest = width - place % width;
      const std::uint64_t part = std::min(rest, to - place);
      At(index).Add(figure, static_cast<double>(part));
      place += part;
    }
  }

  std::vector<BucketSummary> Summaries() const {
    std::vector<BucketSummary> summaries;
    for (const Bucket& bucket : buckets_) {
      if (bucket.figures == 0) {
        summaries.emplace_back();
      } else {
        summaries.push_back(
            {bucket.figures, bucket.smallest, bucket.sum / bucket.weight, bucket.largest});
      }
    }
    return summaries;
  }

 private:
  Bucket& At(std::uint64_t index) {
    if (index >= buckets_.size()) buckets_.resize(static_cast<std::size_t>(index) + 1);
    return buckets_[static_cast<std::size_t>(index)];
  }

  std::vector<Bucket> buckets_;
};

struct Sample {
  std::uint64_t time;
  std::int64_t value;
};

// The state of one channel so far.
struct Course {
  Course(ChannelKind its_kind, std::size_t room) : kind(its_kind), quantiles(room) {}

  ChannelKind kind;
  StreamQuantiles quantiles;
  Moments moments;
  Buckets buckets;
  std::uint64_t values = 0;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::int64_t largest = std::numeric_limits<std::int64_t>::min();
  std::optional<Sample> first;
  Sample last{};
  Sample interval_start{};  // start of the interval whose rate is not known yet
};

double RateBetween(const Sample& from, const Sample& to, double rate_unit) {
  // Subtracts as integers, so that differences of large totals are exact before they are rounded.
  const auto more = static_cast<std::uint64_t>(std::max(from.value, to.value)) -
                    static_cast<std::uint64_t>(std::min(from.value, to.value));
  const double happened = static_cast<double>(more) * (to.value < from.value ? -1 : 1);
  return happened * rate_unit / static_cast<double>(to.time - from.time);
}

class Summing {
 public:
  Summing(const SeriesHead& head, const SeriesSummaryOptions& options)
      : options_(options),
        head_(head),
        rate_unit_(head.clock == "ns"             ? 1e9
                   : head.clock == "instructions" ? 1e3
                                                  : 1),
        max_buckets_(options.max_buckets) {}

  void Take(const RecordColumns& columns) {
    while (courses_.size() < columns.Channels()) AddCourse();
    TakeTimes(columns.Times());
    for (std::size_t c = 0; c < columns.Channels(); ++c) {
      for (std::size_t i = 0; i < columns.Records(); ++i) {
        if (const auto value = columns.Value(i, c)) {
          TakeValue(courses_[c], {columns.Times()[i] - first_time_, *value});
        }
      }
    }
  }

  SeriesSummary Finish(SeriesOutcome outcome) {
    SeriesSummary summary;
    summary.records = records_;
    summary.first_time = first_time_;
    summary.last_time = last_time_;
    summary.mean_interval = intervals_.Mean();
    summary.interval_deviation = intervals_.Deviation();
    if (intervals_.Count() > 0) {
      summary.smallest_interval = smallest_interval_;
      summary.largest_interval = largest_interval_;
    }
    summary.rate_unit = rate_unit_;
    summary.bucket_width = width_;
    while (courses_.size() < head_.channels.size()) AddCourse();
    for (Course& course : courses_) summary.channels.push_back(Finished(course));
    summary.outcome = std::move(outcome);
    return summary;
  }

 private:
  // Assigns half of the remaining capacity to the known channels, because others may be added.
  void AddCourse() {
    const std::size_t to_come = head_.channels.size() - courses_.size();
    const std::size_t room = std::clamp<std::size_t>(numbers_left_ / 2 / to_come, 64, 16384);
    numbers_left_ -= std::min(numbers_left_, room);
    courses_.emplace_back(head_.channels[courses_.size()].kind, room);
    while (max_buckets_ > 2 && max_buckets_ * courses_.size() > kMaxBuckets) max_buckets_ /= 2;
  }

  void TakeTimes(std::span<const std::uint64_t> times) {
    for (const std::uint64_t time : times) {
      if (records_++ == 0) {
        first_time_ = time;
      } else {
        const std::uint64_t interval = time - last_time_;
        intervals_.Add(static_cast<double>(interval), 0);
        smallest_interval_ = std::min(smallest_interval_, interval);
        largest_interval_ = std::max(largest_interval_, interval);
      }
      last_time_ = time;
    }
    while ((last_time_ - first_time_) / width_ >= max_buckets_) {
      width_ *= 2;
      for (Course& course : courses_) course.buckets.MergePairs();
    }
  }

  void TakeValue(Course& course, const Sample& sample) {
    ++course.values;
    course.smallest = std::min(course.smallest, sample.value);
    course.largest = std::max(course.largest, sample.value);
    course.last = sample;
    if (!course.first) course.first = course.interval_start = sample;
    if (course.kind == ChannelKind::kLevel) {
      const auto level = static_cast<double>(sample.value);
      AddFigure(course, level, 0);
      course.buckets.AddAt(sample.time, width_, level);
      return;
    }
    // Records with the same time form one interval with the next record.
    if (sample.time == course.interval_start.time) return;
    const double rate = RateBetween(course.interval_start, sample, rate_unit_);
    AddFigure(course, rate, static_cast<double>(sample.time - course.interval_start.time));
    course.buckets.AddBetween(course.interval_start.time, sample.time, width_, rate);
    course.interval_start = sample;
  }

  static void AddFigure(Course& course, double figure, double width) {
    course.moments.Add(figure, width);
    course.quantiles.Add(figure);
  }

  ChannelSummary Finished(Course& course) const {
    ChannelSummary summary;
    summary.values = course.values;
    summary.missing = records_ - course.values;
    if (!course.first) return summary;
    summary.first = course.first->value;
    summary.last = course.last.value;
    summary.smallest = course.smallest;
    summary.largest = course.largest;
    if (course.kind == ChannelKind::kTotal && course.last.time > course.first->time) {
      summary.overall_rate = RateBetween(*course.first, course.last, rate_unit_);
    }
    const Moments& moments = course.moments;
    summary.figures = moments.Count();
    if (summary.figures == 0) return summary;
    summary.mean = moments.Mean();
    summary.deviation = moments.Deviation();
    summary.smallest_figure = moments.Smallest();
    summary.largest_figure = moments.Largest();
    summary.smallest_width = moments.SmallestWidth();
    summary.largest_width = moments.LargestWidth();
    for (const double share : options_.quantiles) {
      summary.quantiles.push_back(
          std::clamp(course.quantiles.Quantile(share), moments.Smallest(), moments.Largest()));
    }
    summary.quantile_error = course.quantiles.RelativeError();
    summary.buckets = course.buckets.Summaries();
    return summary;
  }

  const SeriesSummaryOptions& options_;
  const SeriesHead& head_;
  double rate_unit_;
  std::size_t max_buckets_;  // at least 2, so that the width is at most 2^63
  std::size_t numbers_left_ = kMaxKeptNumbers;
  std::uint64_t width_ = 1;
  std::uint64_t records_ = 0;
  std::uint64_t first_time_ = 0;
  std::uint64_t last_time_ = 0;
  Moments intervals_;
  std::uint64_t smallest_interval_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t largest_interval_ = 0;
  std::vector<Course> courses_;
};

}  // namespace

SeriesSummary SummariseSeries(SeriesReader& reader, const SeriesSummaryOptions& options) {
  CHECK(options.max_buckets >= 2);
  Summing summing(reader.Head(), options);
  while (const RecordColumns* columns = reader.Next()) summing.Take(*columns);
  return summing.Finish(reader.Outcome());
}

}  // namespace tare::format
