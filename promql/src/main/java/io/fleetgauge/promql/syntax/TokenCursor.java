package io.fleetgauge.promql.syntax;

import io.fleetgauge.promql.expr.TextSpan;
import java.util.List;

/** A position in a query's tokens, and the errors at that position. Not thread-safe. */
final class TokenCursor {
  private final String query;
  private final List<Token> tokens;
  private int next;

  /**
   * @param tokens the last is the end of the input
   */
  TokenCursor(String query, List<Token> tokens) {
    this.query = query;
    this.tokens = tokens;
  }

  Token peek() {
    return tokens.get(next);
  }

  /** The token after the next one. */
  Token peekBehind() {
    return tokens.get(Math.min(next + 1, tokens.size() - 1));
  }

  /** The next token; the end of the input can be taken again and again. */
  Token take() {
    Token token = peek();
    skip();
    return token;
  }

  void skip() {
    if (peek().kind() != Token.Kind.END) {
      next++;
    }
  }

  /** Where the token before the next one ends. */
  int previousEnd() {
    return tokens.get(next - 1).span().end();
  }

  boolean takeSymbol(String symbol) {
    boolean there = peek().is(symbol);
    next += there ? 1 : 0;
    return there;
  }

  boolean takeWord(String word) {
    boolean there = peek().isWord(word);
    next += there ? 1 : 0;
    return there;
  }

  Token expect(String symbol, String where) throws ParseException {
    Token token = peek();
    if (!token.is(symbol)) {
      throw unexpected(token, where, "\"" + symbol + "\"");
    }
    return take();
  }

  void expectEnd() throws ParseException {
    if (peek().kind() != Token.Kind.END) {
      throw unexpected(peek());
    }
  }

  ParseException unexpected(Token token) {
    boolean unclosed = token.kind() == Token.Kind.END && !token.text().isEmpty();
    return error(token.span(), unclosed ? token.text() : "unexpected " + token.describe());
  }

  ParseException unexpected(Token token, String where, String wanted) {
    if (token.kind() == Token.Kind.END && !token.text().isEmpty()) {
      return unexpected(token);
    }
    return error(
        token.span(), "unexpected " + token.describe() + " in " + where + ", expected " + wanted);
  }

  ParseException error(TextSpan span, String message) {
    return new ParseException(query, span, message);
  }
}
