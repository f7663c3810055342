package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.expr.Aggregation;
import io.fleetgauge.promql.expr.BinaryOp;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.expr.Expr.At;
import io.fleetgauge.promql.expr.Expr.Edges;
import io.fleetgauge.promql.expr.Expr.Grouping;
import io.fleetgauge.promql.expr.Expr.Matching;
import io.fleetgauge.promql.expr.Expr.Matching.Fill;
import io.fleetgauge.promql.expr.Expr.Matching.Many;
import io.fleetgauge.promql.expr.Expr.Shift;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Function;
import io.fleetgauge.promql.expr.Keywords;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.expr.TextSpan;
import io.fleetgauge.promql.expr.ValueType;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A recursive-descent parser with precedence climbing. It has more than 600 lines, because the
 * rules of the grammar call each other and share one cursor. A keyword is a keyword only in its
 * position, so most keywords may also name metrics, and all may name labels.
 */
public final class Parser {
  /** Depth to which expressions may nest. */
  public static final int MAX_DEPTH = 250;

  /** Most binary operators of a query; a chain of them is a tree as deep. */
  public static final int MAX_OPERATORS = 2_000;

  private final TokenCursor in;
  private final ParseOptions options;
  private final DurationReader durations;
  private int depth;
  private int operators;

  /** The second argument of {@code info} is a list of matchers that may all match nothing. */
  private boolean emptySelectorAllowed;

  private Parser(String query, ParseOptions options) throws ParseException {
    this.in = new TokenCursor(query, Lexer.tokens(query));
    this.options = options;
    this.durations = new DurationReader(in, options);
  }

  /** Parses with the stock flags of Prometheus 3.5. */
  public static Expr parse(String query) throws ParseException {
    return parse(query, ParseOptions.STOCK);
  }

  /**
   * @throws ParseException if the text is not PromQL, or its types do not fit
   */
  public static Expr parse(String query, ParseOptions options) throws ParseException {
    Parser parser = new Parser(query, options);
    if (parser.in.peek().kind() == Token.Kind.END) {
      throw ParseException.nowhere("no expression found in input");
    }
    Expr expr = parser.binary(0);
    parser.in.expectEnd();
    return expr;
  }

  /** The error in a selector; empty when it is valid. */
  public static String selectorProblem(String selector) {
    try {
      parseSelector(selector);
      return "";
    } catch (ParseException e) {
      return e.getMessage();
    }
  }

  /**
   * Parses what {@code match[]} takes: one selector without range, offset or {@code @}.
   *
   * @throws ParseException if the text is anything else
   */
  public static List<Matcher> parseSelector(String text) throws ParseException {
    Parser parser = new Parser(text, ParseOptions.STOCK);
    Expr expr = parser.primary();
    parser.in.expectEnd();
    if (expr instanceof Expr.Selector selector) {
      return selector.matchers();
    }
    throw parser.in.error(expr.span(), "a series selector is expected");
  }

  /**
   * Parses a series as it is written where samples are listed: {@code name{a="b"}}, {@code {"any
   * name", "any label"="b"}} or braces alone. Any word may be the name.
   *
   * @throws ParseException if the text is anything else, or says a label twice
   */
  public static Labels parseSeries(String text) throws ParseException {
    Parser parser = new Parser(text, ParseOptions.STOCK);
    List<String> labels = new ArrayList<>();
    if (parser.in.peek().kind() == Token.Kind.WORD) {
      labels.add(Labels.NAME);
      labels.add(parser.in.take().text());
    }
    if (parser.in.takeSymbol("{")) {
      for (Matcher matcher : parser.matchers(Optional.empty())) {
        if (matcher.kind() != Matcher.Kind.EQUAL) {
          throw ParseException.nowhere("a series has labels and no matchers: " + text);
        }
        labels.add(matcher.name());
        labels.add(matcher.value());
      }
    }
    parser.in.expectEnd();
    try {
      return Labels.of(labels.toArray(String[]::new));
    } catch (IllegalArgumentException e) {
      throw ParseException.nowhere(e.getMessage() + ": " + text);
    }
  }

  // --- operators ---

  private Expr binary(int lowest) throws ParseException {
    if (++depth > MAX_DEPTH) {
      throw in.error(in.peek().span(), "the expression nests deeper than " + MAX_DEPTH + " levels");
    }
    Expr left = unary();
    while (true) {
      BinaryOp op = operator();
      if (op == null || op.precedence < lowest) {
        depth--;
        return left;
      }
      if (++operators > MAX_OPERATORS) {
        throw in.error(in.peek().span(), "the query has more than " + MAX_OPERATORS + " operators");
      }
      TextSpan at = in.take().span();
      boolean bool = in.takeWord("bool");
      Matching matching = matching(op, at, left);
      Expr right = binary(op.isRightAssociative() ? op.precedence : op.precedence + 1);
      TextSpan span = new TextSpan(left.span().start(), right.span().end());
      left = checked(new Expr.Binary(op, left, right, bool, matching, span), at);
    }
  }

  private BinaryOp operator() {
    Token token = in.peek();
    return switch (token.kind()) {
      case SYMBOL, WORD -> Keywords.operator(token.text());
      default -> null;
    };
  }

  private Matching matching(BinaryOp op, TextSpan at, Expr left) throws ParseException {
    boolean on = in.peek().isWord("on");
    if (!on && !in.peek().isWord("ignoring")) {
      Fill fill = fill(op);
      return new Matching(false, List.of(), Many.NEITHER, List.of(), fill);
    }
    in.skip();
    List<String> labels = labelList("grouping opts");
    Many many = Many.NEITHER;
    List<String> include = List.of();
    Token group = in.peek();
    if (group.isWord("group_left") || group.isWord("group_right")) {
      in.skip();
      many = group.isWord("group_left") ? Many.LEFT : Many.RIGHT;
      if (in.peek().is("(")) {
        include = labelList("grouping opts");
      }
      if (op.isSet()) {
        throw in.error(left.span(), "no grouping allowed for \"" + op.text + "\" operation");
      }
      for (String label : include) {
        if (on && labels.contains(label)) {
          throw in.error(
              at, "label \"" + label + "\" must not occur in ON and GROUP clause at once");
        }
      }
    }
    return new Matching(on, labels, many, include, fill(op));
  }

  /** {@code fill(x)}, or {@code fill_left(x)} and {@code fill_right(x)} in any order. */
  private Fill fill(BinaryOp op) throws ParseException {
    Fill fill = Fill.NONE;
    while (options.has(Feature.FILL_MODIFIERS) && in.peekBehind().is("(")) {
      Token word = in.peek();
      boolean both = word.isWord("fill");
      boolean left = both || word.isWord("fill_left");
      boolean right = both || word.isWord("fill_right");
      if (!left && !right) {
        break;
      }
      if (op.isSet()) {
        throw in.error(word.span(), "no fill allowed for \"" + op.text + "\" operation");
      }
      if (left && fill.left().isPresent() || right && fill.right().isPresent()) {
        throw in.error(word.span(), "a side may not be filled twice");
      }
      in.skip();
      in.skip();
      Optional<Double> value = Optional.of(signedNumber(word.text()));
      in.expect(")", word.text());
      fill = new Fill(left ? value : fill.left(), right ? value : fill.right());
    }
    return fill;
  }

  private double signedNumber(String where) throws ParseException {
    Token token = in.take();
    boolean minus = token.is("-");
    if (minus || token.is("+")) {
      token = in.take();
    }
    double number = numberOf(token);
    if (Double.isNaN(number) && !token.isWord("nan")) {
      throw in.unexpected(token, where, "number");
    }
    return minus ? -number : number;
  }

  private Expr checked(Expr.Binary binary, TextSpan at) throws ParseException {
    ValueType left = binary.left().type();
    ValueType right = binary.right().type();
    boolean scalars = left == ValueType.SCALAR && right == ValueType.SCALAR;
    boolean vectors = left == ValueType.VECTOR && right == ValueType.VECTOR;
    for (Expr side : List.of(binary.left(), binary.right())) {
      if (side.type() != ValueType.SCALAR && side.type() != ValueType.VECTOR) {
        throw in.error(
            side.span(), "binary expression must contain only scalar and instant vector types");
      }
    }
    if (binary.bool() && !binary.op().isComparison()) {
      throw in.error(at, "bool modifier can only be used on comparison operators");
    }
    if (binary.op().isComparison() && scalars && !binary.bool()) {
      throw in.error(at, "comparisons between scalars must use BOOL modifier");
    }
    if (binary.op().isSet() && !vectors) {
      throw in.error(
          binary.span(),
          "set operator \"" + binary.op().text + "\" not allowed in binary scalar expression");
    }
    if (!vectors && !binary.matching().equals(Matching.DEFAULT)) {
      throw in.error(binary.span(), "vector matching only allowed between instant vectors");
    }
    return binary;
  }

  private Expr unary() throws ParseException {
    Token sign = in.peek();
    if (!sign.is("-") && !sign.is("+")) {
      return postfix();
    }
    in.skip();
    Expr input = binary(BinaryOp.UNARY_PRECEDENCE + 1);
    TextSpan span = new TextSpan(sign.span().start(), input.span().end());
    if (input instanceof Expr.Number number) {
      double value = sign.is("-") ? -number.value() : number.value();
      return new Expr.Number(value, number.duration(), span);
    }
    if (input.type() != ValueType.SCALAR && input.type() != ValueType.VECTOR) {
      throw in.error(
          span,
          "unary expression only allowed on expressions of type scalar or instant vector, got \""
              + input.type().description
              + "\"");
    }
    return new Expr.Unary(sign.is("-"), input, span);
  }

  // --- after an expression: ranges, offset, @ ---

  private Expr postfix() throws ParseException {
    Expr expr = primary();
    while (true) {
      Token token = in.peek();
      if (token.is("[")) {
        expr = brackets(expr);
      } else if (token.isWord("offset")) {
        in.skip();
        long offset = durations.offset();
        Expr input = expr;
        expr =
            shifted(
                expr,
                "offset",
                shift -> {
                  if (shift.offset() != 0) {
                    throw in.error(input.span(), "offset may not be set multiple times");
                  }
                  return new Shift(shift.at(), offset);
                });
      } else if (token.is("@")) {
        in.skip();
        At at = at(expr);
        Expr input = expr;
        expr =
            shifted(
                expr,
                "@",
                shift -> {
                  if (shift.at().isPresent()) {
                    throw in.error(input.span(), "@ <timestamp> may not be set multiple times");
                  }
                  return new Shift(Optional.of(at), shift.offset());
                });
      } else if (options.has(Feature.EXTENDED_RANGES)
          && (token.isWord(Edges.ANCHORED.text) || token.isWord(Edges.SMOOTHED.text))) {
        in.skip();
        expr = extended(expr, token.isWord("anchored") ? Edges.ANCHORED : Edges.SMOOTHED);
      } else {
        return expr;
      }
    }
  }

  private Expr extended(Expr expr, Edges edges) throws ParseException {
    TextSpan span = new TextSpan(expr.span().start(), in.previousEnd());
    return switch (expr) {
      case Expr.Selector selector when selector.edges() == Edges.PLAIN ->
          selector.with(edges, span);
      case Expr.Window window when window.selector().edges() == Edges.PLAIN ->
          new Expr.Window(
              window.selector().with(edges, window.selector().span()), window.range(), span);
      case Expr.Selector _,
          Expr.Window _,
          Expr.Number _,
          Expr.Text _,
          Expr.Subquery _,
          Expr.Call _,
          Expr.Aggregate _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ ->
          throw in.error(
              expr.span(),
              edges.text
                  + " modifier must be preceded by an instant vector selector or range vector"
                  + " selector");
    };
  }

  private Expr brackets(Expr expr) throws ParseException {
    Token open = in.take();
    long range = durations.positive();
    if (!in.peek().is(":")) {
      TextSpan span =
          new TextSpan(expr.span().start(), in.expect("]", "range selector").span().end());
      if (!(expr instanceof Expr.Selector selector)) {
        throw in.error(open.span(), "ranges only allowed for vector selectors");
      }
      if (selector.shift().offset() != 0) {
        throw in.error(open.span(), "no offset modifiers allowed before range");
      }
      if (selector.shift().at().isPresent()) {
        throw in.error(open.span(), "no @ modifiers allowed before range");
      }
      return new Expr.Window(selector, range, span);
    }
    in.skip();
    long step = in.peek().is("]") ? 0 : durations.positive();
    TextSpan span =
        new TextSpan(expr.span().start(), in.expect("]", "subquery selector").span().end());
    if (expr.type() != ValueType.VECTOR) {
      throw in.error(
          expr.span(),
          "subquery is only allowed on instant vector, got " + expr.type().text + " instead");
    }
    return new Expr.Subquery(expr, range, step, Shift.NONE, span);
  }

  /** The shift of a selector or subquery after a modifier; fails when it may not be changed. */
  private interface ShiftChange {
    Shift of(Shift before) throws ParseException;
  }

  private Expr shifted(Expr expr, String modifier, ShiftChange change) throws ParseException {
    TextSpan span = new TextSpan(expr.span().start(), in.previousEnd());
    return switch (expr) {
      case Expr.Selector selector -> selector.with(change.of(selector.shift()), span);
      case Expr.Window window -> {
        Expr.Selector selector = window.selector();
        yield new Expr.Window(
            selector.with(change.of(selector.shift()), selector.span()), window.range(), span);
      }
      case Expr.Subquery subquery ->
          new Expr.Subquery(
              subquery.input(),
              subquery.range(),
              subquery.step(),
              change.of(subquery.shift()),
              span);
      case Expr.Number _,
          Expr.Text _,
          Expr.Call _,
          Expr.Aggregate _,
          Expr.Unary _,
          Expr.Binary _,
          Expr.Paren _ ->
          throw in.error(
              expr.span(),
              modifier
                  + " modifier must be preceded by an instant vector selector or range vector"
                  + " selector or a subquery");
    };
  }

  private At at(Expr expr) throws ParseException {
    Token token = in.take();
    if (token.isWord("start") || token.isWord("end")) {
      for (String parenthesis : List.of("(", ")")) {
        Token next = in.take();
        if (!next.is(parenthesis)) {
          throw in.unexpected(next, "@", "timestamp");
        }
      }
      return token.isWord("start") ? new At.Start() : new At.End();
    }
    boolean minus = token.is("-");
    if (minus || token.is("+")) {
      token = in.take();
    }
    double seconds = numberOf(token);
    if (Double.isNaN(seconds) && !token.isWord("nan")) {
      throw in.unexpected(token, "@", "timestamp");
    }
    double millis = seconds * 1000;
    if (!(Math.abs(millis) < Long.MAX_VALUE)) {
      throw in.error(
          expr.span(), "timestamp out of bounds for @ modifier: " + Numbers.text(seconds));
    }
    return new At.Time(Math.round(minus ? -millis : millis));
  }

  // --- primary expressions ---

  private Expr primary() throws ParseException {
    Token token = in.peek();
    return switch (token.kind()) {
      case NUMBER -> {
        in.skip();
        yield new Expr.Number(token.number(), token.span());
      }
      case DURATION -> {
        in.skip();
        yield new Expr.Number(token.number() / 1000, true, token.span());
      }
      case STRING -> {
        in.skip();
        yield new Expr.Text(token.text(), token.span());
      }
      case WORD -> word();
      case SYMBOL -> {
        if (token.is("(")) {
          in.skip();
          Expr inner = binary(0);
          Token close = in.expect(")", "parenthesised expression");
          yield new Expr.Paren(inner, new TextSpan(token.span().start(), close.span().end()));
        }
        if (token.is("{")) {
          yield selector(Optional.empty());
        }
        throw in.unexpected(token);
      }
      case END -> throw in.unexpected(token);
    };
  }

  private Expr word() throws ParseException {
    Token token = in.take();
    Optional<Aggregation> aggregation = Aggregation.named(token.text());
    if (aggregation.isPresent()
        && (in.peek().is("(") || in.peek().isWord("by") || in.peek().isWord("without"))) {
      return aggregate(token, aggregation.get());
    }
    if (in.peek().is("(") && !Keywords.isReserved(token.text())) {
      return call(token);
    }
    double number = numberOf(token);
    if (Keywords.isNumber(token.text())) {
      return new Expr.Number(number, token.span());
    }
    if (Keywords.isReserved(token.text())) {
      throw in.unexpected(token);
    }
    return selector(Optional.of(token));
  }

  static double numberOf(Token token) {
    return switch (token.kind()) {
      case NUMBER -> token.number();
      case DURATION -> token.number() / 1000;
      default -> token.isWord("inf") ? Double.POSITIVE_INFINITY : Double.NaN;
    };
  }

  private Expr aggregate(Token name, Aggregation op) throws ParseException {
    if (op.isExperimental() && !options.has(Feature.EXPERIMENTAL_FUNCTIONS)) {
      throw in.error(
          name.span(),
          op.text()
              + "() is experimental and must be enabled with"
              + " --enable-feature=promql-experimental-functions");
    }
    Optional<Grouping> grouping = grouping();
    List<Expr> arguments = arguments(false);
    if (grouping.isEmpty()) {
      grouping = grouping();
    }
    TextSpan span = new TextSpan(name.span().start(), in.previousEnd());
    int wanted = op.parameter().isPresent() ? 2 : 1;
    if (arguments.isEmpty()) {
      throw in.error(span, "no arguments for aggregate expression provided");
    }
    if (arguments.size() != wanted) {
      throw in.error(
          span,
          "wrong number of arguments for aggregate expression provided, expected "
              + wanted
              + ", got "
              + arguments.size());
    }
    Expr input = arguments.getLast();
    expectType(input, ValueType.VECTOR, "aggregation expression");
    Optional<Expr> parameter = Optional.empty();
    if (op.parameter().isPresent()) {
      parameter = Optional.of(arguments.getFirst());
      expectType(arguments.getFirst(), op.parameter().get(), "aggregation parameter");
    }
    return new Expr.Aggregate(op, grouping.orElse(Grouping.ALL), parameter, input, span);
  }

  private Optional<Grouping> grouping() throws ParseException {
    boolean without = in.peek().isWord("without");
    if (!without && !in.peek().isWord("by")) {
      return Optional.empty();
    }
    in.skip();
    return Optional.of(new Grouping(without, labelList("grouping opts")));
  }

  private Expr call(Token name) throws ParseException {
    Function function =
        Function.named(name.text())
            .filter(named -> !named.isNewer() || options.has(Feature.NEWER_FUNCTIONS))
            .orElseThrow(
                () -> in.error(name.span(), "unknown function with name \"" + name.text() + "\""));
    if (function.isExperimental() && !options.has(Feature.EXPERIMENTAL_FUNCTIONS)) {
      throw in.error(name.span(), "function \"" + name.text() + "\" is not enabled");
    }
    List<Expr> arguments = arguments(function == Function.OfVectors.INFO);
    TextSpan span = new TextSpan(name.span().start(), in.previousEnd());
    int fewest = function.fewestArguments();
    int most = function.mostArguments();
    if (arguments.size() < fewest || arguments.size() > most) {
      String wanted = fewest == most ? "" : arguments.size() < fewest ? "at least " : "at most ";
      throw in.error(
          span,
          "expected "
              + wanted
              + (arguments.size() < fewest ? fewest : most)
              + " argument(s) in call to \""
              + name.text()
              + "\", got "
              + arguments.size());
    }
    for (int i = 0; i < arguments.size(); i++) {
      expectType(
          arguments.get(i), function.argument(i), "call to function \"" + name.text() + "\"");
    }
    if (function == Function.OfVectors.INFO
        && arguments.size() == 2
        && !(arguments.get(1) instanceof Expr.Selector)) {
      throw in.error(arguments.get(1).span(), "expected label selectors only");
    }
    return new Expr.Call(function, arguments, span);
  }

  private List<Expr> arguments(boolean ofInfo) throws ParseException {
    in.expect("(", "call");
    List<Expr> arguments = new ArrayList<>();
    if (!in.peek().is(")")) {
      do {
        emptySelectorAllowed = ofInfo && arguments.size() == 1;
        arguments.add(binary(0));
        emptySelectorAllowed = false;
      } while (in.takeSymbol(","));
    }
    in.expect(")", "call");
    return arguments;
  }

  private void expectType(Expr expr, ValueType wanted, String where) throws ParseException {
    if (expr.type() != wanted) {
      throw in.error(
          expr.span(),
          "expected type "
              + wanted.description
              + " in "
              + where
              + ", got "
              + expr.type().description);
    }
  }

  // --- selectors and labels ---

  private Expr selector(Optional<Token> name) throws ParseException {
    int start = name.map(token -> token.span().start()).orElse(in.peek().span().start());
    List<Matcher> matchers = new ArrayList<>();
    if (in.takeSymbol("{")) {
      matchers.addAll(matchers(name));
    }
    name.ifPresent(token -> matchers.add(Matcher.equal(Labels.NAME, token.text())));
    TextSpan span = new TextSpan(start, in.previousEnd());
    if (!emptySelectorAllowed && matchers.stream().allMatch(matcher -> matcher.matches(""))) {
      throw in.error(span, "vector selector must contain at least one non-empty matcher");
    }
    return new Expr.Selector(
        List.copyOf(matchers), name.isPresent(), Shift.NONE, Edges.PLAIN, span);
  }

  /** The matchers in braces, and the closing brace. */
  private List<Matcher> matchers(Optional<Token> outerName) throws ParseException {
    List<Matcher> matchers = new ArrayList<>();
    while (!in.peek().is("}")) {
      matchers.add(matcher(outerName));
      if (!in.takeSymbol(",") && !in.peek().is("}")) {
        throw in.unexpected(in.peek(), "label matching", "\",\" or \"}\"");
      }
    }
    in.skip();
    return matchers;
  }

  private Matcher matcher(Optional<Token> outerName) throws ParseException {
    Token label = in.take();
    if (label.kind() != Token.Kind.WORD && label.kind() != Token.Kind.STRING) {
      throw in.unexpected(label, "label matching", "identifier or \"}\"");
    }
    Matcher.Kind kind = matcherKind();
    Matcher matcher;
    if (kind == null) {
      if (label.kind() != Token.Kind.STRING) {
        throw in.unexpected(in.peek(), "label matching", "label matching operator");
      }
      matcher = Matcher.equal(Labels.NAME, label.text());
    } else {
      in.skip();
      Token value = in.take();
      if (value.kind() != Token.Kind.STRING) {
        throw in.unexpected(value, "label matching", "string");
      }
      try {
        matcher = Matcher.of(kind, label.text(), value.text());
      } catch (IllegalArgumentException e) {
        throw in.error(label.span(), e.getMessage());
      }
    }
    if (outerName.isPresent() && matcher.isName()) {
      throw in.error(
          outerName.get().span(),
          "metric name must not be set twice: \""
              + outerName.get().text()
              + "\" or \""
              + matcher.value()
              + "\"");
    }
    return matcher;
  }

  private Matcher.Kind matcherKind() {
    for (Matcher.Kind kind : Matcher.Kind.values()) {
      if (in.peek().is(kind.text)) {
        return kind;
      }
    }
    return null;
  }

  private List<String> labelList(String where) throws ParseException {
    in.expect("(", where);
    List<String> labels = new ArrayList<>();
    while (!in.peek().is(")")) {
      Token label = in.take();
      boolean isLabel =
          label.kind() == Token.Kind.STRING && !label.text().isEmpty()
              || label.kind() == Token.Kind.WORD && !Keywords.isNumber(label.text());
      if (!isLabel) {
        throw in.unexpected(label, where, "label");
      }
      labels.add(label.text());
      if (!in.takeSymbol(",") && !in.peek().is(")")) {
        throw in.unexpected(in.peek(), where, "\",\" or \")\"");
      }
    }
    in.skip();
    return List.copyOf(labels);
  }
}
