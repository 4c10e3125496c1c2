// Every mistake in a spec is reported with its place and the name of what it concerns.

#include "catch.h"
#include "spec/spec_fixture.h"

using namespace kerlab;
using namespace kerlab::testing;

namespace {
struct Mistake {
  std::string from, to, expected;
};

void check_family(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.to);
    CHECK(load_error(replaced(kFamily, mistake.from, mistake.to), kVariant) == mistake.expected);
  }
}

void check_variant(const std::vector<Mistake>& mistakes) {
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.to);
    CHECK(load_error(kFamily, replaced(kVariant, mistake.from, mistake.to)) == mistake.expected);
  }
}
}  // namespace

TEST_CASE("specs without mistakes load", "[spec]") {
  CHECK(load_error(kFamily, kVariant) == "no error");
}

namespace {
const std::string kNormalAnd =
    "[[recipe]]\nname = \"normal\"\n[[recipe]]\nname = \"mine\"\nbase = \"uniform\"\n[[recipe.plant]]\n";
}

TEST_CASE("family and variant: classes of accuracy", "[spec]") {
  check_family({
      {"name = \"demo\"", "name = \"demo\"\naccuracy = \"normwize\"",
       "family.toml:2:12: 'normwize' is not one of elementwise, normwise, did you mean 'normwise'? ('accuracy' of "
       "family)"},
      {"name = \"demo\"", "name = \"demo\"\nspecials = \"zero\"",
       "family.toml:2:12: 'zero' is not one of as computed, may be NaN ('specials' of family)"},
  });
  const KernelFolder folder =
      load_specs(replaced(kFamily, "name = \"demo\"", "name = \"demo\"\naccuracy = \"normwise\""), kVariant);
  CHECK(folder.variants.front().accuracy == Accuracy{true, false});
}

TEST_CASE("family: keys, types and TOML itself", "[spec]") {
  check_family({
      {"name = \"demo\"", "name = \"demo\"\nnmae = 1",
       "family.toml:2:1: unknown key 'nmae', did you mean 'name'? (family)"},
      {"[[flag]]", "\xC2\xA1[[flag]]", "family.toml:13:1: character beyond ASCII outside strings and comments"},
      {"name = \"demo\"", "name = \"\"\"\n\xC3\xBC\"\"\"",
       "family.toml:2:1: character beyond ASCII in a string of several lines"},
      {"[cost]", "[", "family.toml:36:2: expected a key after '['"},
      {"[cost]", std::string(5000, ' '), "family.toml:36:1: line longer than 4096 bytes"},
      {"[[flag]]", "[[ = 1", "family.toml:13:4: expected a key after '['"},
      {"name = \"demo\"\n", "", "family.toml:1:1: key 'name' is missing (family)"},
      {"name = \"demo\"", "name = 3", "family.toml:1:8: expected a string, not an integer ('name' of family)"},
      {"name = \"demo\"", "name = \"de-mo\"",
       "family.toml:1:8: 'de-mo' is not a name (letters, digits and _) ('name' of family)"},
      {"name = \"demo\"", "name = \"demo",
       "family.toml:1:13: Error while parsing string: unescaped control characters other than TAB (U+0009) are "
       "explicitly prohibited"},
      {"name = \"demo\"", "name = \"demo\"\nname = \"again\"",
       "family.toml:2:8: Error while parsing key-value pair: cannot redefine existing string 'name'"},
      {"dtypes = [\"bf16\", \"fp32\"]\n", "",
       "family.toml:1:1: at least one dtype is needed: dtypes = [\"fp32\"] ('dtypes' of family)"},
      {"\"bf16\", \"fp32\"", "\"bf16\", \"fp23\"",
       "family.toml:2:19: unknown dtype 'fp23', did you mean 'fp32'? ('dtypes' of family)"},
      {"[\"bf16\", \"fp32\"]", "\"bf16\"", "family.toml:2:10: expected a list, not a string ('dtypes' of family)"},
      {"role = \"input\"", "role = \"input\"\npartition = \"M\"",
       "family.toml:25:13: offsets need dtype = \"int32\" or \"int64\" ('partition' of tensor 'A')"},
      {"role = \"output\"", "role = \"output\"\ndtype = \"int32\"\npartition = \"M\"",
       "family.toml:30:13: only an input can be one ('partition' of tensor 'D')"},
      {"role = \"input\"", "role = \"input\"\nrange = [0, \"M\"]",
       "family.toml:25:9: integers of a range need dtype = \"int32\" or another integer type of 8 to 64 bits ('range' "
       "of tensor 'A')"},
      {"role = \"output\"", "role = \"output\"\ndtype = \"int32\"\nrange = [0, \"M\"]",
       "family.toml:30:9: an output holds what a kernel writes: only an input or an inout tensor holds integers of a "
       "range ('range' of tensor 'D')"},
      {"role = \"input\"", "role = \"input\"\ndtype = \"int32\"\nrange = [\"M\"]",
       "family.toml:26:9: two integers are needed: the least, and one past the largest ('range' of tensor 'A')"},
      {"role = \"input\"", "role = \"input\"\ndtype = \"int32\"\nrange = [0, \"V\"]",
       "family.toml:26:14: unknown name 'V' ('range' of tensor 'A')"},
      {"role = \"input\"", "role = \"input\"\ndtype = \"int32\"\npartition = \"M\"\nrange = [0, 2]",
       "family.toml:27:9: a partition holds offsets ('range' of tensor 'A')"},
      {"role = \"input\"", "role = \"input\"\ndtype = \"int32\"\nrange = [0, 9]\nignored = [-1, -2, -3, -4, -5]",
       "family.toml:27:11: 4 numbers at most ('ignored' of tensor 'A')"},
      {"role = \"input\"", "role = \"input\"\nignored = -1",
       "family.toml:25:11: only integers of a range have this: give a range ('ignored' of tensor 'A')"},
      {"[cost]", "[kost]", "family.toml:36:2: unknown key 'kost', did you mean 'cost'? (family)"},
      {"flops = \"2 * M * N * K\"\n", "", "family.toml:36:1: key 'flops' is missing (cost)"},
      {"flops = \"2 * M * N * K\"", "flops = 2.5",
       "family.toml:37:9: expected an expression or an integer, not a floating-point number ('flops' of cost)"},
      {"[[scalar]]\nname = \"alpha\"\ndefault = 1.0", "[[scalar]]\nname = \"alpha\"\ndefault = \"one\"",
       "family.toml:18:11: expected a number, not a string ('default' of scalar 'alpha')"},
      {"default = 1.0", "default = 1.0\ndtype = \"bf16\"",
       "family.toml:19:9: a scalar is fp32 or fp64 ('dtype' of scalar 'alpha')"},
      {"minimum = 0", "minimum = -1", "family.toml:12:11: negative ('minimum' of dimension 'K')"},
      {"minimum = 0", "minimum = 5\nmaximum = 4", "family.toml:13:11: below the minimum ('maximum' of dimension 'K')"},
      {"values = [\"nn\", \"tn\"]", "values = []",
       "family.toml:15:10: empty list of values ('values' of flag 'layout')"},
      {"values = [\"nn\", \"tn\"]", "values = [\"nn\", \"nn\"]",
       "family.toml:15:18: 'nn' is listed twice ('values' of flag 'layout')"},
      {"values = [\"nn\", \"tn\"]", "values = [\"nn\", \"tn\"]\ndefault = \"nt\"",
       "family.toml:16:11: 'nt' is not one of nn, tn, did you mean 'nn'? ('default' of flag 'layout')"},
      {"role = \"output\"", "role = \"ouput\"",
       "family.toml:28:8: 'ouput' is not one of input, output, inout, did you mean 'output'? ('role' of tensor 'D')"},
      {"[[flag]]\nname = \"layout\"", "[flag]\nname = \"layout\"",
       "family.toml:13:1: write [[flag]] ('flag' of family)"},
  });
}

TEST_CASE("family: names, cycles, references", "[spec]") {
  check_family({
      {"default = \"M\"", "default = \"K\"", "family.toml:8:12: unknown name 'K' ('default' of dimension 'N')"},
      {"default = \"M / 2\"", "default = \"M / \"",
       "family.toml:11:16: expected a value, but the expression ends ('default' of dimension 'K')"},
      {"name = \"alpha\"\ndefault", "name = \"M\"\ndefault",
       "family.toml:17:8: scalar 'M' has the name of the dimension at family.toml:4:8 (scalar 'M')"},
      {"name = \"alpha\"\ndefault", "name = \"count\"\ndefault",
       "family.toml:17:8: the name 'count' is reserved (scalar 'count')"},
      {"[[dimension]]\nname = \"N\"", "[[dimension]]\nname = \"M\"",
       "family.toml:7:8: dimension 'M' has the name of the dimension at family.toml:4:8 (dimension 'M')"},
      {"value = \"layout.tn\"", "value = \"layout.nt\"",
       "family.toml:21:10: unknown name 'layout.nt', did you mean 'layout.nn'? ('value' of derived 'TRANS_A')"},
      {"value = \"layout.tn\"", "value = \"TRANS_A + 1\"",
       "family.toml:20:8: cycle: TRANS_A -> TRANS_A (derived 'TRANS_A')"},
      {"value = \"layout.tn\"",
       "value = \"B + 1\"\n[[derived]]\nname = \"B\"\nvalue = \"C\"\n[[derived]]\nname = "
       "\"C\"\nvalue = \"TRANS_A\"",
       "family.toml:20:8: cycle: TRANS_A -> B -> C -> TRANS_A (derived 'TRANS_A')"},
      {"shape = [\"M\", \"N\"]", "shape = [\"M\", \"A\"]",
       "family.toml:29:16: unknown name 'A': a tensor has no integer value ('shape' of tensor 'D')"},
      {"shape = [\"M\", \"N\"]", "shape = []",
       "family.toml:29:9: a tensor needs at least one extent ('shape' of tensor 'D')"},
      {"output = \"D\"", "output = \"A\"",
       "family.toml:31:10: 'A' is an input: only outputs have a reference or a checker (reference 'A')"},
      {"output = \"D\"", "output = \"E\"", "family.toml:31:10: no tensor is called 'E' ('output' of reference 'E')"},
      {"role = \"output\"", "role = \"input\"",
       "family.toml:31:10: 'D' is an input: only outputs have a reference or a checker (reference 'D')"},
      {"name = \"A\"\nrole = \"input\"", "name = \"A\"\nrole = \"inout\"",
       "family.toml:23:8: output 'A' has no [[reference]] and no [[checker]] (tensor 'A')"},
      {"\"value\", \"scale\"", "\"vlaue\", \"scale\"",
       "family.toml:34:62: argument 'vlaue' names nothing, did you mean 'value'? ('arguments' of reference 'D')"},
      {"rule = \"dot\"", "rule = \"dor\"",
       "family.toml:35:22: 'dor' is not one of dot, sum, rowwise, exact, bits, did you mean 'dot'? ('rule' of "
       "tolerance)"},
      {"rule = \"dot\", length = \"K\"", "rule = \"dot\"", "family.toml:35:13: key 'length' is missing (tolerance)"},
      {"role = \"output\"", "role = \"output\"\ndtype = { bf16 = \"fp23\" }",
       "family.toml:29:18: unknown dtype 'fp23', did you mean 'fp32'?"},
      {"role = \"output\"", "role = \"output\"\ndtype = { \"layout.nt\" = \"fp32\" }",
       "family.toml:29:11: 'layout.nt' is no flag.value of the family, did you mean 'layout.nn'?"},
      {"role = \"output\"", "role = \"output\"\ndtype = { layout.nn = \"fp32\" }",
       "family.toml:29:11: a key with a dot stands in quotes: \"layout.nn\""},
      {"[[scalar]]",
       "[[flag]]\nname = \"out\"\nvalues = [\"a\"]\n[[tensor]]\nname = \"E\"\nrole = \"input\"\nshape = [1]\n"
       "dtype = { \"layout.nn\" = \"fp32\", \"out.a\" = \"bf16\" }\n[[scalar]]",
       "family.toml:23:33: 'layout.nn' and 'out.a': only one flag may decide a dtype"},
      {"block = [256]\n", "", "family.toml:30:1: a launch needs a block ('block' of reference 'D')"},
      {"block = [256]", "block = [1, 1, 1, 1]", "family.toml:33:9: 4 extents, at most 3 ('block' of reference 'D')"},
      {"[cost]", "[[recipe]]\nname = \"small_integer\"\n[cost]",
       "family.toml:37:8: the first recipe is the one that is timed: normal or uniform ('name' of recipe "
       "'small_integer')"},
      {"[cost]", "[[recipe]]\nname = \"normal\"\nwhen = \"K > 9\"\n[[recipe]]\nname = \"one_hot\"\n[cost]",
       "family.toml:40:8: the first recipe is the one that is timed: normal or uniform ('name' of recipe 'one_hot')"},
      {"[cost]", "[[recipe]]\nname = \"normal\"\nwhen = \"K > 9\"\n[cost]",
       "family.toml:36:1: each has a 'when': one that may be timed has none, for the problems that they leave "
       "('recipe' "
       "of family)"},
      {"[cost]", "[[recipe]]\nname = \"norma\"\n[cost]",
       "family.toml:37:8: 'norma' is none of normal, uniform, small_integer, one_hot, constant, index_coded, did you "
       "mean 'normal'?; a recipe of another name has a base ('name' of recipe 'norma')"},
      {"[cost]", "[[recipe]]\nname = \"normal\"\nbase = \"uniform\"\n[cost]",
       "family.toml:38:8: a recipe called 'normal' starts from it ('base' of recipe 'normal')"},
      {"[cost]", "[[recipe]]\nname = \"normal\"\n[[recipe]]\nname = \"normal\"\n[cost]",
       "family.toml:39:8: a second recipe 'normal' with seed 1 ('name' of recipe 'normal')"},
      {"[cost]", kNormalAnd + "what = \"rampe\"\n[cost]",
       "family.toml:42:8: 'rampe' is not one of value, one, one_hot, points, ramp, mirror, mask, tail, scale, spread, "
       "shift, subnormal, ends, did you mean 'ramp'? ('what' of plant 'rampe')"},
      {"[cost]", kNormalAnd + "what = \"ramp\"\n[cost]",
       "family.toml:41:1: key 'value' is missing: 'ramp' needs one ('value' of plant 'ramp')"},
      {"[cost]", kNormalAnd + "what = \"ramp\"\nvalue = inf\n[cost]",
       "family.toml:43:9: not between -1048576 and 1048576 ('value' of plant 'ramp')"},
      {"[cost]", kNormalAnd + "what = \"scale\"\nvalue = 0.5\n[cost]",
       "family.toml:43:9: an exponent is whole ('value' of plant 'scale')"},
      {"[cost]", kNormalAnd + "what = \"one\"\nvalue = 1\nlines = [3, 3]\n[cost]",
       "family.toml:44:9: [i, n]: of every n lines the one with number i, from 0 ('lines' of plant 'one')"},
      {"[cost]", kNormalAnd + "what = \"one\"\nvalue = 1\ntensor = \"D\"\n[cost]",
       "family.toml:44:10: 'D' is an output ('tensor' of plant 'one')"},
      {"role = \"output\"", "role = \"output\"\ncache = \"hot\"",
       "family.toml:29:9: only an input can be hot: what a run writes is there anew each time ('cache' of tensor 'D')"},
      {"role = \"input\"", "role = \"input\"\ncache = \"tepid\"",
       "family.toml:25:9: 'tepid' is not one of cold, hot ('cache' of tensor 'A')"},
      {"role = \"output\"", "role = \"output\"\nof = [\"A\"]",
       "family.toml:29:6: only an input of numbers is made of others ('of' of tensor 'D')"},
      {"role = \"output\"", "role = \"output\"\nunread = 1",
       "family.toml:29:10: only an input or an inout tensor of numbers can be left unread ('unread' of tensor 'D')"},
      {"name = \"demo\"", "name = \"demo\"\nreference_source = \"../reference.cu\"",
       "family.toml:2:20: a source lies in the folder of its spec ('reference_source' of family)"},
      {"name = \"demo\"", "name = \"demo\"\nreference_source = \"ref.cu\"",
       "family.toml:2:20: 'ref.cu' is not a file in ('reference_source' of family)"},
  });
}

TEST_CASE("variant: keys, parameters, constraints", "[spec]") {
  check_variant({
      {"doc = \"a tile\"", "dco = \"a tile\"", "tile.toml:1:1: unknown key 'dco', did you mean 'doc'? (variant)"},
      {"doc = \"a tile\"", "dtypes = [\"fp16\"]", "tile.toml:1:10: the family has no fp16 ('dtypes' of variant)"},
      {"doc = \"a tile\"", "requires = [\"layout=nt\"]",
       "tile.toml:1:14: 'layout=nt' is no flag=value of the family, did you mean 'layout=nn'? ('requires' of variant)"},
      {"doc = \"a tile\"", "options = [\"-I/etc\"]",
       "tile.toml:1:13: option '-I/etc' is not allowed in a spec; allowed: -D --use_fast_math -use_fast_math --ftz= "
       "--prec-sqrt= --prec-div= --fmad= --maxrregcount= -maxrregcount= --extra-device-vectorization --restrict "
       "-lineinfo --generate-line-info --device-int128 --diag-suppress= --ptxas-options=-O "
       "--ptxas-options=--register-usage-level= --ptxas-options=--allow-expensive-optimizations= "
       "--ptxas-options=--def-load-cache= -dlcm= ('options' of variant)"},
      {"doc = \"a tile\"", "tune = 1", "tile.toml:1:8: expected true or false, not an integer ('tune' of variant)"},
      {"doc = \"a tile\"", "source = \"/etc/passwd\"",
       "tile.toml:1:10: a source lies in the folder of its spec ('source' of variant)"},
      {"values = [16, 32, 64]", "values = []", "tile.toml:4:10: empty list of values ('values' of parameter 'BM')"},
      {"values = [16, 32, 64]", "values = [16, \"32\", 64]",
       "tile.toml:4:15: expected an integer, not a string ('values' of parameter 'BM')"},
      {"values = [16, 32, 64]", "values = [16, 32, 64, 32]",
       "tile.toml:4:10: 32 is listed twice ('values' of parameter 'BM')"},
      {"default = 32", "default = 48", "tile.toml:5:11: 48 is not one of 16, 32, 64 ('default' of parameter 'BM')"},
      {"name = \"BN\"", "name = \"BM\"",
       "tile.toml:7:8: parameter 'BM' has the name of the parameter at tile.toml:3:8 (parameter 'BM')"},
      {"name = \"BN\"", "name = \"M\"",
       "tile.toml:7:8: parameter 'M' has the name of the dimension at family.toml:4:8 (parameter 'M')"},
      {"name = \"BN\"", "name = \"D\"",
       "tile.toml:7:8: parameter 'D' has the name of the tensor at family.toml:27:8 (parameter 'D')"},
      {"name = \"THREADS\"", "name = \"TRANS_A\"",
       "tile.toml:10:8: derived value 'TRANS_A' has the name of the derived value at family.toml:20:8 (derived "
       "'TRANS_A')"},
      {"name = \"THREADS\"", "name = \"i\"", "tile.toml:10:8: the name 'i' is reserved (derived 'i')"},
      {"value = \"BM * BN / 4\"", "value = \"BM * BNN / 4\"",
       "tile.toml:11:15: unknown name 'BNN', did you mean 'BN'? ('value' of derived 'THREADS')"},
      {"value = \"BM * BN / 4\"", "value = \"THREADS / 4\"",
       "tile.toml:10:8: cycle: THREADS -> THREADS (derived 'THREADS')"},
      {"condition = \"BM == BN\"", "condition = \"BM = BN\"",
       "tile.toml:14:17: '=' does not compare; write '==' ('condition' of constraint 'square')"},
      {"condition = \"BM == BN\"", "condition = \"BM == device.smss\"",
       "tile.toml:14:20: unknown name 'device.smss', did you mean 'device.sms'? ('condition' of constraint 'square')"},
      {"condition = \"BM == BN\"", "condition = \"alpha == 1\"",
       "tile.toml:14:14: unknown name 'alpha': a scalar has no integer value; alpha.zero, alpha.one, alpha.unit and "
       "alpha.whole have ('condition' of constraint 'square')"},
      {"condition = \"BM == BN\"", "condition = \"\"\"\nBM ==\n  BNN\"\"\"",
       "tile.toml:16:3: unknown name 'BNN', did you mean 'BN'? ('condition' of constraint 'square')"},
      {"[[launch]]", "[[constraint]]\nname = \"square\"\ncondition = 1\n[[launch]]",
       "tile.toml:16:8: a constraint of this name stands at tile.toml:13:8 ('name' of constraint 'square')"},
  });
}

TEST_CASE("variant: launches, arguments, workspaces, tensor maps", "[spec]") {
  const std::string workspace = "[[workspace]]\nname = \"ws\"\nbytes = 64\n";
  const std::string map =
      "[[tensor_map]]\nname = \"map\"\ntensor = \"A\"\ndims = [\"K\", \"M\"]\nstrides = [\"K\"]\n"
      "box = [64, 64]\n";
  check_variant({
      {"kernel = \"tile\"\n", "", "tile.toml:15:1: key 'kernel' is missing (launch)"},
      {"[[launch]]", "[[symbol]]\nname = \"s\"\ntensor = \"D\"\n[[launch]]",
       "tile.toml:17:10: no input is called 'D' ('tensor' of symbol 's')"},
      {"[[launch]]", "[[prepare]]\nkernel = \"p\"\ngrid = [1]\nblock = [1]\narguments = [\"A\", \"D\"]\n[[launch]]",
       "tile.toml:19:20: 'D' is no input: only inputs can be prepared ('arguments' of prepare 'p')"},
      {"[[launch]]",
       "[[workspace]]\nname = \"w\"\nbytes = 4\ninit = \"zero\"\n[[prepare]]\nkernel = \"p\"\ngrid = [1]\nblock = [1]\n"
       "arguments = [\"w\"]\n[[launch]]",
       "tile.toml:23:15: workspace 'w' is initialised before each run: what is prepared lies in one with init = "
       "\"none\" ('arguments' of prepare 'p')"},
      {"kernel = \"tile\"", "kernel = \"tile<{BM\"", "tile.toml:16:16: a { without its } (launch 'tile<{BM')"},
      {"kernel = \"tile\"", "kernel = \"tile; x\"",
       "tile.toml:16:10: 'tile; x' is not a kernel: a name, ns::name, or name<{BM}, {DTYPE}> (launch 'tile; x')"},
      {"kernel = \"tile\"", "kernel = \"tile\"\nwhen = \"i == 0\"",
       "tile.toml:17:9: unknown name 'i' ('when' of launch 'tile')"},
      {"\"alpha\"]", "\"alhpa\"]",
       "tile.toml:19:40: argument 'alhpa' names nothing, did you mean 'alpha'? ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"alpha * 2\"]",
       "tile.toml:19:40: unknown name 'alpha': a scalar has no integer value; alpha.zero, alpha.one, alpha.unit and "
       "alpha.whole have ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"@map\"]", "tile.toml:19:41: no tensor map is called 'map' ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"D - 4\"]", "tile.toml:19:42: expected '+ bytes' after 'D' ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"D + BX\"]",
       "tile.toml:19:44: unknown name 'BX', did you mean 'BM'? ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"if BX: M\"]",
       "tile.toml:19:43: unknown name 'BX', did you mean 'BM'? ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"if BM: E\"]", "tile.toml:19:47: argument 'E' names nothing ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"if BM\"]", "tile.toml:19:40: expected 'if CONDITION: argument' ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"\"]", "tile.toml:19:40: empty argument ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"A|\"]", "tile.toml:19:42: empty argument ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"A | E\"]", "tile.toml:19:44: argument 'E' names nothing ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"i64: M * E\"]", "tile.toml:19:49: unknown name 'E' ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "\"index\"]", "tile.toml:19:40: argument 'index' names nothing ('arguments' of launch 'tile')"},
      {"\"alpha\"]", "3.5]",
       "tile.toml:19:39: expected a string, not a floating-point number ('arguments' of launch 'tile')"},
      {"[[launch]]", "[[workspace]]\nname = \"A\"\nbytes = 64\n[[launch]]",
       "tile.toml:16:8: workspace 'A' has the name of the tensor at family.toml:23:8 (workspace 'A')"},
      {"[[launch]]", workspace + "init = \"ones\"\n[[launch]]",
       "tile.toml:18:8: 'ones' is not one of none, zero, poison, zero_once ('init' of workspace 'ws')"},
      {"[[launch]]", workspace + workspace + "[[launch]]",
       "tile.toml:19:8: workspace 'ws' has the name of the workspace at tile.toml:16:8 (workspace 'ws')"},
      {"[[launch]]", replaced(map, "\"A\"", "\"E\"") + "[[launch]]",
       "tile.toml:17:10: no tensor or workspace is called 'E' ('tensor' of tensor_map 'map')"},
      {"[[launch]]", replaced(map, "[\"K\"]", "[]") + "[[launch]]",
       "tile.toml:19:11: one fewer than dims is needed ('strides' of tensor_map 'map')"},
      {"[[launch]]", replaced(map, "[64, 64]", "[64]") + "[[launch]]",
       "tile.toml:20:7: as many as dims are needed ('box' of tensor_map 'map')"},
  });
  CHECK(load_error(kFamily, kVariant.substr(0, kVariant.find("[[launch]]"))) ==
        "tile.toml:1:1: no [[launch]] (variant)");
}

TEST_CASE("variant: [predicted] knows the counters' names and the variant's", "[spec]") {
  CHECK(load_error(kFamily, kVariant + "\n[predicted]\nflops = \"2 * M * BM\"\n") == "no error");
  CHECK_THAT(load_error(kFamily, kVariant + "\n[predicted]\nflop = 1\n"),
             Catch::EndsWith("unknown key 'flop', did you mean 'flops'? (predicted)"));
  CHECK_THAT(load_error(kFamily, kVariant + "\n[predicted]\nflops = \"2 * M * BMM\"\n"), Catch::Contains("'BMM'"));
}

TEST_CASE("variant: launches that overlap, carve-outs, clusters of the device", "[spec]") {
  const std::string launch = kVariant.substr(kVariant.find("[[launch]]"));
  const auto variant = [](const std::string& launches) {
    return kVariant.substr(0, kVariant.find("[[launch]]")) + launches;
  };
  const auto with = [&](const std::string& line) {
    return replaced(launch, "kernel = \"tile\"\n", line + "kernel = \"tile\"\n");
  };
  CHECK(load_error(kFamily, variant(launch + with("programmatic = true\ncarveout = 50\n"))) == "no error");
  CHECK(load_error(kFamily, variant(with("programmatic = \"BM == 64\"\ncarveout = \"BN\"\n"))) == "no error");
  CHECK_THAT(
      load_error(kFamily, variant(with("programmatic = true\n"))),
      Catch::StartsWith("tile.toml:") &&
          Catch::Contains(": 'tile' is the first launch of the plan: programmatic = true lets it begin before") &&
          Catch::Contains("('programmatic' of launch 'tile')"));
  CHECK_THAT(load_error(kFamily, variant(launch + with("programmatic = \"PDL\"\n"))),
             Catch::Contains("unknown name 'PDL'"));
  CHECK_THAT(load_error(kFamily, variant(launch + with("programmatic = 1.5\n"))), Catch::Contains("'programmatic'"));
  CHECK_THAT(load_error(kFamily, variant(launch + with("carveout = \"most\"\n"))),
             Catch::Contains("unknown name 'most'"));
  CHECK_THAT(
      load_error(kFamily, variant(launch + replaced(with("programmatic = true\n"), "[[launch]]", "[[prepare]]"))),
      Catch::Contains("programmatic is of [[launch]]"));
  CHECK_THAT(load_error(kFamily, variant(launch + with("carveout = \"device.max_active_clusters\"\n"))),
             Catch::Contains("it is a function of the blocks of a cluster: device.max_active_clusters(4)"));
}
