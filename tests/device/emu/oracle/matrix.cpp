// mma and wmma, element by element. Fragment layouts from the PTX ISA section "Matrix multiply-accumulate operation
// using mma instruction"; the arithmetic is what was found for the H200 (DESIGN reference, emulator.md section 10).

#include <bit>
#include <cmath>
#include <functional>

#include "device/emu/oracle/scalar.h"

namespace kerlab::oracle {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Type;

namespace {

using Members = std::vector<Lane*>;
using Matrix = std::vector<u64>;  ///< elements, row by row

Lane& lane_of(const Members& members, int id, const Instruction& in) {
  if (members.size() != 32) fail(in, "needs all lanes of the warp");
  return *members[static_cast<std::size_t>(id)];
}

/// Where element i of a lane's part lies.
struct Where {
  int row, column;
};

/// Exact value as integer * 2^exponent, exponent as the tensor core sees it.
struct Term {
  bool negative = false;
  u128 significand = 0;
  int scale = 0;     ///< value = significand * 2^scale
  int exponent = 0;  ///< of the leading bit, before normalisation of a product
};

Term taken_apart(u64 bits, Format f) {
  const u64 fraction = low(bits, f.m);
  const int field = static_cast<int>(low(bits, f.e + f.m) >> f.m);
  const int exponent = (field == 0 ? 1 : field) - f.bias();
  return {is_negative(bits, f), field == 0 ? fraction : fraction | 1ull << f.m, exponent - f.m, exponent};
}

/// One group: terms truncated to multiples of 2^(largest exponent - 25), added exactly.
u64 group(const std::vector<u64>& a, const std::vector<u64>& b, Format fa, Format fb, u64 c, Format fc) {
  bool nan = is_nan(c, fc), plus = is_infinite(c, fc) && !is_negative(c, fc);
  bool minus = is_infinite(c, fc) && is_negative(c, fc);
  std::vector<Term> terms;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool negative = is_negative(a[i], fa) != is_negative(b[i], fb);
    const bool infinite = is_infinite(a[i], fa) || is_infinite(b[i], fb);
    nan = nan || is_nan(a[i], fa) || is_nan(b[i], fb) || (infinite && (is_zero(a[i], fa) || is_zero(b[i], fb)));
    (negative ? minus : plus) |= infinite;
    const Term x = taken_apart(a[i], fa), y = taken_apart(b[i], fb);
    terms.push_back({negative, x.significand * y.significand, x.scale + y.scale, x.exponent + y.exponent});
  }
  if (nan || (plus && minus)) return canonical_nan(fc);
  if (plus || minus) return infinity(fc, minus);
  terms.push_back(taken_apart(c, fc));
  int most = -10000;
  for (const Term& term : terms)
    if (term.significand != 0) most = std::max(most, term.exponent);
  if (most == -10000) return 0;
  const int unit = most - 25;
  i64 sum = 0;
  for (const Term& term : terms) {
    const int shift = unit - term.scale;
    if (term.significand == 0) continue;  // its exponent means nothing
    const auto kept = static_cast<i64>(shift >= 128 ? 0
                                       : shift >= 0 ? term.significand >> shift
                                                    : term.significand << -shift);
    sum += term.negative ? -kept : kept;
  }
  const double exact = std::ldexp(static_cast<double>(sum), unit);
  // truncated, yet what is too large becomes infinite; a zero is positive
  if (fc.m == 23 && std::abs(exact) >= std::ldexp(1.0, 128)) return infinity(fc, exact < 0);
  const u64 result = from_double(exact, fc, fc.m == 10 ? ptx::Rounding::rn : ptx::Rounding::rz);
  return is_zero(result, fc) ? 0 : result;
}

/// A chain of fused multiply-adds along k.
u64 double_element(const Instruction& in, const std::vector<u64>& a, const std::vector<u64>& b, u64 c) {
  Instruction fma;
  fma.opcode = Opcode::fma;
  fma.modifiers.rounding = in.modifiers.rounding;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const u64 x[] = {a[i], b[i], is_nan(b[i], kDouble) ? 0 : c};  // a NaN in B outlives all others
    c = float_operation(fma, Type::f64, x);
  }
  return c;
}

u64 integer_element(const Instruction& in, Type ta, Type tb, const std::vector<u64>& a, const std::vector<u64>& b,
                    u64 c) {
  i64 sum = extend(c, 32);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (ta == Type::b1) {
      sum += static_cast<i64>(in.modifiers.boolean == ptx::Boolean::and_ ? a[i] & b[i] : a[i] ^ b[i]);
      continue;
    }
    const i64 x = ptx::is_signed(ta) ? extend(a[i], ptx::bits(ta)) : static_cast<i64>(a[i]);
    const i64 y = ptx::is_signed(tb) ? extend(b[i], ptx::bits(tb)) : static_cast<i64>(b[i]);
    sum += x * y;
  }
  if (in.modifiers.satfinite) sum = std::clamp<i64>(sum, -2147483648ll, 2147483647ll);
  return low(static_cast<u64>(sum), 32);
}

Format operand_format(Type type) {
  return type == Type::tf32 ? Format{8, 23} : format_of(type);
}

u64 result_element(const Instruction& in, Type ta, Type tb, Type tc, std::vector<u64> a, std::vector<u64> b, u64 c) {
  if (!ptx::is_float(ta)) return integer_element(in, ta, tb, a, b, c);
  if (ta == Type::f64) return double_element(in, a, b, c);
  const Format fa = operand_format(ta), fb = operand_format(tb), fc = format_of(tc);
  if (ta == Type::tf32) {
    for (u64& x : a) x &= ~0x1fffull;
    for (u64& x : b) x &= ~0x1fffull;
  }
  if (fa.m > 3) return group(a, b, fa, fb, c, fc);
  // fp8: two groups from zero, k mod 4 < 2 and the others; C is added last, rounding to nearest
  std::vector<u64> x[2], y[2];
  for (std::size_t k = 0; k < a.size(); ++k) {
    x[k % 4 / 2].push_back(a[k]);
    y[k % 4 / 2].push_back(b[k]);
  }
  const u64 products = group(x[1], y[1], fa, fb, group(x[0], y[0], fa, fb, 0, fc), fc);
  Instruction add;
  add.opcode = Opcode::add;
  const u64 terms[] = {products, c};
  return float_operation(add, tc, terms);
}

/// How many elements of a type a register holds.
int per_register(Type type, int register_bits) {
  return register_bits / (type == Type::tf32 ? 32 : ptx::bits(type));
}

/// Collects a matrix from the lanes' registers, given where each element lies.
Matrix gathered(Block& block, const Members& members, const Instruction& in, const ptx::Operand& registers, Type type,
                int rows, int columns, const std::function<Where(int, int)>& where) {
  Matrix matrix(static_cast<std::size_t>(rows * columns));
  const int count = registers.kind == ptx::OperandKind::vector ? registers.count : 1;
  for (int id = 0; id < 32; ++id) {
    Lane& lane = lane_of(members, id, in);
    for (int r = 0; r < count; ++r) {
      const ptx::Operand& operand = element(block, registers, r);
      const u64 word = value_of(block, lane, operand);
      const int each = per_register(type, type == Type::f64 ? 64 : 32), n = type == Type::f64 ? 64 : 32 / each;
      for (int i = 0; i < each; ++i) {
        const Where at = where(id, r * each + i);
        matrix.at(static_cast<std::size_t>(at.row * columns + at.column)) = low(word >> (i * n), n);
      }
    }
  }
  return matrix;
}

void scattered(Block& block, const Members& members, const Instruction& in, const ptx::Operand& registers, Type type,
               int columns, const Matrix& matrix, const std::function<Where(int, int)>& where) {
  for (int id = 0; id < 32; ++id) {
    Lane& lane = lane_of(members, id, in);
    const int count = registers.kind == ptx::OperandKind::vector ? registers.count : 1;
    for (int r = 0; r < count; ++r) {
      const int each = per_register(type, type == Type::f64 ? 64 : 32), n = type == Type::f64 ? 64 : 32 / each;
      u64 word = 0;
      for (int i = 0; i < each; ++i) {
        const Where at = where(id, r * each + i);
        word |= matrix.at(static_cast<std::size_t>(at.row * columns + at.column)) << (i * n);
      }
      set(block, lane, element(block, registers, r), word);
    }
  }
}

Matrix multiplied(const Instruction& in, Type ta, Type tb, Type tc, const Matrix& a, const Matrix& b, const Matrix& c,
                  int m, int n, int k, int from, int to) {
  Matrix d(c.size());
  std::vector<u64> row(static_cast<std::size_t>(to - from)), column(row.size());
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      for (int x = from; x < to; ++x) {
        row[static_cast<std::size_t>(x - from)] = a[static_cast<std::size_t>(i * k + x)];
        column[static_cast<std::size_t>(x - from)] = b[static_cast<std::size_t>(x * n + j)];
      }
      const auto at = static_cast<std::size_t>(i * n + j);
      d[at] = result_element(in, ta, tb, tc, row, column, c[at]);
    }
  return d;
}

/// A: a lane's elements of one row lie `chunk` next to each other, a register's worth; registers go down 8 rows first
/// (if there are 16), then along k. B likewise along k. C, D: two neighbours in a row, then 8 rows down.
void run_mma(Block& block, const Members& members, const Instruction& in) {
  const int m = in.modifiers.m, n = in.modifiers.n, k = in.modifiers.k;
  if (m == 8 && in.types.size() == 4 && in.types[1] == Type::f16) fail(in, "is not known to the oracle");
  const Type td = in.types[0], ta = in.types[1], tb = in.types[2], tc = in.types[3];
  const bool is64 = ta == Type::f64;
  const int chunk = is64 ? 1 : 32 / (ta == Type::tf32 ? 32 : ptx::bits(ta));
  const int row_blocks = m / 8;
  const auto where_a = [&](int lane, int i) {
    const int r = i / chunk;
    return Where{lane / 4 + 8 * (r % row_blocks), (r / row_blocks) * 4 * chunk + lane % 4 * chunk + i % chunk};
  };
  const auto where_b = [&](int lane, int i) {
    return Where{i / chunk * 4 * chunk + lane % 4 * chunk + i % chunk, lane / 4};
  };
  const auto where_c = [&](int lane, int i) { return Where{lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2}; };
  const Matrix a = gathered(block, members, in, in.operands[1], ta, m, k, where_a);
  const Matrix b = gathered(block, members, in, in.operands[2], tb, k, n, where_b);
  const Matrix c = gathered(block, members, in, in.operands[3], tc, m, n, where_c);
  scattered(block, members, in, in.operands[0], td, n, multiplied(in, ta, tb, tc, a, b, c, m, n, k, 0, k), where_c);
}

/// The layout of a wmma fragment is not specified: here element e of a matrix, row by row, is in lane e mod 32 (and
/// again further on, where a fragment has room for two copies).
std::function<Where(int, int)> wmma_layout(int rows, int columns) {
  return [=](int lane, int i) {
    const int e = (i * 32 + lane) % (rows * columns);
    return Where{e / columns, e % columns};
  };
}

void run_wmma_memory(Block& block, const Members& members, const Instruction& in) {
  const bool loads = in.opcode == Opcode::wmma_load;
  const ptx::Modifiers& m = in.modifiers;
  const int rows = m.fragment == ptx::Fragment::b ? m.k : m.m, columns = m.fragment == ptx::Fragment::a ? m.k : m.n;
  const ptx::Operand &address = in.operands[loads ? 1 : 0], &registers = in.operands[loads ? 0 : 1];
  const Type type = in.types[0];
  const auto bytes = static_cast<std::size_t>(type == Type::tf32 ? 4 : ptx::bits(type) / 8);
  Lane& first = lane_of(members, 0, in);
  const u64 stride =
      in.operands.size() > 2 ? value_of(block, first, in.operands[2]) : static_cast<u64>(m.a_column ? rows : columns);
  const auto at = [&](int i, int j) {
    return value_of(block, first, address) +
           bytes * (static_cast<u64>(m.a_column ? j : i) * stride + static_cast<u64>(m.a_column ? i : j));
  };
  const auto layout = wmma_layout(rows, columns);
  Matrix matrix(static_cast<std::size_t>(rows * columns));
  if (!loads) matrix = gathered(block, members, in, registers, type, rows, columns, layout);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      u64& value = matrix[static_cast<std::size_t>(i * columns + j)];
      if (loads) {
        value = load(block, first, in, m.space, at(i, j), bytes);
      } else {
        store(block, first, in, m.space, at(i, j), bytes, value);
      }
    }
  if (loads) scattered(block, members, in, registers, type, columns, matrix, layout);
}

/// Types as written: wmma.mma of f16 names d and c only; all others d, a, b, c.
void run_wmma(Block& block, const Members& members, const Instruction& in) {
  const int m = in.modifiers.m, n = in.modifiers.n, k = in.modifiers.k;
  const bool two = in.types.size() == 2;
  const Type td = in.types[0], tc = in.types.back(), ta = two ? Type::f16 : in.types[1],
             tb = two ? Type::f16 : in.types[2];
  const Matrix a = gathered(block, members, in, in.operands[1], ta, m, k, wmma_layout(m, k));
  const Matrix b = gathered(block, members, in, in.operands[2], tb, k, n, wmma_layout(k, n));
  const Matrix c = gathered(block, members, in, in.operands[3], tc, m, n, wmma_layout(m, n));
  // an H200 executes tf32 in two steps of k = 4
  Matrix d = c;
  const int step = ta == Type::tf32 ? 4 : k;
  for (int from = 0; from < k; from += step) d = multiplied(in, ta, tb, tc, a, b, d, m, n, k, from, from + step);
  scattered(block, members, in, in.operands[0], td, n, d, wmma_layout(m, n));
}

}  // namespace

bool run_matrix(Block& block, const std::vector<Lane*>& members, const Instruction& in) {
  switch (in.opcode) {
    case Opcode::mma:
      run_mma(block, members, in);
      return true;
    case Opcode::wmma_load:
    case Opcode::wmma_store:
      run_wmma_memory(block, members, in);
      return true;
    case Opcode::wmma_mma:
      run_wmma(block, members, in);
      return true;
    default:
      return false;
  }
}

}  // namespace kerlab::oracle
