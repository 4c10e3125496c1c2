// What is lost on the way through a number format, by block size, format of the scale and outliers:
//   g++ -std=c++17 -O2 main.cpp -o number_formats && ./number_formats
// Ends with 1 if one of the statements that it prints below the table does not hold.

#include <cstdio>
#include <cstdlib>

#include "formats.h"
#include "numbers.h"

namespace {

using namespace number_formats;

/// Root of the mean over the numbers that are no outliers of (error / the number's row's rms without them)^2, in
/// percent: so that neither an outlier nor a large row hides what became of the others.
double error_of(const Numbers& numbers, const Format& format) {
  const std::vector<double> y = through(numbers.x, format);
  double sum = 0;
  for (std::size_t row = 0; row < kCount; row += kColumns) {
    double squares = 0, errors = 0;
    for (std::size_t i = row; i < row + kColumns; ++i) {
      if (numbers.outlier[i]) continue;
      squares += numbers.x[i] * numbers.x[i];
      errors += (y[i] - numbers.x[i]) * (y[i] - numbers.x[i]);
    }
    sum += errors / squares;
  }
  return 100 * std::sqrt(sum / (kCount / kColumns));
}

std::vector<Format> formats() {
  return {{"", kInt8, 0, Scale::fp32},
          {"", kInt8, kColumns, Scale::fp32},
          {"", kInt8, 128, Scale::fp32},
          {"", kE4m3, 0, Scale::fp32},
          {"", kE4m3, kColumns, Scale::fp32},
          {"", kE4m3, 128, Scale::fp32},
          {"", kE4m3, 32, Scale::fp32},
          {"MXFP8", kE4m3, 32, Scale::power_down},
          {"", kE4m3, 32, Scale::power_up},
          {"", kE5m2, 32, Scale::power_down},
          {"", kE2m1, 128, Scale::fp32},
          {"", kE2m1, 32, Scale::fp32},
          {"MXFP4", kE2m1, 32, Scale::power_down},
          {"", kE2m1, 32, Scale::power_up},
          {"", kE2m1, 32, Scale::e4m3},
          {"", kE2m1, 16, Scale::fp32},
          {"", kE2m1, 16, Scale::power_down},
          {"NVFP4", kE2m1, 16, Scale::e4m3}};
}

std::string words_of(std::size_t block) {
  return block == 0 ? "tensor" : block == kColumns ? "row" : std::to_string(block);
}

/// The table, and what was written in it: errors[format][numbers].
std::vector<std::vector<double>> print_table(const std::vector<Format>& rows, const std::vector<Numbers>& data) {
  std::printf("%-6s %-9s %-7s %-10s %5s", "", "elements", "block", "scale", "bits");
  for (const Numbers& numbers : data) std::printf(" %10s", numbers.name.c_str());
  std::printf("\n");
  std::vector<std::vector<double>> errors;
  for (const Format& format : rows) {
    std::printf("%-6s %-9s %-7s %-10s %5.2f", format.name.c_str(), format.elements.name.c_str(),
                words_of(format.block).c_str(), name_of(format.scale), bits_of(format));
    errors.emplace_back();
    for (const Numbers& numbers : data) {
      errors.back().push_back(error_of(numbers, format));
      std::printf(" %9.2f%%", errors.back().back());
    }
    std::printf("\n");
  }
  return errors;
}

/// Every number of the type, by its definition.
std::vector<double> all_of(const Elements& type) {
  std::vector<double> all = {0};
  for (int exponent = type.least; all.back() < type.largest; ++exponent)
    for (int i = exponent == type.least ? 1 : 1 << type.fraction; i < 2 << type.fraction && all.back() < type.largest;
         ++i)
      all.push_back(std::ldexp(i, exponent - type.fraction));
  return all;
}

/// rounded() against a search among all numbers of the type; they are in order, and every other one is even.
bool rounds_to_nearest(const Elements& type) {
  const std::vector<double> all = all_of(type);
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const double middle = (all[i] + all[i + 1]) / 2, even = all[i % 2 == 0 ? i : i + 1];
    const double beside = (all[i + 1] - all[i]) / 1024;
    if (rounded(all[i], type) != all[i] || rounded(middle, type) != even || rounded(-middle, type) != -even ||
        rounded(middle - beside, type) != all[i] || rounded(middle + beside, type) != all[i + 1])
      return false;
  }
  return all.back() == type.largest && rounded(2 * type.largest, type) == type.largest;
}

/// Every scale lies where its definition puts it, for largest magnitudes all over four powers of two.
bool scales_as_defined(const Elements& elements) {
  const auto scale = [&](Scale kind, double amax) { return scale_of({"", elements, 32, kind}, amax, 8); };
  const double power = std::ldexp(1.0, std::ilogb(elements.largest));
  for (int i = 1; i <= 4096; ++i) {
    const double amax = std::ldexp(i, -9);  // up to 8
    const double down = amax / scale(Scale::power_down, amax), up = amax / scale(Scale::power_up, amax);
    if (down < power || down >= 2 * power || up > elements.largest || up <= elements.largest / 2) return false;
    if (std::abs(scale(Scale::fp32, amax) * elements.largest / amax - 1) > std::ldexp(1.0, -24)) return false;
    if (i >= 64 && std::abs(scale(Scale::e4m3, amax) * elements.largest / amax - 1) > 1.001 / 16) return false;
  }
  return true;
}

/// Prints a statement and whether it holds.
bool holds(const char* statement, bool truth) {
  std::printf("%s  %s\n", truth ? "holds" : "FALSE", statement);
  return truth;
}

}  // namespace

int main() {
  const std::vector<Format> rows = formats();
  const std::vector<Numbers> data = {normal(), scattered_outliers(), outlier_columns(), uneven_rows()};
  const std::vector<std::vector<double>> errors = print_table(rows, data);
  const auto error = [&](const Elements& elements, std::size_t block, Scale scale, std::size_t of) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].elements.name == elements.name && rows[i].block == block && rows[i].scale == scale)
        return errors[i][of];
    std::printf("no such row of the table\n");
    std::exit(1);
  };
  enum : std::size_t { kNormal, kScattered, kColumn, kRows };

  std::printf("\n");
  bool all = true;
  const auto say = [&](const char* statement, bool truth) { all = holds(statement, truth) && all; };
  say("rounded() finds the nearest number, ties to even (all numbers of int8, e4m3, e5m2, e2m1)",
      rounds_to_nearest(kInt8) && rounds_to_nearest(kE4m3) && rounds_to_nearest(kE5m2) && rounds_to_nearest(kE2m1));
  say("each scale is what its definition says: within its rounding, and no number beyond the type where it is rounded "
      "up",
      scales_as_defined(kInt8) && scales_as_defined(kE4m3) && scales_as_defined(kE2m1));
  say("without outliers int8 errs less than e4m3, whatever the block",
      error(kInt8, 0, Scale::fp32, kNormal) < error(kE4m3, 0, Scale::fp32, kNormal) &&
          error(kInt8, 128, Scale::fp32, kNormal) < error(kE4m3, 128, Scale::fp32, kNormal));
  say("with outliers and a scale for the tensor or the row e4m3 errs less than int8",
      error(kE4m3, 0, Scale::fp32, kScattered) < error(kInt8, 0, Scale::fp32, kScattered) &&
          error(kE4m3, kColumns, Scale::fp32, kColumn) < error(kInt8, kColumns, Scale::fp32, kColumn));
  say("where rows are alike e4m3 gains less than 15 % from blocks of 32 over one scale for all: its exponent is one",
      error(kE4m3, 0, Scale::fp32, kNormal) < 1.15 * error(kE4m3, 32, Scale::fp32, kNormal) &&
          error(kE4m3, 0, Scale::fp32, kColumn) < 1.15 * error(kE4m3, 32, Scale::fp32, kColumn));
  say("int8 needs small blocks where there are outliers: 128 columns halve what a row loses at least",
      2 * error(kInt8, 128, Scale::fp32, kScattered) < error(kInt8, kColumns, Scale::fp32, kScattered));
  say("a power of two costs e2m1 more than halving its block gains",
      error(kE2m1, 16, Scale::power_down, kNormal) > error(kE2m1, 32, Scale::fp32, kNormal));
  say("e4m3 as a scale is nearly as good as fp32 (within 10 %), at a quarter of the bits",
      error(kE2m1, 16, Scale::e4m3, kNormal) < 1.1 * error(kE2m1, 16, Scale::fp32, kNormal));
  say("rounding e8m0 up serves e4m3 better, rounding it down e2m1 with outliers: it has fewer codes to spare",
      error(kE4m3, 32, Scale::power_up, kNormal) < error(kE4m3, 32, Scale::power_down, kNormal) &&
          error(kE2m1, 32, Scale::power_down, kScattered) < error(kE2m1, 32, Scale::power_up, kScattered));
  say("NVFP4 errs less than MXFP4 on every kind of numbers",
      error(kE2m1, 16, Scale::e4m3, kNormal) < error(kE2m1, 32, Scale::power_down, kNormal) &&
          error(kE2m1, 16, Scale::e4m3, kScattered) < error(kE2m1, 32, Scale::power_down, kScattered) &&
          error(kE2m1, 16, Scale::e4m3, kColumn) < error(kE2m1, 32, Scale::power_down, kColumn) &&
          error(kE2m1, 16, Scale::e4m3, kRows) < error(kE2m1, 32, Scale::power_down, kRows));
  return all ? 0 : 1;
}
