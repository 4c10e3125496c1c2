#pragma once
// out[i] = f(in[i], ...) over any number of elements, at the speed of memory: packets of WIDTH elements, FLIGHT of them
// of each input on their way to a thread at once, a grid of any size that strides over the whole. The includer defines
// THREADS. Tensors begin at multiples of 16 bytes, and WIDTH elements of the widest type are no more than those.
#include "common/elementwise/packet.cuh"

/// FLIGHT packets, THREADS apart.
template <typename T, int WIDTH, int FLIGHT>
struct Held {
  Packet<T, WIDTH> at[FLIGHT];
};

/// f(fp32, ...) of every element of the packets, rounded to Out.
template <typename Out, int WIDTH, typename Function, typename... In>
__device__ __forceinline__ Packet<Out, WIDTH> map_packet(const Function& f, const Packet<In, WIDTH>&... in) {
  float y[WIDTH];
  const auto apply = [&](const auto&... x) {
#pragma unroll
    for (int e = 0; e < WIDTH; ++e) y[e] = f(x.at[e]...);
  };
  struct Floats {
    float at[WIDTH];
  };
  const auto floats = [](const auto& packet) {
    Floats x;
    unpack(packet, x.at);
    return x;
  };
  apply(floats(in)...);
  return packet_of<Out>(y);
}

/// Of what type places are: of a count in 32 bits they need no more.
template <typename Count> struct PlaceOf { using Type = unsigned; };
template <> struct PlaceOf<long long> { using Type = long long; };

/// out[i] = f(in[i], ...) for 0 <= i < count, f from fp32 to fp32. Every thread of the grid calls it. `count` is a long
/// long, or an int (then a grid has no more than one tile a block beyond it). The elements behind the last whole packet
/// are mapped by the first threads of block 0.
template <int WIDTH, int FLIGHT, typename Count, typename Out, typename Function, typename... In>
__device__ __forceinline__ void map_elements(Function f, Count count, Out* out, const In*... in) {
  using Place = typename PlaceOf<Count>::Type;
  constexpr Place kTile = static_cast<Place>(THREADS) * FLIGHT;
  auto* to = reinterpret_cast<Packet<Out, WIDTH>*>(out);
  const Place packets = static_cast<Place>(static_cast<unsigned long long>(count) / WIDTH);

  const auto map_tile = [&](Place first, auto inside, Held<In, WIDTH, FLIGHT>... held) {
    const long long place = first;
#pragma unroll
    for (int u = 0; u < FLIGHT; ++u)
      if (inside(u))
        ((held.at[u] = reinterpret_cast<const Packet<In, WIDTH>*>(in)[place + u * THREADS]), ...);
#pragma unroll
    for (int u = 0; u < FLIGHT; ++u)
      if (inside(u)) to[place + u * THREADS] = map_packet<Out, WIDTH>(f, held.at[u]...);
  };

  Place first = blockIdx.x * kTile + threadIdx.x;
  for (; first + (FLIGHT - 1) * THREADS < packets; first += gridDim.x * kTile)
    map_tile(first, [](int) { return true; }, Held<In, WIDTH, FLIGHT>()...);
  // At most one tile hangs over the end for each thread.
  if (FLIGHT > 1 && first < packets)
    map_tile(first, [&](int u) { return first + u * THREADS < packets; }, Held<In, WIDTH, FLIGHT>()...);

  if (WIDTH == 1 || blockIdx.x != 0) return;
  const Place rest = packets * WIDTH + threadIdx.x;
  if (rest < static_cast<Place>(count)) out[rest] = from_float<Out>(f(to_float(in[rest])...));
}
