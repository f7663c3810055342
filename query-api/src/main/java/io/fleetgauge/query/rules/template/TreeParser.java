package io.fleetgauge.query.rules.template;

import io.fleetgauge.query.rules.template.Token.Kind;
import io.fleetgauge.sample.prometheus.Numbers;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Parses a template, with the errors of Go's text/template.
 *
 * @see <a href="https://pkg.go.dev/text/template">text/template, parse/parse.go</a>
 */
final class TreeParser {
  /** How deep parentheses, branches and definitions may nest. */
  static final int MAX_DEPTH = 250;

  private final String name;
  private final Lexer lexer;
  private final Set<String> functions;
  private final Map<String, Node.Block> trees;
  private final Token[] tokens = new Token[3];
  private int peeked;
  private int actionLine;
  private int rangeDepth;
  private int depth;
  private List<String> variables = new ArrayList<>(List.of("$"));

  private TreeParser(
      String name, Lexer lexer, Set<String> functions, Map<String, Node.Block> trees, int depth) {
    this.name = name;
    this.lexer = lexer;
    this.functions = functions;
    this.trees = trees;
    this.depth = depth;
  }

  /**
   * Parses a template.
   *
   * @return its trees by name, that of the template itself among them
   */
  static Map<String, Node.Block> parse(String name, String text, Set<String> functions)
      throws TemplateFailure {
    Map<String, Node.Block> trees = new HashMap<>();
    TreeParser parser = new TreeParser(name, new Lexer(text), functions, trees, 0);
    Node.Block root = parser.root();
    parser.add(name, root);
    return trees;
  }

  private void add(String treeName, Node.Block tree) throws TemplateFailure {
    Node.Block known = trees.get(treeName);
    if (known == null || isEmpty(known)) {
      trees.put(treeName, tree);
    } else if (!isEmpty(tree)) {
      throw error("template: multiple definition of template " + Quoted.of(treeName));
    }
  }

  private static boolean isEmpty(Node.Block tree) {
    return tree.nodes().stream()
        .allMatch(node -> node instanceof Node.Text text && text.text().isBlank());
  }

  // --- tokens ---

  private Token next() {
    if (peeked > 0) {
      peeked--;
    } else {
      tokens[0] = lexer.next();
    }
    return tokens[peeked];
  }

  private void backup() {
    peeked++;
  }

  private void backup2(Token first) {
    tokens[1] = first;
    peeked = 2;
  }

  private void backup3(Token first, Token second) {
    tokens[1] = second;
    tokens[2] = first;
    peeked = 3;
  }

  private Token peek() {
    if (peeked > 0) {
      return tokens[peeked - 1];
    }
    peeked = 1;
    tokens[0] = lexer.next();
    return tokens[0];
  }

  private Token nextNonSpace() {
    Token token = next();
    while (token.kind() == Kind.SPACE) {
      token = next();
    }
    return token;
  }

  private Token peekNonSpace() {
    Token token = nextNonSpace();
    backup();
    return token;
  }

  private Token expect(Kind kind, String context) throws TemplateFailure {
    Token token = nextNonSpace();
    if (token.kind() != kind) {
      throw unexpected(token, context);
    }
    return token;
  }

  private TemplateFailure error(String message) {
    return new TemplateFailure("template: " + name + ":" + tokens[0].line() + ": " + message);
  }

  private TemplateFailure unexpected(Token token, String context) {
    if (token.kind() != Kind.ERROR) {
      return error("unexpected " + token + " in " + context);
    }
    String extra = "";
    if (actionLine != 0 && actionLine != token.line()) {
      extra = " in action started at " + name + ":" + actionLine;
      if (token.text().endsWith(" action")) {
        extra = extra.substring(" in action".length());
      }
    }
    return error(token + extra);
  }

  private void deeper() throws TemplateFailure {
    if (++depth > MAX_DEPTH) {
      throw error("the template nests deeper than " + MAX_DEPTH);
    }
  }

  // --- lists ---

  private Node.Block root() throws TemplateFailure {
    List<Node.Statement> nodes = new ArrayList<>();
    int at = peek().at();
    while (peek().kind() != Kind.EOF) {
      if (peek().kind() == Kind.LEFT_DELIM) {
        Token delim = next();
        if (nextNonSpace().kind() == Kind.DEFINE) {
          new TreeParser(name, lexer, functions, trees, depth).definition();
          continue;
        }
        backup2(delim);
      }
      Node.Statement node = textOrAction();
      if (node instanceof Node.End || node instanceof Node.Else) {
        throw error("unexpected " + node);
      }
      nodes.add(node);
    }
    return new Node.Block(at, nodes);
  }

  private void definition() throws TemplateFailure {
    String context = "define clause";
    Token token = nextNonSpace();
    if (token.kind() != Kind.STRING && token.kind() != Kind.RAW_STRING) {
      throw unexpected(token, context);
    }
    String defined = unquoted(token);
    expect(Kind.RIGHT_DELIM, context);
    List<Node.Statement> nodes = new ArrayList<>();
    int at = peekNonSpace().at();
    Node end = list(nodes);
    if (!(end instanceof Node.End)) {
      throw error("unexpected " + end + " in " + context);
    }
    add(defined, new Node.Block(at, nodes));
  }

  private String unquoted(Token token) throws TemplateFailure {
    String text = Quoted.unquote(token.text());
    if (text == null) {
      throw error("invalid syntax");
    }
    return text;
  }

  /** Adds nodes up to an {@code end} or {@code else}, which it returns. */
  private Node.Statement list(List<Node.Statement> nodes) throws TemplateFailure {
    while (peekNonSpace().kind() != Kind.EOF) {
      Node.Statement node = textOrAction();
      if (node instanceof Node.End || node instanceof Node.Else) {
        return node;
      }
      nodes.add(node);
    }
    throw error("unexpected EOF");
  }

  private Node.Statement textOrAction() throws TemplateFailure {
    Token token = nextNonSpace();
    switch (token.kind()) {
      case TEXT:
        return new Node.Text(token.at(), token.text());
      case LEFT_DELIM:
        actionLine = token.line();
        Node.Statement node = action();
        actionLine = 0;
        return node;
      default:
        throw unexpected(token, "input");
    }
  }

  private Node.Statement action() throws TemplateFailure {
    Token token = nextNonSpace();
    switch (token.kind()) {
      case BLOCK:
        return block();
      case BREAK:
        leaving("{{break}}");
        return new Node.Break(token.at());
      case CONTINUE:
        leaving("{{continue}}");
        return new Node.Continue(token.at());
      case ELSE:
        return otherwise();
      case END:
        return new Node.End(expect(Kind.RIGHT_DELIM, "end").at());
      case IF:
        return branch(Node.Branching.IF, "if");
      case RANGE:
        return branch(Node.Branching.RANGE, "range");
      case WITH:
        return branch(Node.Branching.WITH, "with");
      case TEMPLATE:
        return invocation();
      default:
        backup();
        Token first = peek();
        return new Node.Action(first.at(), pipeline("command", Kind.RIGHT_DELIM));
    }
  }

  private void leaving(String what) throws TemplateFailure {
    Token token = nextNonSpace();
    if (token.kind() != Kind.RIGHT_DELIM) {
      throw unexpected(token, what);
    }
    if (rangeDepth == 0) {
      throw error(what + " outside {{range}}");
    }
  }

  private Node.Statement otherwise() throws TemplateFailure {
    Token token = peekNonSpace();
    if (token.kind() == Kind.IF || token.kind() == Kind.WITH) {
      return new Node.Else(token.at());
    }
    return new Node.Else(expect(Kind.RIGHT_DELIM, "else").at());
  }

  private Node.Statement branch(Node.Branching kind, String context) throws TemplateFailure {
    deeper();
    List<String> outer = new ArrayList<>(variables);
    Node.Pipe pipe = pipeline(context, Kind.RIGHT_DELIM);
    rangeDepth += kind == Node.Branching.RANGE ? 1 : 0;
    List<Node.Statement> nodes = new ArrayList<>();
    int at = peekNonSpace().at();
    Node end = list(nodes);
    rangeDepth -= kind == Node.Branching.RANGE ? 1 : 0;
    Node.Block then = new Node.Block(at, nodes);
    Node.Block otherwise = null;
    if (end instanceof Node.Else) {
      if (kind == Node.Branching.IF && peek().kind() == Kind.IF) {
        next();
        otherwise = new Node.Block(end.at(), List.of(branch(kind, context)));
      } else if (kind == Node.Branching.WITH && peek().kind() == Kind.WITH) {
        next();
        otherwise = new Node.Block(end.at(), List.of(branch(kind, context)));
      } else {
        List<Node.Statement> others = new ArrayList<>();
        int from = peekNonSpace().at();
        Node last = list(others);
        if (!(last instanceof Node.End)) {
          throw error("expected end; found " + last);
        }
        otherwise = new Node.Block(from, others);
      }
    }
    variables = outer;
    depth--;
    return new Node.Branch(pipe.at(), kind, pipe, then, otherwise);
  }

  private Node.Statement block() throws TemplateFailure {
    deeper();
    String context = "block clause";
    Token token = nextNonSpace();
    String defined = templateName(token, context);
    Node.Pipe pipe = pipeline(context, Kind.RIGHT_DELIM);
    TreeParser inner = new TreeParser(name, lexer, functions, trees, depth);
    List<Node.Statement> nodes = new ArrayList<>();
    int at = inner.peekNonSpace().at();
    Node end = inner.list(nodes);
    if (!(end instanceof Node.End)) {
      throw error("unexpected " + end + " in " + context);
    }
    inner.add(defined, new Node.Block(at, nodes));
    depth--;
    return new Node.Invocation(token.at(), defined, pipe);
  }

  private Node.Statement invocation() throws TemplateFailure {
    String context = "template clause";
    Token token = nextNonSpace();
    String called = templateName(token, context);
    Node.Pipe pipe = null;
    if (nextNonSpace().kind() != Kind.RIGHT_DELIM) {
      backup();
      pipe = pipeline(context, Kind.RIGHT_DELIM);
    }
    return new Node.Invocation(token.at(), called, pipe);
  }

  private String templateName(Token token, String context) throws TemplateFailure {
    if (token.kind() != Kind.STRING && token.kind() != Kind.RAW_STRING) {
      throw unexpected(token, context);
    }
    return unquoted(token);
  }

  // --- pipelines ---

  private Node.Pipe pipeline(String context, Kind end) throws TemplateFailure {
    deeper();
    Token first = peekNonSpace();
    List<Node.Variable> declared = new ArrayList<>();
    boolean assigns = declarations(context, declared);
    List<Node.Command> commands = new ArrayList<>();
    while (true) {
      Token token = nextNonSpace();
      if (token.kind() == end) {
        check(commands, context);
        depth--;
        return new Node.Pipe(first.at(), assigns, declared, commands);
      }
      switch (token.kind()) {
        case BOOL,
            CHAR_CONSTANT,
            COMPLEX,
            DOT,
            FIELD,
            IDENTIFIER,
            NUMBER,
            NIL,
            RAW_STRING,
            STRING,
            VARIABLE,
            LEFT_PAREN -> {
          backup();
          commands.add(command());
        }
        default -> throw unexpected(token, context);
      }
    }
  }

  private boolean declarations(String context, List<Node.Variable> declared)
      throws TemplateFailure {
    while (peekNonSpace().kind() == Kind.VARIABLE) {
      Token variable = next();
      Token after = peek();
      Token next = peekNonSpace();
      if (next.kind() == Kind.ASSIGN || next.kind() == Kind.DECLARE) {
        nextNonSpace();
        declare(variable, declared);
        return next.kind() == Kind.ASSIGN;
      }
      if (next.kind() == Kind.CHAR && next.text().equals(",")) {
        nextNonSpace();
        declare(variable, declared);
        if (!context.equals("range") || declared.size() >= 2) {
          throw error("too many declarations in " + context);
        }
        switch (peekNonSpace().kind()) {
          case VARIABLE, RIGHT_DELIM, RIGHT_PAREN -> {}
          default -> throw error("range can only initialize variables");
        }
        continue;
      }
      if (after.kind() == Kind.SPACE) {
        backup3(variable, after);
      } else {
        backup2(variable);
      }
      return false;
    }
    return false;
  }

  private void declare(Token variable, List<Node.Variable> declared) {
    declared.add(new Node.Variable(variable.at(), names(variable.text())));
    variables.add(variable.text());
  }

  private static List<String> names(String text) {
    return Arrays.asList(text.split("\\.", -1));
  }

  private void check(List<Node.Command> commands, String context) throws TemplateFailure {
    if (commands.isEmpty()) {
      throw error("missing value for " + context);
    }
    for (int i = 1; i < commands.size(); i++) {
      switch (commands.get(i).words().getFirst()) {
        case Node.Bool _, Node.Dot _, Node.Nil _, Node.Number _, Node.Str _ ->
            throw error("non executable command in pipeline stage " + (i + 1));
        case Node.Pipe _, Node.Identifier _, Node.Variable _, Node.Field _, Node.Chain _ -> {}
      }
    }
  }

  private Node.Command command() throws TemplateFailure {
    List<Node.Operand> words = new ArrayList<>();
    int at = peekNonSpace().at();
    while (true) {
      peekNonSpace();
      Node.Operand operand = operand();
      if (operand != null) {
        words.add(operand);
      }
      Token token = next();
      if (token.kind() == Kind.SPACE) {
        continue;
      }
      switch (token.kind()) {
        case RIGHT_DELIM, RIGHT_PAREN -> backup();
        case PIPE -> {}
        default -> throw unexpected(token, "operand");
      }
      break;
    }
    if (words.isEmpty()) {
      throw error("empty command");
    }
    return new Node.Command(at, words);
  }

  private Node.Operand operand() throws TemplateFailure {
    Node.Operand node = term();
    if (node == null || peek().kind() != Kind.FIELD) {
      return node;
    }
    int at = peek().at();
    List<String> fields = new ArrayList<>();
    while (peek().kind() == Kind.FIELD) {
      fields.add(next().text().substring(1));
    }
    return switch (node) {
      case Node.Field field -> new Node.Field(at, joined(field.names(), fields));
      case Node.Variable variable -> new Node.Variable(at, joined(variable.names(), fields));
      case Node.Bool _, Node.Str _, Node.Number _, Node.Nil _, Node.Dot _ ->
          throw error("unexpected . after term " + Quoted.of(node.toString()));
      case Node.Pipe _, Node.Identifier _, Node.Chain _ -> new Node.Chain(at, node, fields);
    };
  }

  private static List<String> joined(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  private Node.Operand term() throws TemplateFailure {
    Token token = nextNonSpace();
    switch (token.kind()) {
      case IDENTIFIER:
        if (!functions.contains(token.text())) {
          throw error("function " + Quoted.of(token.text()) + " not defined");
        }
        return new Node.Identifier(token.at(), token.text());
      case DOT:
        return new Node.Dot(token.at());
      case NIL:
        return new Node.Nil(token.at());
      case VARIABLE:
        if (!variables.contains(names(token.text()).getFirst())) {
          throw error("undefined variable " + Quoted.of(token.text()));
        }
        return new Node.Variable(token.at(), names(token.text()));
      case FIELD:
        return new Node.Field(token.at(), names(token.text().substring(1)));
      case BOOL:
        return new Node.Bool(token.at(), token.text().equals("true"));
      case CHAR_CONSTANT, COMPLEX, NUMBER:
        return number(token);
      case LEFT_PAREN:
        return pipeline("parenthesized pipeline", Kind.RIGHT_PAREN);
      case STRING, RAW_STRING:
        return new Node.Str(token.at(), token.text(), unquoted(token));
      default:
        backup();
        return null;
    }
  }

  private Node.Number number(Token token) throws TemplateFailure {
    String text = token.text();
    if (token.kind() == Kind.CHAR_CONSTANT) {
      OptionalInt character = Quoted.unquoteCharacter(text);
      if (character.isEmpty()) {
        throw error("invalid syntax");
      }
      if (!text.equals("'\\''")
          && text.codePointCount(0, text.length()) > 3
          && text.charAt(1) != '\\') {
        throw error("malformed character constant: " + text);
      }
      return new Node.Number(token.at(), text, (long) character.getAsInt());
    }
    if (token.kind() == Kind.COMPLEX || text.endsWith("i")) {
      return new Node.Number(token.at(), text, complex(text));
    }
    Object integer = integer(text);
    if (integer instanceof Long) {
      return new Node.Number(token.at(), text, integer);
    }
    boolean hexadecimal = text.toLowerCase(java.util.Locale.ROOT).contains("0x");
    if (integer == null) {
      OptionalDouble value = Numbers.parse(text);
      if (value.isEmpty()) {
        throw error("illegal number syntax: " + Quoted.of(text));
      }
      boolean isFloat = text.matches(".*[.eEpP].*");
      if (!isFloat) {
        throw error("integer overflow: " + Quoted.of(text));
      }
      return new Node.Number(
          token.at(), text, hexadecimal && !text.matches(".*[.pP].*") ? null : value.getAsDouble());
    }
    return new Node.Number(token.at(), text, null);
  }

  private Values.Complex complex(String text) throws TemplateFailure {
    int sign = Math.max(text.lastIndexOf('+'), text.lastIndexOf('-'));
    boolean inExponent = sign > 0 && "eEpP".indexOf(text.charAt(sign - 1)) >= 0;
    int split = inExponent ? Math.max(text.lastIndexOf('+', sign - 1), 0) : Math.max(sign, 0);
    OptionalDouble real =
        split == 0 ? OptionalDouble.of(0) : Numbers.parse(text.substring(0, split));
    OptionalDouble imaginary = Numbers.parse(text.substring(split, text.length() - 1));
    if (real.isEmpty() || imaginary.isEmpty()) {
      throw error("illegal number syntax: " + Quoted.of(text));
    }
    return new Values.Complex(real.getAsDouble(), imaginary.getAsDouble());
  }

  /** A {@link Long}, a {@link BigInteger} that overflows one but no unsigned, or null. */
  private static Object integer(String text) {
    String digits = text.startsWith("+") || text.startsWith("-") ? text.substring(1) : text;
    int radix = 10;
    String lower = digits.toLowerCase(java.util.Locale.ROOT);
    if (lower.startsWith("0x")) {
      radix = 16;
    } else if (lower.startsWith("0b")) {
      radix = 2;
    } else if (lower.startsWith("0o")) {
      radix = 8;
    } else if (lower.length() > 1 && lower.startsWith("0")) {
      radix = 8;
    }
    boolean prefixed = radix != 10 && lower.length() > 1 && Character.isLetter(lower.charAt(1));
    String number = (prefixed ? digits.substring(2) : digits).replace("_", "");
    try {
      BigInteger value = new BigInteger((text.startsWith("-") ? "-" : "") + number, radix);
      if (value.bitLength() < 64) {
        return value.longValue();
      }
      return value.signum() > 0 && value.bitLength() == 64 ? value : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
