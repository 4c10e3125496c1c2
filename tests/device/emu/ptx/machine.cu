// Kernels of launch_test.cpp, for what the machine itself does: divergence, barriers, waiting, faults.
// machine.ptx is what NVRTC makes of this with --gpu-architecture=sm_80 -lineinfo.

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// Branches inside loops inside branches, with lanes that leave at different times.
extern "C" __global__ void diverge(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = in[i], steps = 0;
  while (x != 1 && steps < 500) {
    if (x % 2 == 0) {
      x /= 2;
    } else {
      x = 3 * x + 1;
      if (x % 7 == 0) steps += 1000 * (x % 3);
    }
    for (int k = 0; k < (x & 3); ++k) steps += k == 2 ? 5 : 1;
    ++steps;
  }
  switch (in[i] % 9) {
    case 0: steps += 3; break;
    case 1: steps *= 2; break;
    case 2: steps -= 7; break;
    case 3: steps ^= 0x55;
    case 4: steps += 11; break;
    case 5: steps = -steps; break;
    case 6: steps <<= 2; break;
    case 7: steps %= 13; break;
    default: steps |= 1;
  }
  out[i] = steps;
}

// Some threads have gone before the barrier.
extern "C" __global__ void early_exit(int* out, int n) {
  __shared__ int shared[256];
  const int t = threadIdx.x;
  if (t >= n) return;
  shared[t] = t * t;
  __syncthreads();
  out[blockIdx.x * blockDim.x + t] = shared[n - 1 - t];
}

extern "C" __global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[blockIdx.x * n + i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < (blockDim.x + 31) / 32 ? partial[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

// Inclusive prefix sum in one pass: each block waits for what the block before it has published.
extern "C" __global__ void look_back(const int* in, int* out, volatile int* sums, volatile int* flags, int* ticket) {
  __shared__ int scan[128];
  __shared__ int before, block;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
  __syncthreads();
  const int t = threadIdx.x, i = block * 128 + t;
  scan[t] = in[i];
  for (int d = 1; d < 128; d *= 2) {
    __syncthreads();
    const int add = t >= d ? scan[t - d] : 0;
    __syncthreads();
    scan[t] += add;
  }
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    if (block > 0) {
      while (flags[block - 1] == 0) {}
      __threadfence();
      sum = sums[block - 1];
    }
    before = sum;
    sums[block] = sum + scan[127];
    __threadfence();
    flags[block] = 1;
  }
  __syncthreads();
  out[i] = scan[t] + before;
}

// A lock among the lanes of one warp: who has it must be able to go on while the others spin.
extern "C" __global__ void spin_lock(int* lock, int* counter, int* order) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  const int c = *(volatile int*)counter;
  *(volatile int*)counter = c + 1;
  order[c] = threadIdx.x;
  __threadfence();
  atomicExch(lock, 0);
}

// One half of a warp waits for the other through shared memory.
extern "C" __global__ void handshake(int* out) {
  __shared__ volatile int box;
  if (threadIdx.x == 0) box = 0;
  __syncthreads();
  if (threadIdx.x % 32 < 16) {
    if (threadIdx.x == 0) {
      while (box != 1) {}
      box = 2;
    }
  } else if (threadIdx.x == 31) {
    box = 1;
    while (box != 2) {}
  }
  __syncwarp();
  out[threadIdx.x] = box + threadIdx.x;
}

// Each parity class of a warp exchanges among itself, at one instruction with two masks and in two branches.
extern "C" __global__ void partial_masks(int* out) {
  const int lane = threadIdx.x % 32;
  const unsigned mask = lane % 2 ? 0xaaaaaaaau : 0x55555555u;
  int x = __shfl_xor_sync(mask, lane * 10, 2);
  x += __popc(__ballot_sync(mask, lane < 8));
  if (lane < 12) {
    x += __reduce_add_sync(0xfffu, lane);
    __syncwarp(0xfffu);
  } else {
    x += 1000 * __reduce_max_sync(0xfffff000u, lane);
    __syncwarp(0xfffff000u);
  }
  const unsigned peers = __match_any_sync(0xffffffffu, lane / 5);
  x += __shfl_sync(peers, x, __ffs(peers) - 1);
  out[threadIdx.x] = x;
}

extern "C" __global__ void barrier_votes(const int* in, int* out) {
  const int x = in[threadIdx.x];
  const int count = __syncthreads_count(x > 3);
  const int all = __syncthreads_and(x > 0);
  const int any = __syncthreads_or(x > 90);
  out[threadIdx.x] = count * 100 + all * 10 + any;
}

// Two pairs of warps with a barrier each, then producer and consumer with arrive and sync.
extern "C" __global__ void named_barriers(int* out) {
  __shared__ int box[128];
  const int t = threadIdx.x, pair = t / 64;
  box[t] = t;
  asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
  int x = box[pair * 64 + 63 - t % 64];
  __syncthreads();
  if (t < 64) {
    box[t] = x + 1000;
    asm volatile("bar.arrive 5, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 5, 128;" ::: "memory");
    x += box[t - 64];
  }
  out[t] = x;
}

extern "C" __global__ void deadlock(int* out) {
  if (threadIdx.x < 64) {
    asm volatile("bar.sync 1, 128;" ::: "memory");
  }
  if (threadIdx.x < 96) asm volatile("bar.sync 2, 96;" ::: "memory");
  out[threadIdx.x] = 1;
}

extern "C" __global__ void endless(volatile int* flag) {
  if (blockIdx.x == 3) while (*flag == 0) {}
}

extern "C" __global__ void trap_at(int block, int thread) {
  if (blockIdx.x >= block && threadIdx.x == thread) __trap();
}

extern "C" __global__ void store_at(char* p, long long offset) {
  if (threadIdx.x == 5) *(int*)(p + offset) = 1;
}

// What was never written shows as NaN.
extern "C" __global__ void unwritten(float* out) {
  extern __shared__ float shared[];
  if (threadIdx.x != 7) shared[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = shared[threadIdx.x];
}

extern "C" __global__ void local_array(const int* in, int* out, int n) {
  int a[24];
  for (int k = 0; k < 24; ++k) a[k] = in[k] * (threadIdx.x + 1);
  int x = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    const int j = (x ^ k) % 24;
    x = (a[j] + k) & 0xffff;
    a[(j + 5) % 24] = x;
  }
  out[threadIdx.x] = x;
}

extern "C" __global__ void clocks(long long* out) {
  const long long a = clock64();
  int x = threadIdx.x;
  for (int k = 0; k < 10; ++k) x = x * 3 + 1;
  out[2 * threadIdx.x] = clock64() - a;
  out[2 * threadIdx.x + 1] = x;
}

extern "C" int printf(const char*, ...);
extern "C" __global__ void prints(float x) {
  if (threadIdx.x % 16 == 3) printf("%d of block %u: %5.2f|%-6d|%lld %s %c %x %%\n", threadIdx.x, blockIdx.x, x, 42, -5ll, "text", 'k', 255);
}

extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
extern "C" __global__ void asserts(int limit) {
  if (threadIdx.x > limit) __assertfail("x <= limit", "machine.cu", 17, "asserts", 1);
}
