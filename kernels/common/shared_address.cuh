#pragma once
// Addresses in the shared window, as asynchronous copies, ldmatrix, mbarriers and wgmma want them. PTX ISA, "State Spaces:
// Shared State Space". Any thread calls it; no fence.

/// The address of a pointer to shared memory within the shared window, in bytes.
__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}
