package io.fleetgauge.query.rules.template;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The functions of templates: those of Go's text/template that rules use, and those of Prometheus.
 *
 * @see <a href="https://prometheus.io/docs/prometheus/latest/configuration/template_reference/">
 *     Template reference</a>
 */
enum TemplateFunction {
  // Those of Go.
  AND("and", 1, Integer.MAX_VALUE),
  OR("or", 1, Integer.MAX_VALUE),
  NOT("not", 1),
  LEN("len", 1),
  INDEX("index", 1, Integer.MAX_VALUE),
  EQ("eq", 2, Integer.MAX_VALUE),
  NE("ne", 2),
  LT("lt", 2),
  LE("le", 2),
  GT("gt", 2),
  GE("ge", 2),
  PRINT("print", 0, Integer.MAX_VALUE),
  PRINTF("printf", 1, Integer.MAX_VALUE),
  URLQUERY("urlquery", 0, Integer.MAX_VALUE),
  // Those of Prometheus.
  ARGS("args", 0, Integer.MAX_VALUE),
  QUERY("query", 1),
  FIRST("first", 1),
  LABEL("label", 2),
  VALUE("value", 1),
  STRVALUE("strvalue", 1),
  SORT_BY_LABEL("sortByLabel", 2),
  RE_REPLACE_ALL("reReplaceAll", 3),
  MATCH("match", 2),
  SAFE_HTML("safeHtml", 1),
  TITLE("title", 1),
  TO_UPPER("toUpper", 1),
  TO_LOWER("toLower", 1),
  GRAPH_LINK("graphLink", 1),
  TABLE_LINK("tableLink", 1),
  URL_QUERY_ESCAPE("urlQueryEscape", 1),
  STRIP_PORT("stripPort", 1),
  STRIP_DOMAIN("stripDomain", 1),
  PARSE_DURATION("parseDuration", 1),
  HUMANIZE("humanize", 1),
  HUMANIZE1024("humanize1024", 1),
  HUMANIZE_DURATION("humanizeDuration", 1),
  HUMANIZE_PERCENTAGE("humanizePercentage", 1),
  HUMANIZE_TIMESTAMP("humanizeTimestamp", 1),
  TO_TIME("toTime", 1),
  PATH_PREFIX("pathPrefix", 0),
  EXTERNAL_URL("externalURL", 0),
  NOW("now", 0),
  // Ours.
  COMPLETENESS("completeness", 0);

  private static final Map<String, TemplateFunction> BY_NAME =
      Arrays.stream(values()).collect(Collectors.toMap(Object::toString, Function.identity()));

  /** Words of Go and Prometheus that are not supported, with what to use instead. */
  private static final Map<String, String> UNSUPPORTED =
      Map.ofEntries(
          Map.entry("block", "use define and template"),
          Map.entry("break", "use if inside the range"),
          Map.entry("continue", "use if inside the range"),
          Map.entry("nil", "test with if, without a comparison"),
          Map.entry("call", "no value of a template is a function"),
          Map.entry("html", "Alertmanager's templates escape HTML"),
          Map.entry("js", "JavaScript is not supported in alerts"),
          Map.entry("println", "use print or printf"),
          Map.entry("slice", "use printf \"%.8s\" or reReplaceAll"),
          Map.entry("toDuration", "use humanizeDuration"),
          Map.entry("tmpl", "use template"));

  private final String text;
  private final int least;
  private final int most;

  TemplateFunction(String text, int arguments) {
    this(text, arguments, arguments);
  }

  TemplateFunction(String text, int least, int most) {
    this.text = text;
    this.least = least;
    this.most = most;
  }

  /** The function with a name; null if there is none. */
  static TemplateFunction named(String name) {
    return BY_NAME.get(name);
  }

  /** Says why a word is no function. */
  static String refusal(String word) {
    String instead = UNSUPPORTED.get(word);
    if (Character.isDigit(word.charAt(0))) {
      return word + " is no decimal number such as 15 or 1.5";
    }
    return instead == null
        ? "there is no function " + word
        : word + " is not supported; " + instead;
  }

  /** Fails unless a call may have so many arguments. */
  void check(int arguments) throws TemplateFailure {
    if (arguments < least || arguments > most) {
      throw new TemplateFailure(
          text
              + " needs "
              + (least < most ? "at least " : "")
              + (least == 1 ? "1 argument" : least + " arguments")
              + ", not "
              + arguments);
    }
  }

  /** The name in templates. */
  @Override
  public String toString() {
    return text;
  }
}
