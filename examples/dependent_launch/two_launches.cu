// The second launch is short: what it costs is its start. With PDL its blocks come to the SMs while the first launch's
// last ones run, and have read what does not depend on these when they end.

/// The launch that comes next may begin when every block has been here, or has ended. No promise goes with it: nothing
/// that this launch writes, before or after it, is visible there before that one waits. cudaTriggerProgrammaticLaunchCompletion().
__device__ __forceinline__ void let_next_begin() {
#if PDL
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// The launch before this one has ended, and what it wrote is visible. cudaGridDependencySynchronize().
__device__ __forceinline__ void wait_for_last() {
#if PDL
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

extern "C" __global__ void __launch_bounds__(128)
add_parts(const float* __restrict__ X, float* __restrict__ parts, int M, int N) {
  let_next_begin();
  const int column = static_cast<int>(blockIdx.x) * 128 + static_cast<int>(threadIdx.x);
  if (column >= N) return;
  float sum = 0;
  for (int row = static_cast<int>(blockIdx.y); row < M; row += SPLIT)
    sum += X[static_cast<long long>(row) * N + column];
  parts[static_cast<long long>(blockIdx.y) * N + column] = sum;
}

// parts is not __restrict__: a compiler may have loads of what nobody writes come before the wait.
extern "C" __global__ void __launch_bounds__(128) add_up(const float* parts, const float* w, float* s, int N) {
  const int column = static_cast<int>(blockIdx.x) * 128 + static_cast<int>(threadIdx.x);
  if (column >= N) return;
  const float weight = w[column];  // an input: no launch writes it
  wait_for_last();
  float sum = 0;
  for (int part = 0; part < SPLIT; ++part) sum += parts[static_cast<long long>(part) * N + column];
  s[column] = weight * sum;
}
