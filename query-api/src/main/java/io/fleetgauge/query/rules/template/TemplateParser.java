package io.fleetgauge.query.rules.template;

import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.query.rules.template.TemplateLexer.Kind;
import io.fleetgauge.query.rules.template.TemplateLexer.Token;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Parses a template: it accepts what Go's text/template accepts, but for what rules do not use. */
final class TemplateParser {
  /**
   * A parsed template.
   *
   * @param text parsed text
   * @param root the whole, without the templates that it defines
   * @param defined the templates that it defines, by name
   */
  record Tree(String text, Node.Block root, Map<String, Node.Block> defined) {}

  /** Depth to which parentheses and branches may nest. */
  static final int MAX_DEPTH = 250;

  private static final Set<String> KEYWORDS =
      Set.of("if", "else", "end", "range", "with", "define", "template");

  /** The variables of a template that Prometheus declares. */
  private static final List<String> DECLARED =
      List.of("$", "$labels", "$externalLabels", "$externalURL", "$value");

  private enum Ending {
    END,
    ELSE,
    TEMPLATE
  }

  private enum Branching {
    IF,
    WITH,
    RANGE
  }

  private final String text;
  private final List<Token> tokens;
  private final Map<String, Node.Block> defined = new HashMap<>();
  private List<String> variables = new ArrayList<>(DECLARED);
  private int next;
  private int depth;

  private TemplateParser(String text) throws TemplateFailure {
    this.text = text;
    this.tokens = TemplateLexer.tokens(text);
  }

  static Tree parse(String text) throws TemplateFailure {
    TemplateParser parser = new TemplateParser(text);
    List<Node.Statement> root = new ArrayList<>();
    if (parser.statements(root, true) != Ending.TEMPLATE) {
      Token last = parser.tokens.get(parser.next - 1);
      throw parser.error(last, "there is an else or end without a beginning");
    }
    return new Tree(text, new Node.Block(root), Map.copyOf(parser.defined));
  }

  // --- tokens ---

  private Token peek() {
    return tokens.get(next);
  }

  private Token take() {
    return tokens.get(next++);
  }

  private boolean isWord(String word) {
    return peek().is(Kind.WORD, word);
  }

  /** Takes a word if it is the next token. */
  private boolean takes(String word) {
    boolean is = isWord(word);
    next += is ? 1 : 0;
    return is;
  }

  /** Takes the braces behind an action; returns where it ends. */
  private int close(String what) throws TemplateFailure {
    Token token = take();
    if (token.kind() != Kind.CLOSE) {
      throw unexpected(token, what);
    }
    return token.at();
  }

  private TemplateFailure error(Token token, String message) {
    return TemplateFailure.at(text, token.at(), message);
  }

  private TemplateFailure unexpected(Token token, String where) {
    return error(token, "unexpected " + TemplateFailure.cut(token.text(), 60) + " in " + where);
  }

  private void deeper() throws TemplateFailure {
    if (++depth > MAX_DEPTH) {
      throw error(peek(), "the template nests deeper than " + MAX_DEPTH);
    }
  }

  // --- statements ---

  /** Adds statements up to an {@code end}, an {@code else} or the end of the template. */
  private Ending statements(List<Node.Statement> into, boolean isTop) throws TemplateFailure {
    while (true) {
      Token token = take();
      if (token.kind() == Kind.END) {
        return Ending.TEMPLATE;
      }
      if (token.kind() == Kind.TEXT) {
        into.add(new Node.Text(token.text()));
      } else if (takes("end")) {
        close("end");
        return Ending.END;
      } else if (takes("else")) {
        if (!isWord("if") && !isWord("with")) {
          close("else");
        }
        return Ending.ELSE;
      } else if (isTop && takes("define")) {
        definition(token);
      } else {
        into.add(action(token));
      }
    }
  }

  private Node.Statement action(Token open) throws TemplateFailure {
    if (takes("if")) {
      return branch(open, Branching.IF);
    }
    if (takes("with")) {
      return branch(open, Branching.WITH);
    }
    if (takes("range")) {
      return branch(open, Branching.RANGE);
    }
    if (takes("template")) {
      String name = string("template");
      Node.Pipe pipe = peek().kind() == Kind.CLOSE ? null : pipeline("template", false);
      return new Node.Invocation(open.at(), close("template"), name, pipe);
    }
    Node.Pipe pipe = pipeline("an action", false);
    return new Node.Action(open.at(), close("an action"), pipe);
  }

  private Node.Statement branch(Token open, Branching kind) throws TemplateFailure {
    deeper();
    int outer = variables.size();
    Token first = peek();
    Node.Pipe pipe = pipeline("a condition or range", kind == Branching.RANGE);
    int to = close("a condition or range");
    if (kind == Branching.RANGE
        && pipe.commands().getFirst().first() instanceof Node.Literal literal) {
      throw error(
          first,
          "range over " + literal.value().described() + " is not supported; use labels or a query");
    }
    List<Node.Statement> statements = new ArrayList<>();
    Ending ending = statements(statements, false);
    Node.Block then = new Node.Block(statements);
    Node.Block otherwise = Node.Block.EMPTY;
    if (ending == Ending.ELSE) {
      otherwise = otherwise(kind);
    } else if (ending == Ending.TEMPLATE) {
      throw error(open, "this branch or range has no end");
    }
    variables.subList(outer, variables.size()).clear();
    depth--;
    int from = open.at();
    return switch (kind) {
      case IF -> new Node.If(from, to, pipe, then, otherwise);
      case WITH -> new Node.With(from, to, pipe, then, otherwise);
      case RANGE -> new Node.Range(from, to, pipe, then, otherwise);
    };
  }

  private Node.Block otherwise(Branching kind) throws TemplateFailure {
    if (kind == Branching.IF && takes("if") || kind == Branching.WITH && takes("with")) {
      return new Node.Block(List.of(branch(tokens.get(next - 3), kind)));
    }
    Token first = peek();
    if (first.kind() == Kind.WORD) {
      throw unexpected(first, "else");
    }
    List<Node.Statement> statements = new ArrayList<>();
    if (statements(statements, false) != Ending.END) {
      throw error(first, "this else has no end");
    }
    return new Node.Block(statements);
  }

  private void definition(Token open) throws TemplateFailure {
    String name = string("define");
    close("define");
    List<String> outer = variables;
    variables = new ArrayList<>(List.of("$"));
    List<Node.Statement> statements = new ArrayList<>();
    if (statements(statements, false) != Ending.END) {
      throw error(open, "this define has no end");
    }
    variables = outer;
    Node.Block before = defined.get(name);
    if (before == null || isEmpty(before)) {
      defined.put(name, new Node.Block(statements));
    } else if (!isEmpty(new Node.Block(statements))) {
      throw error(open, "the template " + name + " is defined twice");
    }
  }

  private static boolean isEmpty(Node.Block block) {
    return block.statements().stream()
        .allMatch(each -> each instanceof Node.Text literal && literal.text().isBlank());
  }

  // --- pipelines ---

  /** Parses up to braces or a parenthesis that closes, which it leaves. */
  private Node.Pipe pipeline(String where, boolean isRange) throws TemplateFailure {
    deeper();
    Token first = peek();
    List<String> set = new ArrayList<>();
    boolean declares = declarations(set, isRange);
    List<Node.Command> commands = new ArrayList<>();
    while (peek().kind() != Kind.CLOSE && !peek().isSymbol(")")) {
      Node.Command command = command(where);
      boolean isValue =
          command.first() instanceof Node.Literal || command.first() instanceof Node.Dot;
      if (isValue && !commands.isEmpty()) {
        throw error(first, "only a function may follow |");
      }
      commands.add(command);
    }
    if (commands.isEmpty()) {
      throw error(first, "a value is missing in " + where);
    }
    depth--;
    return new Node.Pipe(List.copyOf(set), declares, commands);
  }

  /** Reads variables that the pipeline sets; returns whether they are new. */
  private boolean declarations(List<String> set, boolean isRange) throws TemplateFailure {
    Token variable = peek();
    if (variable.kind() != Kind.VARIABLE) {
      return false;
    }
    Token behind = tokens.get(next + 1);
    if (behind.isSymbol(",")) {
      Token second = tokens.get(next + 2);
      if (!isRange || second.kind() != Kind.VARIABLE || !tokens.get(next + 3).isSymbol(":=")) {
        throw error(variable, "only range sets two variables: {{ range $i, $x := ... }}");
      }
      next += 2;
      set.add(variable.text());
      variables.add(variable.text());
      variable = second;
      behind = tokens.get(next + 1);
    }
    if (!behind.isSymbol(":=") && !behind.isSymbol("=")) {
      return false;
    }
    if (isRange && behind.isSymbol("=")) {
      throw error(behind, "range does not set a variable with =; use :=");
    }
    next += 2;
    set.add(variable.text());
    variables.add(variable.text());
    return behind.isSymbol(":=");
  }

  private Node.Command command(String where) throws TemplateFailure {
    Node.Operand first = operand(where);
    List<Node.Operand> arguments = new ArrayList<>();
    while (true) {
      Token token = peek();
      if (token.kind() == Kind.CLOSE || token.isSymbol(")")) {
        break;
      }
      if (token.isSymbol("|")) {
        take();
        break;
      }
      if (!token.spaced()) {
        throw unexpected(token, where);
      }
      Node.Operand argument = operand(where);
      if (arguments.isEmpty() && first.equals(new Node.Call(TemplateFunction.PRINTF))) {
        checkFormat(token, argument);
      }
      arguments.add(argument);
    }
    return new Node.Command(first, arguments);
  }

  private void checkFormat(Token at, Node.Operand format) throws TemplateFailure {
    if (format instanceof Node.Literal(TemplateValue.Text(String literal))) {
      try {
        Printf.check(literal);
      } catch (TemplateFailure e) {
        throw error(at, "printf: " + e.getMessage());
      }
    }
  }

  private Node.Operand operand(String where) throws TemplateFailure {
    Token token = take();
    Node.Operand operand =
        switch (token.kind()) {
          case WORD -> word(token, where);
          case FIELD, DOT -> new Node.Dot();
          case VARIABLE -> variable(token);
          case NUMBER -> number(token);
          case STRING -> new Node.Literal(new TemplateValue.Text(unquoted(token)));
          case SYMBOL -> parentheses(token, where);
          case TEXT, OPEN, CLOSE, END -> throw unexpected(token, where);
        };
    List<String> names = new ArrayList<>();
    if (token.kind() == Kind.FIELD) {
      names.add(token.text().substring(1));
    }
    boolean hasFields = token.kind() != Kind.DOT && !(operand instanceof Node.Literal);
    while (peek().kind() == Kind.FIELD && !peek().spaced()) {
      if (!hasFields) {
        throw unexpected(peek(), where);
      }
      names.add(take().text().substring(1));
    }
    if (!names.isEmpty()) {
      checkMethod(token, operand, names.getFirst());
    }
    return names.isEmpty() ? operand : new Node.Fields(operand, List.copyOf(names));
  }

  private Node.Operand variable(Token token) throws TemplateFailure {
    if (!variables.contains(token.text())) {
      throw error(token, "there is no variable " + token.text() + " here");
    }
    return new Node.Variable(token.text());
  }

  private Node.Operand parentheses(Token token, String where) throws TemplateFailure {
    if (!token.isSymbol("(")) {
      throw unexpected(token, where);
    }
    Node.Pipe pipe = pipeline("parentheses", false);
    if (!take().isSymbol(")")) {
      throw error(token, "a parenthesis is not closed");
    }
    return pipe;
  }

  private Node.Operand word(Token word, String where) throws TemplateFailure {
    if (KEYWORDS.contains(word.text())) {
      throw unexpected(word, where);
    }
    if (word.text().equals("true") || word.text().equals("false")) {
      return new Node.Literal(new TemplateValue.Bool(word.text().equals("true")));
    }
    TemplateFunction function = TemplateFunction.named(word.text());
    if (function == null) {
      throw error(word, TemplateFunction.refusal(word.text()));
    }
    return new Node.Call(function);
  }

  /** Refuses methods of a time that are not supported, where a time is in front of them. */
  private void checkMethod(Token at, Node.Operand of, String name) throws TemplateFailure {
    boolean isTime =
        of instanceof Node.Pipe pipe
            && pipe.commands().getLast().first().equals(new Node.Call(TemplateFunction.TO_TIME));
    if (isTime && !TimeLayout.METHODS.contains(name)) {
      throw error(at, TimeLayout.refusal(name));
    }
  }

  private Node.Literal number(Token token) throws TemplateFailure {
    String digits = token.text();
    try {
      if (digits.chars().noneMatch(c -> ".eE".indexOf(c) >= 0)) {
        return new Node.Literal(new TemplateValue.Whole(Long.parseLong(digits)));
      }
      double number = Double.parseDouble(digits);
      if (Double.isFinite(number)) {
        return new Node.Literal(new TemplateValue.Real(number));
      }
    } catch (NumberFormatException e) {
      // Too large for a long.
    }
    throw error(token, digits + " is too large");
  }

  private String string(String where) throws TemplateFailure {
    Token token = take();
    if (token.kind() != Kind.STRING) {
      throw unexpected(token, where);
    }
    return unquoted(token);
  }

  /** Reads a text in quotes, whose escapes are those of PromQL. */
  private String unquoted(Token token) throws TemplateFailure {
    try {
      return ((Expr.Text) Parser.parse(token.text())).value();
    } catch (ParseException e) {
      throw error(token, "a text in quotes has a wrong escape: " + e.getMessage());
    }
  }
}
