#pragma once
// Number types for kernels compiled by NVRTC without any CUDA header. DTYPE is defined to one of these per problem.
