#pragma once
// Absorbs the difference between Catch2 v2 (Debian 12) and v3.
#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
#endif
