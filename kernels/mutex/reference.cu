// What the records should be: before the reference every number goes into its record by four atomic operations.
#include "common/types.cuh"

extern "C" __global__ void forget(int* known, int CELLS) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (cell >= CELLS) return;
  known[4 * cell] = known[4 * cell + 1] = 0;
  known[4 * cell + 2] = 0x7fffffff;
  known[4 * cell + 3] = -0x7fffffff - 1;
}

extern "C" __global__ void meet_all(const int* cells, const int* X, int N, int* known) {
  const long long n = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (n >= N) return;
  int* record = known + 4LL * cells[n];
  atomicAdd(record, 1);
  atomicAdd(reinterpret_cast<unsigned*>(record + 1), static_cast<unsigned>(X[n]));
  atomicMin(record + 2, X[n]);
  atomicMax(record + 3, X[n]);
}

// One record for each index. Number j is index[j], or j when index is null.
extern "C" __global__ void reference(const int* known, const long long* index, long long count, ACC* value, ACC* scale) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= count) return;
  const long long cell = index == nullptr ? j : index[j];
  for (int i = 0; i < 4; ++i) {
    value[4 * j + i] = known[4 * cell + i];
    scale[4 * j + i] = 0;
  }
}
