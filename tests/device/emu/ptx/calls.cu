// Calls: structures by value, recursion, function pointers, printf, assert, malloc, virtual functions.
// calls_sm80.ptx: --gpu-architecture=sm_80 -lineinfo; calls_debug.ptx: the same with -G.
struct Big {
  int v[20];
  double d;
  char c;
};
__device__ __noinline__ int leaf(int x) {
  return x * 3 + 1;
}
__device__ __noinline__ Big make(int x, Big b) {
  b.v[x & 15] += leaf(x);
  b.d *= 2;
  b.c = x;
  return b;
}
__device__ __noinline__ void out(int* p, int v) {
  if (v > 10) {
    *p = v;
    return;
  }
  *p = leaf(v) + leaf(v + 1);
}
__device__ __noinline__ bool flag(short s, signed char c, bool b, float f, double d, unsigned long long u, float4 v) {
  return s > c && b && f < d && u > 3 && v.x > v.w;
}
__device__ __noinline__ int fact(int n) {
  return n < 2 ? 1 : n * fact(n - 1);
}
__device__ int twice(int x) {
  return 2 * x;
}
__device__ int thrice(int x) {
  return 3 * x;
}
typedef int (*fn)(int);
__device__ fn table[2] = {twice, thrice};
extern "C" __global__ void caller(int* p, int n, double* d, float4* q) {
  Big b;
  for (int i = 0; i < 20; ++i) b.v[i] = p[i];
  b.d = d[0];
  b.c = 1;
  b = make(n, b);
  p[threadIdx.x] = b.v[n & 15];
  d[1] = b.d;
  out(p + 3, b.c);
  if (flag(n, n, n > 3, d[0], d[1], n, q[0])) out(p + 4, n);
  for (int i = 0; i < n; ++i) {
    p[i] = leaf(p[i]);
    if (p[i] > 4) out(p + i, i);
  }
}
extern "C" __global__ void recursive(int* p, int n) {
  p[0] = fact(n);
}
extern "C" __global__ void indirect(int* p, int n) {
  p[0] = table[n](n);
}
extern "C" __global__ void prints(int n, float f, double d, const char* s) {
  printf("hello\n");
  printf("%d %f %s %lld %c\n", n, f, "abc", (long long)n, 'x');
  int r = printf("%p", s);
  if (r > 0) printf("%*d %e", n, n, d);
}
extern "C" __global__ void asserts(int* p, int n) {
  assert(p[n] > 0 && "positive");
  p[0] = 1;
}
extern "C" __global__ void mallocs(int** p, int n) {
  p[0] = (int*)malloc(n);
  free(p[1]);
  p[2] = new int[4];
}
extern "C" __global__ void traps(int n) {
  if (n) __trap();
  __brkpt();
}
struct V {
  virtual __device__ int f(int);
  int k;
};
__device__ int V::f(int x) {
  return x + k;
}
struct W : V {
  __device__ int f(int) override;
};
__device__ int W::f(int x) {
  return x * k;
}
extern "C" __global__ void virt(V* v, int* p) {
  p[0] = v->f(p[1]);
  W w;
  w.k = 3;
  V* x = p[2] ? (V*)&w : v;
  p[3] = x->f(2);
}
