#pragma once
// What the recorder and the conformance test share: the forms of a fixture file, and the inputs of a form. No
// dependencies, so that the recorder can be compiled alone on a machine with a GPU.

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace conformance {

/// One kernel of a fixture file, from its line "// form NAME in=f32,f32 out=4 block=512 grid=1 check=bits".
struct Form {
  std::string name;
  std::vector<std::string> in;  ///< input types: one 64-bit word each per record
  std::string check = "bits";   ///< or the name of an approximate function
  int out = 4;                  ///< result bytes per record
  int records = 512;            ///< input records and output records; by default one per thread
  int grid[2] = {1, 1}, block[2] = {512, 1};
};

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

inline std::vector<Form> read_forms(const std::string& ptx) {
  std::vector<Form> forms;
  for (const std::string& line : split(ptx, '\n')) {
    if (line.rfind("// form ", 0) != 0) continue;
    const std::vector<std::string> words = split(line, ' ');
    Form form;
    form.name = words.at(2);
    for (std::size_t i = 3; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      const std::string key = words[i].substr(0, equals), value = words[i].substr(equals + 1);
      const std::vector<std::string> list = split(value, ',');
      if (key == "in") form.in = list;
      if (key == "check") form.check = value;
      if (key == "out") form.out = std::stoi(value);
      if (key == "records") form.records = std::stoi(value);
      for (std::size_t d = 0; d < list.size() && d < 2; ++d) {
        if (key == "grid") form.grid[d] = std::stoi(list[d]);
        if (key == "block") form.block[d] = std::stoi(list[d]);
      }
    }
    forms.push_back(form);
  }
  return forms;
}

/// splitmix64 (Steele, Lea, Flood 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

inline std::uint64_t low_bits(std::uint64_t x, int bits) {
  return bits >= 64 ? x : x & ((1ull << bits) - 1);
}

/// A binary float format: sign, exponent bits, mantissa bits.
struct Format {
  int e, m;
  [[nodiscard]] int bias() const { return (1 << (e - 1)) - 1; }
  [[nodiscard]] std::uint64_t make(std::uint64_t sign, std::int64_t biased, std::uint64_t mantissa) const {
    const std::int64_t top = (1ll << e) - 1;
    biased = biased < 0 ? 0 : biased > top ? top : biased;
    return (sign & 1) << (e + m) | static_cast<std::uint64_t>(biased) << m | low_bits(mantissa, m);
  }
};

inline std::vector<std::uint64_t> core_floats(const Format& f) {
  const std::int64_t top = (1ll << f.e) - 1, one = f.bias();
  const std::uint64_t ones = ~0ull, half = 1ull << (f.m - 1);
  return {f.make(0, 0, 0),      f.make(1, 0, 0),          f.make(0, one, 0),
          f.make(1, one, 0),    f.make(0, one, half),     f.make(0, one, 1),
          f.make(1, one, ones), f.make(0, top - 1, ones), f.make(1, top - 1, ones),
          f.make(0, 1, 0),      f.make(1, 1, 0),          f.make(0, 0, 1),
          f.make(1, 0, 1),      f.make(0, 0, ones),       f.make(0, top, 0),
          f.make(1, top, 0),    f.make(0, top, half),     f.make(1, top, half | 0x15),
          f.make(0, top, 1),    f.make(1, top, 0x35 | 2)};
}

inline std::vector<std::uint64_t> more_floats(const Format& f) {
  std::vector<std::uint64_t> all = core_floats(f);
  std::uint64_t sign = 0;
  for (const int k : {-127, -126, -25, -24, -17, -16, -15, -14, -10, -9, -7, -6, -1, 1,  2,  6,
                      7,    8,    14,  15,  16,  22,  23,  24,  30,  31, 32, 52, 62, 63, 64, 127}) {
    if (k + f.bias() < 0 || k + f.bias() >= (1 << f.e) - 1) continue;
    for (const std::uint64_t mantissa : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}})
      all.push_back(f.make(sign++ & 1, k + f.bias(), mantissa));
  }
  for (const int integer :
       {0, 1, 2, 3, 4, 5, 126, 127, 128, 254, 255, 256, 447, 463, 464, 479, 480}) {  // integer + 1/2
    int exponent = -1;
    while ((integer * 2 + 1) >> (exponent + 2) != 0) ++exponent;
    const int shift = f.m - (exponent + 1);
    if (shift < 0) continue;
    all.push_back(f.make(sign++ & 1, exponent + f.bias(), static_cast<std::uint64_t>(integer * 2 + 1) << shift));
  }
  return all;
}

/// A float that is random in one of six ways; `together` is the same for all operands of a thread.
inline std::uint64_t random_float(const Format& f, std::uint64_t random, std::uint64_t together) {
  const std::uint64_t mantissa = mix(random), sign = mantissa >> 63, r = (random >> 8) & 0xffffff;
  const std::int64_t top = (1ll << f.e) - 1, one = f.bias();
  switch (random % 6) {
    case 0:
      return low_bits(mix(random + 1), 1 + f.e + f.m);
    case 1:
      return f.make(sign, one - 8 + static_cast<std::int64_t>(r % 17), mantissa);
    case 2:
      return f.make(
          sign,
          static_cast<std::int64_t>(together % static_cast<std::uint64_t>(top)) + static_cast<std::int64_t>(r % 3),
          mantissa);
    case 3:
      return f.make(sign, r & 1 ? static_cast<std::int64_t>(r / 2 % 3) : top - 1 - static_cast<std::int64_t>(r / 2 % 3),
                    mantissa);
    case 4: {  // about halfway between two values of a narrower format
      const int widths[] = {2, 3, 7, 10, 23};
      const int kept = widths[r % 5] < f.m ? widths[r % 5] : f.m - 1;
      const std::uint64_t tail = (1ull << (f.m - kept - 1)) + (r / 5 % 3) - 1;
      return f.make(sign, one - 30 + static_cast<std::int64_t>(r / 15 % 48),
                    (mantissa >> (64 - f.m - 1) & ~((1ull << (f.m - kept)) - 1)) | tail);
    }
    default: {  // few fraction bits below one
      const int exponent = static_cast<int>(r % 12), kept = exponent + 2 < f.m ? exponent + 2 : f.m;
      return f.make(sign, one + exponent, low_bits(mantissa, f.m) & ~((1ull << (f.m - kept)) - 1));
    }
  }
}

inline std::vector<std::uint64_t> core_integers(int bits) {
  const std::uint64_t top = 1ull << (bits - 1);
  std::vector<std::uint64_t> all{
      0, 1,  2,    3,    ~0ull, ~1ull,  top,    top + 1, top - 1, top - 2, 0x5555555555555555ull, 0xaaaaaaaaaaaaaaaaull,
      7, 10, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff};
  for (auto& value : all) value = low_bits(value, bits);
  return all;
}

inline std::vector<std::uint64_t> more_integers(int bits) {
  std::vector<std::uint64_t> all = core_integers(bits);
  for (int k = 2; k < bits; ++k)
    for (const std::uint64_t delta : {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1}})
      all.push_back(low_bits((1ull << k) + delta, bits));
  return all;
}

inline std::uint64_t random_integer(int bits, std::uint64_t random) {
  const std::uint64_t x = low_bits(mix(random), bits);
  switch (random % 4) {
    case 0:
      return x;
    case 1:
      return x >> (random / 4 % static_cast<std::uint64_t>(bits));
    case 2:
      return low_bits(~(x >> (random / 4 % static_cast<std::uint64_t>(bits))), bits);
    default:
      return low_bits(x << (random / 4 % static_cast<std::uint64_t>(bits)), bits);
  }
}

/// Scalars: special values against special values first (all pairs where there are records enough), then random ones.
struct Place {
  std::size_t slots, slot;  ///< inputs of the form, which one
  std::uint64_t records, record;
};

template <class Random>
std::uint64_t pick(const std::vector<std::uint64_t>& core, const std::vector<std::uint64_t>& more, const Place& at,
                   std::uint64_t h, Random&& random) {
  const std::uint64_t n = core.size();
  if (at.slots == 1) return at.record < more.size() ? more[at.record] : random();
  if (at.records >= n * n && at.record < n * n && at.slot < 2)
    return core[at.slot == 0 ? at.record % n : at.record / n];
  if (at.record < at.records * 5 / 8 && (at.slot < 2 || h & 1)) return core[h / 2 % n];
  return h % 4 == 0 ? more[h / 4 % more.size()] : random();
}

inline bool float_format(const std::string& type, Format& f) {
  if (type == "f16")
    f = {5, 10};
  else if (type == "bf16")
    f = {8, 7};
  else if (type == "f32" || type == "tf32")
    f = {8, 23};
  else if (type == "f64")
    f = {11, 52};
  else if (type == "e4m3")
    f = {4, 3};
  else if (type == "e5m2")
    f = {5, 2};
  else
    return false;
  return true;
}

/// An element of a matrix; the warp decides what kind of numbers its matrices hold.
inline std::uint64_t matrix_float(const Format& f, std::uint64_t warp, bool accumulator, std::uint64_t random) {
  const std::uint64_t mantissa = mix(random), sign = mantissa >> 63, r = random >> 8;
  const std::int64_t top = (1ll << f.e) - 1, one = f.bias();
  const auto within = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(r % static_cast<std::uint64_t>(high - low + 1));
  };
  const bool zero = r / 512 % 16 == 0;
  switch (warp % 8) {
    case 0: {  // small integers
      const std::int64_t exponent = within(0, 3);
      return zero ? f.make(sign, 0, 0)
                  : f.make(sign, one + exponent,
                           low_bits(mantissa, f.m) & ~((1ull << (f.m - (exponent < f.m ? exponent : f.m))) - 1));
    }
    case 1:
      return f.make(sign, one - within(0, 4) + (accumulator && warp >= 8 ? 14 : 0), mantissa);
    case 2:
      return f.make(sign, within(top / 4, top - 1 - top / 4), mantissa);
    case 3:
      return accumulator && warp >= 8 ? f.make(sign, 0, 0) : f.make(sign, within(0, 3), mantissa);
    case 4:
      return f.make(sign, one + within(-6, 6), 0);
    case 5:
      return r / 512 % 64 == 0 ? f.make(sign, top, r / 32768 % 2 == 0 ? 0 : mantissa)
                               : f.make(sign, one - within(0, 4), mantissa);
    case 6:
      return r / 512 % 2 == 0 ? f.make(sign, 0, 0)
                              : f.make(sign, one - within(0, 1) - (accumulator && warp >= 8 ? 20 : 0), mantissa);
    default:
      return f.make(sign, accumulator ? top - 1 - within(0, 2) : (top + one) / 2 - within(0, 2), mantissa);
  }
}

/// "m.f16x2", "m.s8x4", "m.f32c" (c: an accumulator).
inline std::uint64_t matrix_word(std::string type, std::uint64_t warp, std::uint64_t random) {
  const bool accumulator = type.back() == 'c';
  if (accumulator) type.pop_back();
  const std::size_t x = type.find('x');
  const int count = x == std::string::npos ? 1 : std::stoi(type.substr(x + 1));
  Format f{};
  if (!float_format(type.substr(0, x), f))
    return warp % 4 == 0   ? random & 0x0303030303030303ull
           : warp % 4 == 1 ? 0x8080808080808080ull | (random & 0xff00ff00ff00ff00ull)
                           : mix(random);
  std::uint64_t word = 0;
  for (int i = 0; i < count; ++i)
    word |= matrix_float(f, warp, accumulator, mix(random + static_cast<std::uint64_t>(i))) << (i * (1 + f.e + f.m));
  return word;
}

/// The 64-bit word of one input of one record.
inline std::uint64_t input_word(const std::string& type, const Place& place) {
  const std::uint64_t record = place.record, slot = place.slot;
  const std::uint64_t h = mix(record * 64 + slot), together = mix(~record);
  if (type.rfind("m.", 0) == 0) return matrix_word(type.substr(2), record / 32, h);
  if (type == "normal")
    return Format{8, 23}.make(h >> 63, 127 - static_cast<std::int64_t>(h % 5), h >> 8);  // no special values
  if (type == "pred") return h >> 7 & 1;
  if (type == "shift") {
    const std::uint32_t amounts[] = {0,  1,  2,  7,  8,  15,  16,  17,          31,
                                     32, 33, 63, 64, 65, 255, 256, 0x80000000u, 0xffffffffu};
    return h % 3 == 0 ? h >> 8 & 31 : h % 3 == 1 ? h >> 8 & 63 : amounts[h / 4 % 18];
  }
  if (type == "lane") return h >> 9 & 31;
  if (type == "few") return h >> 9 & 3;
  if (type == "vote") return record / 32 % 4 == 0 ? 0 : record / 32 % 4 == 1 ? 1 : h >> 9 & 1;
  const std::size_t x = type.find("x2");
  const std::string scalar = type.substr(0, x);
  Format f{};
  if (float_format(scalar, f)) {
    const int width = 1 + f.e + f.m;
    const auto one_of = [&](std::uint64_t at, std::uint64_t hash) {
      return pick(core_floats(f), more_floats(f), {place.slots, place.slot, place.records, at}, hash >> 16,
                  [&] { return random_float(f, hash, together); });
    };
    std::uint64_t word = one_of(record, h);
    if (x != std::string::npos) word |= one_of(record * 7 % place.records, mix(h)) << width;
    return word;
  }
  const int width = std::stoi(scalar.substr(1));
  const auto integer = [&](std::uint64_t at, std::uint64_t hash) {
    return pick(core_integers(width), more_integers(width), {place.slots, place.slot, place.records, at}, hash >> 16,
                [&] { return random_integer(width, hash); });
  };
  std::uint64_t word = integer(record, h);
  if (x != std::string::npos) word |= integer(record * 7 % place.records, mix(h)) << width;
  // bits above the type: an instruction must not look at them
  return width < 64 && x == std::string::npos ? word | (mix(h + 5) << width) : word;
}

inline std::vector<std::uint64_t> input_words(const Form& form) {
  std::vector<std::uint64_t> words;
  for (int record = 0; record < form.records; ++record)
    for (std::size_t slot = 0; slot < form.in.size(); ++slot)
      words.push_back(input_word(form.in[slot], {form.in.size(), slot, static_cast<std::uint64_t>(form.records),
                                                 static_cast<std::uint64_t>(record)}));
  return words;
}

}  // namespace conformance
