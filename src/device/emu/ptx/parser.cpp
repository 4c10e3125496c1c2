// A module: directives, variables, functions.

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "device/emu/ptx/function_parser.h"
#include "device/emu/ptx/names.h"

namespace kerlab::ptx {
namespace {

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : context_{TokenStream(tokenise(text)), {}, {}, {}, {}, {}, {}} {}

  ParseResult run() {
    context_.names.open();
    context_.register_ranges.open();
    while (!context_.tokens.at_end()) statement();
    if (module().version_major == 0) context_.tokens.fail("no PTX: '.version' is missing");
    relocate();
    link();
    return std::move(result_);
  }

 private:
  Module& module() { return result_.module; }

  struct Pending {
    std::int32_t owner = 0;  ///< global
    std::int64_t at = 0;
    Variable::Address address;
  };

  void statement() {
    TokenStream& tokens = context_.tokens;
    const Token token = tokens.peek();
    const std::string_view word = tokens.expect_word("a directive");
    if (word == ".version") return version();
    if (word == ".target") return target();
    if (word == ".address_size") return address_size();
    if (word == ".file") return file();
    if (word == ".section") {
      while (!tokens.peek().is('{') && !tokens.at_end()) tokens.next();
      return tokens.skip_braces();
    }
    if (word == ".pragma" || word == ".alias") return tokens.skip_past(';');
    if (word == ".visible" || word == ".weak" || word == ".common") return;
    if (word == ".extern") {
      external_ = true;
      return;
    }
    if (word == ".entry" || word == ".func") {
      function(word == ".entry");
    } else if (word == ".global" || word == ".const" || word == ".shared") {
      variables(word == ".global" ? Space::global : word == ".const" ? Space::constant : Space::shared);
    } else if (word == ".tex") {
      tokens.skip_past(';');
    } else {
      throw Error(at_line(token.line, fmt::format("'{}' is no directive of a module", word)));
    }
    external_ = false;
  }

  void version() {
    const Token token = context_.tokens.next();
    const std::size_t dot = token.text.find('.');
    if (token.kind != TokenKind::number || dot == std::string_view::npos) {
      throw Error(at_line(token.line, fmt::format("a version such as 8.0 expected, '{}' found", token.text)));
    }
    const auto part = [&](std::string_view digits) {
      const Literal value = literal({digits, token.line, TokenKind::number});
      return static_cast<int>(std::min<std::uint64_t>(value.bits, 1000));
    };
    module().version_major = part(token.text.substr(0, dot));
    module().version_minor = part(token.text.substr(dot + 1));
  }

  void target() {
    context_.target = context_.tokens.expect_word("an architecture");
    module().target = context_.target;
    while (context_.tokens.accept(',')) context_.tokens.expect_word("a target option");
  }

  void address_size() {
    const std::int64_t size = context_.tokens.expect_integer("an address size");
    if (size != 64) context_.tokens.unsupported("addresses of 32 bits");
  }

  // ".file 1 "path", 123, 456"
  void file() {
    TokenStream& tokens = context_.tokens;
    const std::int64_t number = tokens.expect_integer("a file number", 0, 1 << 16);
    if (tokens.peek().kind != TokenKind::string)
      tokens.fail(fmt::format("a file name expected, {} found", tokens.shown()));
    const std::string_view path = tokens.next().text;
    while (tokens.accept(',')) tokens.expect_integer("a time stamp or a size");
    if (number == 0) return;
    if (module().files.size() < static_cast<std::size_t>(number)) module().files.resize(number);
    module().files[number - 1] = path;
  }

  void variables(Space space) {
    TokenStream& tokens = context_.tokens;
    do {
      const std::size_t begin = tokens.position();
      try {
        variable(space, parse_variable(tokens));
      } catch (const Unsupported& unsupported) {
        tokens.go_to(begin);
        unsupported_variable(unsupported.what());
        return;
      }
    } while (tokens.accept(','));
    tokens.expect(';');
  }

  // Textures, for instance: whoever names it is not supported.
  void unsupported_variable(std::string_view reason) {
    TokenStream& tokens = context_.tokens;
    std::string_view name;
    while (!tokens.peek().is(';') && !tokens.at_end()) {
      const Token& token = tokens.next();
      if (name.empty() && token.kind == TokenKind::word && token.text[0] != '.') name = token.text;
    }
    tokens.expect(';');
    context_.unsupported_names[name] = reason;
  }

  void variable(Space space, const Variable& from) {
    if (external_ && space != Space::shared) {
      context_.unsupported_names[from.name] = "defined in another module";
      return;
    }
    Symbol symbol;
    symbol.name = from.name;
    symbol.space = space;
    symbol.bytes = from.bytes;
    symbol.align = from.align;
    const auto index = static_cast<std::int32_t>(context_.variables.size());
    if (space == Space::shared) {
      if (symbol.bytes > kMostSharedBytes) context_.tokens.unsupported("more shared memory than a block can have");
    } else {
      place(symbol, from);
    }
    if (!context_.names.declare(from.name, {NameKind::module_variable, index})) {
      throw Error(at_line(from.line, fmt::format("'{}' is declared twice", from.name)));
    }
    context_.variables.push_back(std::move(symbol));
  }

  /// Puts a variable into the image of its space.
  void place(Symbol& symbol, const Variable& from) {
    std::vector<std::byte>& image = symbol.space == Space::global ? module().global_image : module().constant_image;
    symbol.offset = round_up(static_cast<std::int64_t>(image.size()), symbol.align);
    if (symbol.offset + symbol.bytes > kMostImageBytes) {
      throw Unsupported(at_line(from.line, fmt::format("'{}' takes {} bytes: all variables of a module may take {} MiB",
                                                       from.name, symbol.bytes, kMostImageBytes >> 20)));
    }
    image.resize(static_cast<std::size_t>(symbol.offset + symbol.bytes));
    std::copy(from.image.begin(), from.image.end(), image.begin() + symbol.offset);
    const auto global = static_cast<std::int32_t>(module().globals.size());
    for (const Variable::Address& address : from.addresses)
      pending_.push_back({global, symbol.offset + address.at, address});
    module().globals.push_back(symbol);
  }

  void function(bool entry) {
    TokenStream& tokens = context_.tokens;
    Function function;
    function.entry = entry;
    const std::size_t begin = tokens.position();
    try {
      FunctionParser parser(context_, function);
      parser.parameters(function.results);
      function.kernel.name = tokens.expect_word("the name of a function");
      parser.parameters(function.parameters);
      parser.directives();
      if (tokens.accept(';')) return;
      parser.body();
    } catch (const Unsupported& unsupported) {
      function.failure = unsupported.what();
      tokens.go_to(begin);
      skip_function(function);
    }
    functions_.push_back(std::move(function));
  }

  void skip_function(Function& function) {
    TokenStream& tokens = context_.tokens;
    std::int64_t parentheses = 0;
    while (!tokens.at_end() && !tokens.peek().is('{')) {
      const Token& token = tokens.next();
      parentheses += token.is('(') ? 1 : token.is(')') ? -1 : 0;
      if (token.kind == TokenKind::word && parentheses == 0 && token.text[0] != '.' && function.kernel.name.empty()) {
        function.kernel.name = token.text;
      }
      if (token.is(';') && parentheses == 0) return;
    }
    tokens.skip_braces();
  }

  void relocate() {
    for (const Pending& pending : pending_) {
      const NameEntry* entry = context_.names.find(pending.address.symbol);
      const std::vector<Symbol>& globals = module().globals;
      const auto target = std::find_if(globals.begin(), globals.end(),
                                       [&](const Symbol& symbol) { return symbol.name == pending.address.symbol; });
      if (entry == nullptr || target == globals.end()) {
        poisoned_[globals[pending.owner].name] = pending.address;
        continue;
      }
      module().relocations.push_back({globals[pending.owner].space, pending.at,
                                      static_cast<std::int32_t>(target - globals.begin()), pending.address.addend,
                                      pending.address.generic});
    }
  }

  void link() {
    for (Function& function : functions_) {
      if (!function.entry) continue;
      std::string name = function.kernel.name;
      if (module().find(name) != nullptr) throw Error(fmt::format("ptx: kernel '{}' is defined twice", name));
      try {
        if (!function.failure.empty()) throw Unsupported(function.failure);
        Kernel kernel = inline_calls(functions_, std::move(function));
        check_symbols(kernel);
        module().kernels.push_back(std::move(kernel));
      } catch (const Unsupported& unsupported) {
        result_.failures.push_back({std::move(name), unsupported.what()});
      }
    }
  }

  void check_symbols(const Kernel& kernel) const {
    if (poisoned_.empty()) return;
    for (const Symbol& symbol : kernel.symbols) {
      const auto poisoned = poisoned_.find(symbol.name);
      if (poisoned == poisoned_.end()) continue;
      throw Unsupported(at_line(poisoned->second.line,
                                fmt::format("'{}' holds the address of '{}', which is no global or constant variable",
                                            symbol.name, poisoned->second.symbol)));
    }
  }

  ModuleContext context_;
  ParseResult result_;
  std::vector<Function> functions_;
  std::vector<Pending> pending_;
  std::unordered_map<std::string, Variable::Address> poisoned_;
  bool external_ = false;
};

}  // namespace

ParseResult parse(std::string_view text) {
  return ModuleParser(text).run();
}

}  // namespace kerlab::ptx
