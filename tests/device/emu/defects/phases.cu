// mbarriers as barriers of the block: who is ordered by a wait. 64 threads.
#include "hopper.cuh"

// Every thread arrives and waits, and then goes to what another lane or another warp has.
CASE own(const float* in, float* out, unsigned*, int) {
  __shared__ float tile[64];
  __shared__ unsigned long long bar;
  const int t = threadIdx.x, other = C < 3 ? t ^ 31 : 63 - t;
  if (t == 0) INIT(&bar, 64);
  __syncthreads();
  tile[t] = in[t];
  ARRIVE(&bar);
  if (C != 1 && (C != 2 || t % 2 == 0)) WAIT(&bar, 0);
  const float q = tile[other];  // found: 1 2
  ARRIVE(&bar);
  if (C == 1 || C == 2) __syncthreads();
  WAIT(&bar, 1);
  tile[other] = q * 2;
  ARRIVE(&bar);
  WAIT(&bar, 0);
  out[t] = tile[t];
}
KERNEL(own, 0)
KERNEL(own, 1)
KERNEL(own, 2)
KERNEL(own, 3)

// One lane arrives for its warp.
CASE elected(const float* in, float* out, unsigned*, int) {
  __shared__ float tile[64];
  __shared__ unsigned long long bar;
  const int t = threadIdx.x, other = C == 2 ? t ^ 31 : 63 - t;
  if (t == 0) INIT(&bar, 2);
  __syncthreads();
  tile[t] = in[t];  // found: 1
  __syncwarp();
  if (t % 32 == 0) ARRIVE(&bar);
  if (C != 1 || t < 32) WAIT(&bar, 0);
  const float q = tile[other];
  __syncwarp();
  if (t % 32 == 0) ARRIVE(&bar);
  WAIT(&bar, 1);
  tile[other] = q * 2;
  __syncthreads();
  out[t] = tile[t];
}
KERNEL(elected, 0)
KERNEL(elected, 1)
KERNEL(elected, 2)

// Lanes of a warp wait at different places.
CASE apart(const float* in, float* out, unsigned*, int) {
  __shared__ float tile[64];
  __shared__ unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) INIT(&bar, 64);
  __syncthreads();
  tile[t] = in[t];
  ARRIVE(&bar);
  float q;
  if (t % 4 == 1) {
    WAIT(&bar, 0);
    q = tile[63 - t] + tile[t ^ 31];
  } else {
    if (C != 1) WAIT(&bar, 0);
    q = tile[63 - t] * tile[t ^ 31];  // found: 1
  }
  out[t] = q;
}
KERNEL(apart, 0)
KERNEL(apart, 1)

// volatile orders nothing; what a loop waits for is no data.
CASE polled(const float* in, float* out, unsigned*, int) {
  __shared__ volatile float tile[64];
  __shared__ volatile unsigned flag;
  __shared__ unsigned long long bar;
  const int t = threadIdx.x;
  if (t == 0) {
    INIT(&bar, 64);
    flag = 0;
  }
  __syncthreads();
  tile[t] = in[t];
  ARRIVE(&bar);
  if (C != 1) WAIT(&bar, 0);
  float q = tile[63 - t];  // found: 1
  if (C == 1) WAIT(&bar, 0);
  ARRIVE(&bar);
  if (C != 2) WAIT(&bar, 1);
  tile[C == 2 ? t : 63 - t] = q * 2;  // found: 2
  __syncthreads();
  q = tile[t];
  __syncthreads();
  tile[t] = q * 3;
  if (t < 32) {
    __syncwarp();
    if (t == 0) {
      __threadfence_block();
      flag = 1;
    }
  } else {
    if (t == 32)
      while (flag == 0) {
      }
    __syncwarp();
    __threadfence_block();
    q += tile[t - 32];
  }
  out[t] = q;
}
KERNEL(polled, 0)
KERNEL(polled, 1)
KERNEL(polled, 2)

// One lane of each warp waits for what never comes, at one line; the others wait for that lane.
CASE stuck(const float* in, float* out, unsigned*, int) {
  __shared__ unsigned long long full, empty;
  const int t = threadIdx.x;
  if (t == 0) INIT(&full, 1);
  if (t == 0) INIT(&empty, 1);
  __syncthreads();
  if (t == 0 && C == 0) ARRIVE(&full);
  if (t == 0 && C == 0) ARRIVE(&empty);
  const auto wait_for = [](unsigned long long* bar) { WAIT(bar, 0); };  // found: 1
  if (t % 32 == 0) wait_for(t == 0 ? &full : &empty);
  __syncwarp();
  out[t] = in[t];
}
KERNEL(stuck, 0)
KERNEL(stuck, 1)
