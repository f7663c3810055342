package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.expr.BinaryOp;
import io.fleetgauge.promql.expr.Feature;
import io.fleetgauge.promql.expr.Keywords;

/**
 * Reads durations: a literal, or a number of seconds; with {@link Feature#DURATION_EXPRESSIONS}
 * also arithmetic of them. What {@code step()} and {@code range()} mean is known when a query is
 * read, so a duration is always a number of milliseconds in the tree.
 */
final class DurationReader {
  private static final int MAX_DEPTH = 100;

  private final TokenCursor in;
  private final ParseOptions options;
  private int depth;

  DurationReader(TokenCursor in, ParseOptions options) {
    this.in = in;
    this.options = options;
  }

  /** The duration in brackets, ms, above 0. */
  long positive() throws ParseException {
    Token first = in.peek();
    double seconds = isArithmetic() ? expression(0) : literal("subquery selector");
    long millis = millis(first, seconds);
    if (millis <= 0) {
      throw in.error(first.span(), "duration must be greater than 0");
    }
    return millis;
  }

  /** The duration after {@code offset}, ms; arithmetic needs parentheses. */
  long offset() throws ParseException {
    Token first = in.peek();
    return millis(first, isArithmetic() ? signedPrimary() : literal("offset"));
  }

  private boolean isArithmetic() {
    return options.has(Feature.DURATION_EXPRESSIONS);
  }

  private long millis(Token first, double seconds) throws ParseException {
    if (!(Math.abs(seconds) < Long.MAX_VALUE / 1e9)) {
      throw in.error(first.span(), "duration out of range");
    }
    return Math.round(seconds * 1000);
  }

  private double literal(String where) throws ParseException {
    boolean minus = in.takeSymbol("-");
    if (!minus) {
      in.takeSymbol("+");
    }
    double seconds = number(in.take(), where);
    return minus ? -seconds : seconds;
  }

  private double number(Token token, String where) throws ParseException {
    return switch (token.kind()) {
      case DURATION -> token.number() / 1000;
      case NUMBER -> token.number();
      default -> throw in.unexpected(token, where, "number or duration");
    };
  }

  // --- arithmetic, in seconds ---

  private double expression(int lowest) throws ParseException {
    if (++depth > MAX_DEPTH) {
      throw in.error(in.peek().span(), "the duration nests deeper than " + MAX_DEPTH + " levels");
    }
    double left;
    if (in.takeSymbol("-")) {
      left = -expression(BinaryOp.UNARY_PRECEDENCE + 1);
    } else {
      in.takeSymbol("+");
      left = primary();
    }
    while (true) {
      Token token = in.peek();
      BinaryOp op = token.kind() == Token.Kind.SYMBOL ? Keywords.operator(token.text()) : null;
      if (op == null || op.family != BinaryOp.Family.ARITHMETIC || op.precedence < lowest) {
        depth--;
        return left;
      }
      in.skip();
      double right = expression(op.isRightAssociative() ? op.precedence : op.precedence + 1);
      left =
          switch (op) {
            case ADD -> left + right;
            case SUBTRACT -> left - right;
            case MULTIPLY -> left * right;
            case POWER -> Math.pow(left, right);
            case DIVIDE -> {
              notZero(token, right);
              yield left / right;
            }
            case MODULO -> {
              notZero(token, right);
              yield left % right;
            }
            default -> throw in.unexpected(token, "duration", "arithmetic operator");
          };
    }
  }

  private void notZero(Token operator, double divisor) throws ParseException {
    if (divisor == 0) {
      String what = operator.is("/") ? "division" : "modulo";
      throw in.error(operator.span(), what + " by zero in duration");
    }
  }

  private double signedPrimary() throws ParseException {
    if (in.takeSymbol("-")) {
      return -primary();
    }
    in.takeSymbol("+");
    return primary();
  }

  private double primary() throws ParseException {
    Token token = in.take();
    if (token.is("(")) {
      double inner = expression(0);
      in.expect(")", "duration");
      return inner;
    }
    if (token.isWord("step")) {
      return none(token, options.queryStep());
    }
    if (options.has(Feature.NEWER_FUNCTIONS)) {
      if (token.isWord("range")) {
        return none(token, options.queryRange());
      }
      if (token.isWord("min_of") || token.isWord("max_of")) {
        in.expect("(", token.text());
        double first = expression(0);
        in.expect(",", token.text());
        double second = expression(0);
        in.expect(")", token.text());
        return token.isWord("min_of") ? Math.min(first, second) : Math.max(first, second);
      }
    }
    return number(token, "duration");
  }

  private double none(Token name, long millis) throws ParseException {
    in.expect("(", name.text());
    in.expect(")", name.text());
    return millis / 1000.0;
  }
}
