#include "compile/host_headers.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/hash.h"

namespace kerlab::compile {
namespace {

constexpr const char* kIntegers =
    "#ifndef INT32_MAX\n#define INT8_MAX 127\n#define INT16_MAX 32767\n#define INT32_MAX 2147483647\n"
    "#define INT64_MAX 9223372036854775807ll\n#define UINT8_MAX 255\n#define UINT16_MAX 65535\n"
    "#define UINT32_MAX 4294967295u\n#define UINT64_MAX 18446744073709551615ull\n#define INT8_MIN (-INT8_MAX - 1)\n"
    "#define INT16_MIN (-INT16_MAX - 1)\n#define INT32_MIN (-INT32_MAX - 1)\n#define INT64_MIN (-INT64_MAX - "
    "1)\n#endif\n";

constexpr const char* kLimits =
    "#pragma once\n#ifndef INT_MAX\n#define CHAR_BIT 8\n#define SCHAR_MAX 127\n#define UCHAR_MAX 255\n"
    "#define SHRT_MAX 32767\n#define USHRT_MAX 65535\n#define INT_MAX 2147483647\n#define UINT_MAX 4294967295u\n"
    "#define LONG_MAX 9223372036854775807l\n#define ULONG_MAX 18446744073709551615ul\n"
    "#define LLONG_MAX 9223372036854775807ll\n#define ULLONG_MAX 18446744073709551615ull\n#define INT_MIN (-INT_MAX - "
    "1)\n"
    "#define LONG_MIN (-LONG_MAX - 1)\n#define LLONG_MIN (-LLONG_MAX - 1)\n#endif\n";

constexpr const char* kFloat =
    "#pragma once\n#ifndef FLT_MAX\n#define FLT_MAX 3.402823466e+38f\n#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n#define FLT_DIG 6\n#define DBL_MAX 1.7976931348623157e+308\n"
    "#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.2204460492503131e-16\n#define DBL_DIG 15\n#endif\n";

constexpr const char* kMath =
    "#pragma once\n#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\n"
    "#ifndef NAN\n#define NAN __int_as_float(0x7fffffff)\n#endif\n"
    "#ifndef HUGE_VALF\n#define HUGE_VALF INFINITY\n#endif\n#ifndef M_PI\n#define M_E 2.71828182845904523536\n"
    "#define M_LOG2E 1.44269504088896340736\n#define M_LN2 0.693147180559945309417\n#define M_PI "
    "3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n#define M_PI_4 0.785398163397448309616\n#define M_1_PI "
    "0.318309886183790671538\n"
    "#define M_2_PI 0.636619772367581343076\n#define M_2_SQRTPI 1.12837916709551257390\n"
    "#define M_SQRT2 1.41421356237309504880\n#define M_SQRT1_2 0.707106781186547524401\n#endif\n";

// A false one stops the kernel, which every device reports.
constexpr const char* kAssert =
    "#undef assert\n#ifdef NDEBUG\n#define assert(condition) ((void)0)\n#else\n"
    "#define assert(condition) ((condition) ? (void)0 : __trap())\n#endif\n";

// The driver API is the host's; of its types kernels take one.
constexpr const char* kDriver =
    "#pragma once\ntypedef struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; } CUtensorMap;\n";

// Of libcu++, by their names in std.
constexpr std::array kForwarded = {"array",    "bit",     "complex", "concepts",   "cstddef",          "functional",
                                   "iterator", "limits",  "numeric", "optional",   "initializer_list", "ratio",
                                   "tuple",    "utility", "variant", "type_traits"};

// Of newer libcu++ as well; where it is older, an empty header.
constexpr std::array kForwardedWhereThere = {"atomic", "barrier", "bitset", "chrono",    "expected",        "latch",
                                             "mdspan", "numbers", "ranges", "semaphore", "source_location", "span"};

// Of the host alone. Header libraries include them beside code that no device compiler sees.
constexpr std::array kEmpty = {"ctime",         "exception", "fstream", "iomanip",  "ios",       "iosfwd",
                               "iostream",      "istream",   "list",    "map",      "memory",    "mutex",
                               "ostream",       "random",    "set",     "sstream",  "string",    "stdexcept",
                               "string_view",   "thread",    "time.h",  "typeinfo", "typeindex", "unordered_map",
                               "unordered_set", "vector"};

// printf, malloc, memcpy and the like are built in.
constexpr std::array kBuiltIn = {"cstdio",  "cstdlib",  "cstring",  "stdbool.h",
                                 "stdio.h", "stdlib.h", "string.h", "version"};

/// std's own names (NVRTC has a few built in) go before those of a using-directive.
std::string forwarded(const std::string& name) {
  return "#pragma once\n#include <cuda/std/" + name + ">\nnamespace std { using namespace cuda::std; }\n";
}

std::string forwarded_where_there(const std::string& name) {
  return "#pragma once\n#if __has_include(<cuda/std/" + name + ">)\n#include <cuda/std/" + name +
         ">\nnamespace std { using namespace cuda::std; }\n#endif\n";
}

std::vector<HostHeader> make_headers() {
  const std::string integers = forwarded("cstdint") + kIntegers;
  std::vector<HostHeader> headers = {{"algorithm", forwarded("__algorithm_")},
                                     {"assert.h", kAssert},
                                     {"cassert", kAssert},
                                     {"cfloat", kFloat},
                                     {"climits", kLimits},
                                     {"cmath", "#include <math.h>\n" + forwarded("cmath")},
                                     {"cinttypes", "#include <stdint.h>\n"},
                                     {"cstdint", integers},
                                     {"cuda.h", kDriver},
                                     {"float.h", kFloat},
                                     {"inttypes.h", "#include <stdint.h>\n"},
                                     {"limits.h", kLimits},
                                     {"math.h", kMath},
                                     {"new", forwarded_where_there("__new_")},
                                     {"stddef.h", forwarded("cstddef")},
                                     {"stdint.h", integers}};
  for (const char* name : kForwarded) headers.push_back({name, forwarded(name)});
  for (const char* name : kForwardedWhereThere) headers.push_back({name, forwarded_where_there(name)});
  for (const char* name : kEmpty) headers.push_back({name, "#pragma once\n"});
  for (const char* name : kBuiltIn) headers.push_back({name, "#pragma once\n"});
  std::ranges::sort(headers, {}, &HostHeader::name);
  return headers;
}

}  // namespace

std::span<const HostHeader> host_headers() {
  static const std::vector<HostHeader> headers = make_headers();
  return headers;
}

const std::string& host_headers_digest() {
  static const std::string digest = [] {
    FieldHasher hasher;
    for (const HostHeader& header : host_headers()) hasher.field("header", header.name).field("text", header.text);
    return hasher.hex();
  }();
  return digest;
}

}  // namespace kerlab::compile
