// gpu_memory.cu: measures the memory of one NVIDIA GPU. Compiled by nvcc where there is one.
//
// Prints a line for each figure: name, unit, x or "-", and one sample for each round, parted by
// tabs. Rates are of bytes or accesses that the kernel requested.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kRounds = 9;
constexpr int kThreads = 256;
constexpr int kBatch = 8;
constexpr unsigned kPlaceBytes = 128;
constexpr unsigned kSharedWords = 8192;

void Check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Loads that no first-level cache answers (ld.global.cg). The sum is stored only when it has a
// value that it never has, so that no load can be left out.
__global__ void LoadStrideOne(const float4* data, std::uint64_t count, unsigned passes,
                              float* sink) {
  float sum = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (unsigned pass = 0; pass < passes; ++pass) {
#pragma unroll 4
    for (std::uint64_t i = first; i < count; i += step) {
      const float4 value = __ldcg(data + i);
      sum += value.x + value.y + value.z + value.w;
    }
  }
  if (sum == 12345.678f) *sink = sum;
}

__global__ void StoreStrideOne(float4* data, std::uint64_t count, unsigned passes) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (unsigned pass = 0; pass < passes; ++pass) {
    for (std::uint64_t i = first; i < count; i += step) {
      __stcg(data + i, make_float4(0, 0, 0, 0));
    }
  }
}

__global__ void LoadRandom(const std::uint64_t* data, std::uint64_t count, unsigned times,
                           std::uint64_t* sink) {
  std::uint64_t state = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) * 2 + 1;
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < times; ++i) {
#pragma unroll
    for (int j = 0; j < kBatch; ++j) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += __ldcg(data + __umul64hi(state, count));
    }
  }
  if (sum == 0x123456789abcdefu) *sink = sum;
}

// Goes on where it was, so that the next run meets other places.
__global__ void Chase(const std::uint64_t* data, unsigned times, std::uint64_t* where) {
  std::uint64_t at = *where;
  for (unsigned i = 0; i < times; ++i) at = __ldcg(data + at);
  *where = at;
}

__global__ void SharedLoad(unsigned times, bool random, unsigned* sink) {
  __shared__ unsigned words[kSharedWords];
  for (unsigned i = threadIdx.x; i < kSharedWords; i += blockDim.x) words[i] = 0;
  __syncthreads();
  const volatile unsigned* from = words;
  unsigned sum = 0;
  unsigned state = threadIdx.x * 2654435761u + 1;
  if (random) {
    for (unsigned i = 0; i < times; ++i) {
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
        state = state * 1664525u + 1013904223u;
        sum += from[state >> 19];
      }
    }
  } else {
    for (unsigned i = 0; i < times; ++i) {
#pragma unroll
      for (int j = 0; j < kBatch; ++j) {
        sum += from[(threadIdx.x + static_cast<unsigned>(j) * 1024) & (kSharedWords - 1)];
      }
    }
  }
  if (sum == 12345u) *sink = sum;
}

__global__ void SharedChase(unsigned times, unsigned* sink) {
  __shared__ unsigned next[1024];
  for (unsigned i = 0; i < 1024; ++i) next[i] = (i * 5 + 1) & 1023;
  __syncthreads();
  const volatile unsigned* from = next;
  unsigned at = 0;
  for (unsigned i = 0; i < times; ++i) at = from[at];
  *sink = at;
}

class Gpu {
 public:
  Gpu() {
    Check(cudaGetDeviceProperties(&facts_, 0));
    most_ = std::uint64_t{4} * static_cast<unsigned>(facts_.l2CacheSize);
    if (most_ < (std::uint64_t{256} << 20)) most_ = std::uint64_t{256} << 20;
    Check(cudaMalloc(&data_, most_));
    Check(cudaMemset(data_, 0, most_));
    Check(cudaMalloc(&ring_, most_));
    Check(cudaMalloc(&sink_, 64));
    Check(cudaMalloc(&where_, 64));
    Check(cudaEventCreate(&begin_));
    Check(cudaEventCreate(&end_));
  }

  void Print() {
    std::printf("model\t\t-\t%s\n", facts_.name);
    std::printf("multiprocessors\t\t-\t%d\n", facts_.multiProcessorCount);
    std::printf("L2 capacity\tB\t-\t%d\n", facts_.l2CacheSize);
    std::printf("memory capacity\tB\t-\t%llu\n",
                static_cast<unsigned long long>(facts_.totalGlobalMem));
    const std::uint64_t l2 = static_cast<unsigned>(facts_.l2CacheSize) / 4;
    for (int round = 0; round < kRounds; ++round) {
      Level("L2", l2);
      Level("global", most_);
      Shared();
      for (std::uint64_t bytes = std::uint64_t{1} << 20; bytes <= most_; bytes *= 2) {
        Add("GPU load bandwidth\tB/s\t" + std::to_string(bytes), LoadRate(bytes));
        Add("GPU latency\ts\t" + std::to_string(bytes), ChaseSeconds(bytes));
      }
    }
    for (const auto& [name, samples] : samples_) {
      std::printf("%s", name.c_str());
      for (const double sample : samples) std::printf("\t%.9g", sample);
      std::printf("\n");
    }
  }

 private:
  template <typename Work>
  double Seconds(Work work) {
    work();
    Check(cudaEventRecord(begin_));
    work();
    Check(cudaEventRecord(end_));
    Check(cudaEventSynchronize(end_));
    Check(cudaGetLastError());
    float milliseconds = 0;
    Check(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return static_cast<double>(milliseconds) * 1e-3;
  }

  void Add(const std::string& name, double sample) { samples_[name].push_back(sample); }

  int Blocks() const { return facts_.multiProcessorCount * 8; }

  static unsigned Passes(std::uint64_t bytes) {
    const std::uint64_t wanted = (std::uint64_t{2} << 30) / bytes;
    return static_cast<unsigned>(wanted == 0 ? 1 : wanted);
  }

  double LoadRate(std::uint64_t bytes) {
    const unsigned passes = Passes(bytes);
    const double seconds = Seconds([&] {
      LoadStrideOne<<<Blocks(), kThreads>>>(reinterpret_cast<const float4*>(data_), bytes / 16,
                                            passes, reinterpret_cast<float*>(sink_));
    });
    return static_cast<double>(bytes) * passes / seconds;
  }

  double StoreRate(std::uint64_t bytes) {
    const unsigned passes = Passes(bytes);
    const double seconds = Seconds([&] {
      StoreStrideOne<<<Blocks(), kThreads>>>(reinterpret_cast<float4*>(data_), bytes / 16, passes);
    });
    return static_cast<double>(bytes) * passes / seconds;
  }

  double RandomRate(std::uint64_t bytes) {
    constexpr unsigned kTimes = 64;
    const double seconds = Seconds([&] {
      LoadRandom<<<Blocks(), kThreads>>>(reinterpret_cast<const std::uint64_t*>(data_), bytes / 8,
                                         kTimes, reinterpret_cast<std::uint64_t*>(sink_));
    });
    return static_cast<double>(Blocks()) * kThreads * kTimes * kBatch / seconds;
  }

  // One random cycle through places of a line each.
  void GrowRing(std::uint64_t bytes) {
    if (ring_bytes_ == bytes) return;
    const std::uint64_t places = bytes / kPlaceBytes;
    constexpr std::uint64_t kWords = kPlaceBytes / 8;
    std::vector<std::uint64_t> words(places * kWords, 0);
    std::uint64_t state = 88172645463325252u;
    for (std::uint64_t i = 1; i < places; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      const std::uint64_t before = state % i * kWords;
      words[i * kWords] = words[before];
      words[before] = i * kWords;
    }
    Check(cudaMemcpy(ring_, words.data(), bytes, cudaMemcpyHostToDevice));
    Check(cudaMemset(where_, 0, 8));
    ring_bytes_ = bytes;
  }

  double ChaseSeconds(std::uint64_t bytes) {
    GrowRing(bytes);
    // What fits into the cache is there before the chase begins.
    LoadStrideOne<<<Blocks(), kThreads>>>(reinterpret_cast<const float4*>(ring_), bytes / 16, 2,
                                          reinterpret_cast<float*>(sink_));
    constexpr unsigned kTimes = 20000;
    const double seconds = Seconds([&] {
      Chase<<<1, 1>>>(reinterpret_cast<const std::uint64_t*>(ring_), kTimes,
                      reinterpret_cast<std::uint64_t*>(where_));
    });
    return seconds / kTimes;
  }

  void Level(const std::string& name, std::uint64_t bytes) {
    Add("GPU " + name + " load\tB/s\t-", LoadRate(bytes));
    Add("GPU " + name + " store\tB/s\t-", StoreRate(bytes));
    Add("GPU " + name + " random load\t1/s\t-", RandomRate(bytes));
  }

  void Shared() {
    constexpr unsigned kTimes = 4096;
    const int blocks = facts_.multiProcessorCount * 2;
    for (const bool random : {false, true}) {
      const double seconds = Seconds(
          [&] { SharedLoad<<<blocks, 1024>>>(kTimes, random, reinterpret_cast<unsigned*>(sink_)); });
      const double accesses = static_cast<double>(blocks) * 1024 * kTimes * kBatch;
      if (random) {
        Add("GPU shared random load\t1/s\t-", accesses / seconds);
      } else {
        Add("GPU shared load\tB/s\t-", accesses * 4 / seconds);
      }
    }
    constexpr unsigned kLinks = 200000;
    const double seconds =
        Seconds([&] { SharedChase<<<1, 1>>>(kLinks, reinterpret_cast<unsigned*>(sink_)); });
    Add("GPU shared latency\ts\t-", seconds / kLinks);
  }

  cudaDeviceProp facts_{};
  std::uint64_t most_ = 0;
  std::uint64_t ring_bytes_ = 0;
  void* data_ = nullptr;
  void* ring_ = nullptr;
  void* sink_ = nullptr;
  void* where_ = nullptr;
  cudaEvent_t begin_{};
  cudaEvent_t end_{};
  std::map<std::string, std::vector<double>> samples_;
};

}  // namespace

int main() { Gpu().Print(); }
