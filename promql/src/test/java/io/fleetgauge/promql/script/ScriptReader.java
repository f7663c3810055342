package io.fleetgauge.promql.script;

import io.fleetgauge.promql.expr.Durations;
import io.fleetgauge.promql.expr.Expr;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a script into commands. */
final class ScriptReader {
  private static final Pattern LOAD = Pattern.compile("load(_with_nhcb)?\\s+(\\S+)");
  private static final Pattern INSTANT =
      Pattern.compile("eval(_\\w+)?\\s+instant\\s+(?:at\\s+(\\S+?))\\s+(.+)");
  private static final Pattern RANGE =
      Pattern.compile(
          "eval(_\\w+)?\\s+range\\s+from\\s+(.+)\\s+to\\s+(.+)\\s+step\\s+(\\S+?)\\s+(.+)");
  private static final Pattern EXPECT =
      Pattern.compile(
          "expect\\s+(ordered|fail|warn|info|no_warn|no_info)(?:\\s+(msg|regex):(.*))?");
  private static final Pattern EXPECT_TEXT = Pattern.compile("expect\\s+string\\s+(.+)");
  private static final Pattern EXPECT_RANGE =
      Pattern.compile(
          "expect\\s+range\\s+vector\\s+from\\s+(\\S+)\\s+to\\s+(\\S+)\\s+step\\s+(\\S+)");
  private static final Pattern OLD_FAILURE =
      Pattern.compile("expected_fail_(message|regexp)\\s+(.+)");

  private final List<String> lines;
  private final List<ScriptCommand> commands = new ArrayList<>();
  private int next;

  private ScriptReader(String script) {
    this.lines = script.lines().map(ScriptReader::withoutComment).toList();
  }

  static List<ScriptCommand> read(String script) throws ScriptException {
    return new ScriptReader(script).run();
  }

  private static String withoutComment(String line) {
    String text = line.strip();
    return text.startsWith("#") ? "" : text;
  }

  private List<ScriptCommand> run() throws ScriptException {
    while (next < lines.size()) {
      String line = lines.get(next++);
      String word = line.toLowerCase(Locale.ROOT);
      if (word.isEmpty()) {
        continue;
      }
      if (word.equals("clear")) {
        commands.add(new ScriptCommand.Clear());
      } else if (word.startsWith("load")) {
        load(line);
      } else if (word.startsWith("eval")) {
        eval(line);
      } else {
        throw new ScriptException(next, "neither clear nor load nor eval: " + line);
      }
    }
    return commands;
  }

  private boolean inBody() {
    return next < lines.size() && !lines.get(next).isEmpty();
  }

  private void load(String head) throws ScriptException {
    Matcher matcher = LOAD.matcher(head);
    if (!matcher.matches()) {
      throw new ScriptException(next, "load takes a step: " + head);
    }
    long step = duration(matcher.group(2));
    List<Notation.Line> series = new ArrayList<>();
    while (inBody()) {
      String line = lines.get(next++);
      series.add(new Notation(next).parse(line));
    }
    commands.add(new ScriptCommand.Load(step, series, matcher.group(1) != null));
  }

  private void eval(String head) throws ScriptException {
    int line = next;
    Matcher instant = INSTANT.matcher(head);
    if (instant.matches()) {
      long time = duration(instant.group(2));
      String query = instant.group(3);
      commands.add(new ScriptCommand.Eval(line, time, time, 0, query, body(instant.group(1))));
      return;
    }
    Matcher range = RANGE.matcher(head);
    if (!range.matches()) {
      throw new ScriptException(
          line, "eval takes \"instant at T QUERY\" or \"range from A to B step S QUERY\": " + head);
    }
    long step = duration(range.group(4));
    if (step <= 0) {
      throw new ScriptException(line, "the step must be above 0: " + head);
    }
    commands.add(
        new ScriptCommand.Eval(
            line,
            duration(range.group(2)),
            duration(range.group(3)),
            step,
            range.group(5),
            body(range.group(1))));
  }

  private static final class Body {
    Optional<ScriptCommand.TextRule> failure = Optional.empty();
    List<ScriptCommand.TextRule> warnings;
    List<ScriptCommand.TextRule> infos;
    boolean ordered;
    Optional<String> text = Optional.empty();
    Optional<Double> scalar = Optional.empty();
    Optional<long[]> grid = Optional.empty();
    final List<Notation.Line> series = new ArrayList<>();

    ScriptCommand.Expectation expected() {
      return new ScriptCommand.Expectation(
          failure, warnings, infos, ordered, text, scalar, grid, series);
    }
  }

  private ScriptCommand.Expectation body(String oldForm) throws ScriptException {
    Body body = new Body();
    switch (oldForm == null ? "" : oldForm) {
      case "_fail" -> body.failure = Optional.of(ScriptCommand.TextRule.ANY);
      case "_ordered" -> body.ordered = true;
      case "_warn" -> body.warnings = List.of(ScriptCommand.TextRule.ANY);
      case "_info" -> body.infos = List.of(ScriptCommand.TextRule.ANY);
      case "" -> {}
      default -> throw new ScriptException(next, "eval" + oldForm + " is not known");
    }
    while (inBody()) {
      String line = lines.get(next++);
      if (line.split("\\s", 2)[0].equals("expect")) {
        expectation(line, body);
      } else if (OLD_FAILURE.matcher(line).matches()) {
        Matcher old = OLD_FAILURE.matcher(line);
        boolean exact = old.matches() && old.group(1).equals("message");
        body.failure = Optional.of(rule(exact ? "msg" : "regex", old.group(2)));
      } else {
        Optional<Double> number = number(line);
        if (number.isPresent()) {
          body.scalar = number;
          // A number is the whole result; the rest of the body is skipped.
          while (inBody()) {
            next++;
          }
        } else {
          body.series.add(new Notation(next).parse(line));
        }
      }
    }
    return body.expected();
  }

  private static Optional<Double> number(String line) {
    try {
      return Parser.parse(line) instanceof Expr.Number number
          ? Optional.of(number.value())
          : Optional.empty();
    } catch (ParseException e) {
      return Optional.empty();
    }
  }

  private void expectation(String line, Body body) throws ScriptException {
    Matcher text = EXPECT_TEXT.matcher(line);
    Matcher range = EXPECT_RANGE.matcher(line);
    Matcher rule = EXPECT.matcher(line);
    if (text.matches()) {
      body.text = Optional.of(unquoted(text.group(1)));
    } else if (range.matches()) {
      body.grid =
          Optional.of(
              new long[] {
                duration(range.group(1)), duration(range.group(2)), duration(range.group(3))
              });
    } else if (rule.matches()) {
      ScriptCommand.TextRule wanted = rule(rule.group(2), rule.group(3));
      switch (rule.group(1)) {
        case "ordered" -> body.ordered = true;
        case "fail" -> body.failure = Optional.of(wanted);
        case "warn" -> body.warnings = with(body.warnings, wanted);
        case "info" -> body.infos = with(body.infos, wanted);
        case "no_warn" -> body.warnings = List.of();
        default -> body.infos = List.of();
      }
    } else {
      throw new ScriptException(next, "an expectation that is not known: " + line);
    }
  }

  private static List<ScriptCommand.TextRule> with(
      List<ScriptCommand.TextRule> rules, ScriptCommand.TextRule rule) {
    List<ScriptCommand.TextRule> all = rules == null ? new ArrayList<>() : new ArrayList<>(rules);
    all.add(rule);
    return all;
  }

  private ScriptCommand.TextRule rule(String kind, String text) throws ScriptException {
    if (kind == null) {
      return ScriptCommand.TextRule.ANY;
    }
    if (kind.equals("msg")) {
      return new ScriptCommand.TextRule(Optional.of(text.strip()), Optional.empty());
    }
    try {
      String anywhere = "(?s:.*)(?:" + text.strip() + ")(?s:.*)";
      return new ScriptCommand.TextRule(
          Optional.empty(),
          Optional.of(
              io.fleetgauge.promql.expr.Matcher.of(
                  io.fleetgauge.promql.expr.Matcher.Kind.REGEX, "text", anywhere)));
    } catch (IllegalArgumentException e) {
      throw new ScriptException(next, e.getMessage());
    }
  }

  private String unquoted(String text) throws ScriptException {
    try {
      if (Parser.parse(text) instanceof Expr.Text quoted) {
        return quoted.value();
      }
    } catch (ParseException e) {
      // The error below covers this case, too.
    }
    throw new ScriptException(next, "no quoted string: " + text);
  }

  private long duration(String text) throws ScriptException {
    String digits = text.startsWith("-") ? text.substring(1) : text;
    long millis = Durations.parse(digits);
    if (millis == Durations.NONE) {
      throw new ScriptException(next, "no duration: " + text);
    }
    return text.startsWith("-") ? -millis : millis;
  }
}
