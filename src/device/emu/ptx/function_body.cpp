// Signature, declarations, labels and scopes of a function.

#include <fmt/core.h>

#include <algorithm>

#include "device/emu/ptx/function_parser.h"
#include "device/emu/ptx/names.h"

namespace kerlab::ptx {

FunctionParser::FunctionParser(ModuleContext& module, Function& function)
    : module_(module),
      tokens_(module.tokens),
      function_(function),
      kernel_(function.kernel),
      outer_scopes_(module.names.depth()) {
  open_scope();
}

// Also when an error ends the function in the middle of its scopes.
FunctionParser::~FunctionParser() {
  while (module_.names.depth() > outer_scopes_) {
    module_.names.close();
    module_.register_ranges.close();
  }
}

void FunctionParser::open_scope() {
  module_.names.open();
  module_.register_ranges.open();
  label_scopes_.emplace_back();
}

void FunctionParser::close_scope() {
  resolve_labels();
  label_scopes_.pop_back();
  module_.names.close();
  module_.register_ranges.close();
}

void FunctionParser::parameters(std::vector<Operand>& into) {
  if (!tokens_.accept('(')) return;
  while (!tokens_.accept(')')) {
    Operand parameter;
    if (tokens_.accept(".reg")) {
      const Variable variable = parse_variable(tokens_);
      parameter.kind = OperandKind::reg;
      parameter.value = add_register(variable.type, variable.name);
      module_.names.declare(variable.name, {NameKind::register_, parameter.value});
    } else if (tokens_.accept(".param")) {
      parameter.kind = OperandKind::symbol;
      parameter.value = static_cast<std::int32_t>(kernel_.symbols.size());
      declare_variable(function_.entry ? Space::param : Space::local, parse_variable(tokens_));
    } else {
      tokens_.fail(fmt::format("'.param' expected, {} found", tokens_.shown()));
    }
    into.push_back(parameter);
    if (!tokens_.accept(',') && !tokens_.peek().is(')')) tokens_.expect(')');
  }
}

void FunctionParser::directives() {
  const auto three = [&](std::int32_t(&into)[3]) {
    for (int i = 0; i < 3; ++i) {
      into[i] =
          static_cast<std::int32_t>(i == 0 || tokens_.accept(',') ? tokens_.expect_integer("a size", 1, 1 << 30) : 1);
    }
  };
  while (!tokens_.peek().is('{') && !tokens_.peek().is(';')) {
    const Token directive = tokens_.peek();
    tokens_.expect_word("a directive or the function's body");
    if (directive.text == ".maxntid") {
      std::int32_t block[3];
      three(block);
      const std::int64_t threads = std::int64_t{block[0]} * std::min(block[1], 1 << 15) * std::min(block[2], 1 << 15);
      kernel_.max_threads = static_cast<std::int32_t>(std::min<std::int64_t>(threads, 1 << 30));
    } else if (directive.text == ".reqntid") {
      three(kernel_.required_block);
    } else if (directive.text == ".reqnctapercluster") {
      three(kernel_.required_cluster);
    } else if (directive.text == ".minnctapersm" || directive.text == ".maxnctapersm" || directive.text == ".maxnreg" ||
               directive.text == ".maxclusterrank" || directive.text == ".abi_preserve" ||
               directive.text == ".abi_preserve_control") {
      tokens_.expect_integer("a number");
    } else if (directive.text == ".pragma") {
      tokens_.skip_past(';');
    } else if (directive.text != ".noreturn" && directive.text != ".explicitcluster" &&
               directive.text != ".blocksareclusters" && directive.text != ".unique") {
      throw Error(at_line(directive.line, fmt::format("'{}' is no directive of a function", directive.text)));
    }
  }
}

void FunctionParser::body() {
  function_.defined = true;
  tokens_.expect('{');
  const std::size_t depth = module_.names.depth();
  for (;;) {
    if (tokens_.at_end()) tokens_.fail(fmt::format("'{}' does not end: '}}' expected", kernel_.name));
    if (tokens_.accept('{')) {
      open_scope();
    } else if (tokens_.accept('}')) {
      if (module_.names.depth() == depth) break;
      close_scope();
    } else {
      statement();
    }
  }
  finish();
}

void FunctionParser::statement() {
  const Token& token = tokens_.peek();
  if (token.is(';')) {
    tokens_.next();
  } else if (token.kind == TokenKind::word && token.text[0] == '.') {
    directive();
  } else if (token.kind == TokenKind::word && tokens_.peek(1).is(':')) {
    label();
  } else {
    instruction();
  }
}

void FunctionParser::directive() {
  const Token token = tokens_.next();
  if (token.text == ".loc") return location();
  if (token.text == ".reg") return registers();
  if (token.text == ".local") return variables(Space::local);
  if (token.text == ".shared") return variables(Space::shared);
  if (token.text == ".param") return variables(Space::local);
  if (token.text == ".pragma" || token.text == ".file" || token.text == ".callprototype") return tokens_.skip_past(';');
  if (token.text == ".section") {
    while (!tokens_.peek().is('{') && !tokens_.at_end()) tokens_.next();
    return tokens_.skip_braces();
  }
  if (token.text == ".global" || token.text == ".const" || token.text == ".tex") {
    throw Unsupported(at_line(token.line, fmt::format("'{}' inside a function", token.text)));
  }
  throw Error(at_line(token.line, fmt::format("'{}' is no directive of a function's body", token.text)));
}

void FunctionParser::label() {
  const Token name = tokens_.next();
  tokens_.expect(':');
  if (tokens_.accept(".callprototype")) return tokens_.skip_past(';');
  if (tokens_.accept(".calltargets")) return tokens_.skip_past(';');
  LabelScope& scope = label_scopes_.back();
  if (!tokens_.accept(".branchtargets")) {
    last_label_ = static_cast<std::int32_t>(kernel_.instructions.size());
    scope.labels.push_back({name.text, static_cast<std::int32_t>(kernel_.instructions.size()), false, name.line});
    return;
  }
  const auto table = static_cast<std::int32_t>(kernel_.branch_tables.size());
  scope.labels.push_back({name.text, table, true, name.line});
  std::vector<std::int32_t>& entries = kernel_.branch_tables.emplace_back();
  do {
    const std::int32_t line = tokens_.peek().line;
    scope.fixups.push_back(
        {-1, static_cast<std::int32_t>(entries.size()), table, tokens_.expect_word("a label"), line});
    entries.push_back(-1);
  } while (tokens_.accept(','));
  tokens_.expect(';');
}

// ".loc 1 23 4" or ".loc 1 23 4, function_name $L__info_string0, inlined_at 1 33 2"
void FunctionParser::location() {
  const auto small = [&](std::string_view what) {
    return static_cast<std::int32_t>(tokens_.expect_integer(what, 0, 1 << 30));
  };
  const auto place = [&] {
    const std::int32_t file = small("a file number"), line = small("a line");
    return std::array{file, line, small("a column")};
  };
  const std::array<std::int32_t, 3> here = place();
  location_ = {0, here[0], here[1], 0, 0};
  callers_.erase(here);
  while (tokens_.accept(',')) {
    const std::string_view what = tokens_.expect_word("'function_name' or 'inlined_at'");
    if (what == "function_name") {
      tokens_.expect_word("a label");
      if (tokens_.accept('+')) tokens_.expect_integer("an offset");
    } else {
      const std::array<std::int32_t, 3> site = place();
      const auto outer = callers_.find(site);  // the call is in inlined code itself
      const std::array caller = outer == callers_.end() ? std::array{site[0], site[1]} : outer->second;
      callers_[here] = caller;
      location_.caller_file = caller[0];
      location_.caller_line = caller[1];
    }
  }
}

Location FunctionParser::location_at(std::int32_t ptx_line) const {
  Location location = location_;
  location.ptx_line = ptx_line;
  return location;
}

void FunctionParser::registers() {
  const Token token = tokens_.peek();
  const std::string_view written = tokens_.expect_word("a type");
  const std::optional<Type> type = find_type(written.substr(std::min<std::size_t>(written.size(), 1)));
  if (written[0] != '.' || !type) {
    throw Unsupported(
        at_line(token.line, fmt::format("registers of type '{}': the emulated device has none", written)));
  }
  do {
    const Token name = tokens_.peek();
    tokens_.expect_word("the name of a register");
    bool good = true;
    if (tokens_.accept('<')) {
      const std::int64_t count = tokens_.expect_integer("the number of registers", 1, kMostRegisters);
      tokens_.expect('>');
      good = module_.register_ranges.declare(name.text,
                                             {NameKind::register_range, static_cast<std::int32_t>(ranges_.size())});
      ranges_.push_back({*type, count, {}});
    } else {
      good = module_.names.declare(name.text, {NameKind::register_, add_register(*type, name.text)});
    }
    if (!good) throw Error(at_line(name.line, fmt::format("'{}' is declared twice", name.text)));
  } while (tokens_.accept(','));
  tokens_.expect(';');
}

void FunctionParser::variables(Space space) {
  do {
    const Variable variable = parse_variable(tokens_);
    if (!variable.image.empty()) {
      throw Unsupported(
          at_line(variable.line, fmt::format("'{}': initial values in {} memory", variable.name, name(space))));
    }
    declare_variable(space, variable);
  } while (tokens_.accept(','));
  tokens_.expect(';');
}

Symbol& FunctionParser::declare_variable(Space space, const Variable& variable) {
  Symbol symbol;
  symbol.name = variable.name;
  symbol.space = space;
  symbol.bytes = variable.bytes;
  symbol.align = variable.align;
  if (space == Space::local || space == Space::param) {
    std::int64_t& bytes = space == Space::local ? kernel_.local_bytes : kernel_.parameter_bytes;
    const std::int64_t most = space == Space::local ? kMostLocalBytes : kMostParameterBytes;
    symbol.offset = round_up(bytes, symbol.align);
    bytes = symbol.offset + symbol.bytes;
    if (bytes > most) {
      throw Unsupported(at_line(variable.line, fmt::format("'{}' ends at byte {} of {} memory: the limit is {}",
                                                           variable.name, bytes, name(space), most)));
    }
  } else if (symbol.bytes > kMostSharedBytes) {
    throw Unsupported(at_line(variable.line, fmt::format("'{}' takes {} bytes of shared memory: the limit is {}",
                                                         variable.name, symbol.bytes, kMostSharedBytes)));
  }
  const auto index = static_cast<std::int32_t>(kernel_.symbols.size());
  if (!module_.names.declare(variable.name, {NameKind::symbol, index})) {
    throw Error(at_line(variable.line, fmt::format("'{}' is declared twice", variable.name)));
  }
  function_.own_symbol.push_back(true);
  return kernel_.symbols.emplace_back(std::move(symbol));
}

// Labels belong to the scope they stand in; a branch may also go to a label of an outer scope.
void FunctionParser::resolve_labels() {
  LabelScope& scope = label_scopes_.back();
  if (scope.labels.empty() && scope.fixups.empty()) return;
  std::unordered_map<std::string_view, const Label*> labels;
  for (const Label& label : scope.labels) {
    if (!labels.try_emplace(label.name, &label).second) {
      throw Error(at_line(label.line, fmt::format("label '{}' stands twice", label.name)));
    }
  }
  std::vector<Fixup> open;
  for (const Fixup& fixup : scope.fixups) {
    const auto found = labels.find(fixup.name);
    if (found == labels.end()) {
      open.push_back(fixup);
      continue;
    }
    const bool wants_table = fixup.instruction >= 0 && fixup.operand == 1;
    if (found->second->table != wants_table) {
      throw Error(at_line(
          fixup.line, fmt::format("'{}' is not a {}", fixup.name, wants_table ? "list of branch targets" : "label")));
    }
    std::int32_t& target = fixup.instruction >= 0
                               ? kernel_.instructions[fixup.instruction].operands[fixup.operand].value
                               : kernel_.branch_tables[fixup.table][fixup.operand];
    target = found->second->value;
  }
  if (label_scopes_.size() > 1) {
    std::vector<Fixup>& outer = label_scopes_[label_scopes_.size() - 2].fixups;
    outer.insert(outer.end(), open.begin(), open.end());
  } else if (!open.empty()) {
    throw Error(at_line(open[0].line, fmt::format("label '{}' stands nowhere", open[0].name)));
  }
}

void FunctionParser::finish() {
  const auto ends = [](const Instruction& last) {
    const bool leaves = last.opcode == Opcode::bra || last.opcode == Opcode::exit || last.opcode == Opcode::ret ||
                        last.opcode == Opcode::trap || last.opcode == Opcode::brx;
    return leaves && last.guard < 0;
  };
  const auto end = static_cast<std::int32_t>(kernel_.instructions.size());
  if (end == 0 || last_label_ == end || !ends(kernel_.instructions.back())) {
    Instruction last;
    last.opcode = function_.entry ? Opcode::exit : Opcode::ret;
    last.text = name(last.opcode);
    last.location = location_at(tokens_.peek().line);
    add(std::move(last));
  }
  close_scope();
}

}  // namespace kerlab::ptx
