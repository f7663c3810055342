package io.fleetgauge.query.rules.template;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.rules.template.Answers.Unanswered;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Utf8Order;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The functions of templates: those of Go's text/template, and those that Prometheus adds.
 *
 * @see <a href="https://prometheus.io/docs/prometheus/latest/configuration/template_reference/">
 *     Template reference</a>
 */
final class Functions {
  /** What an argument has to be. */
  enum Type {
    STRING("string"),
    SAMPLE("*template.sample"),
    RESULT("template.queryResult"),
    ANY("interface {}"),
    VALUE("reflect.Value");

    final String text;

    Type(String text) {
      this.text = text;
    }

    boolean mayBeNil() {
      return this != STRING;
    }

    boolean accepts(Object value) {
      return switch (this) {
        case STRING -> value instanceof String;
        case SAMPLE -> value instanceof Values.Sample;
        case RESULT -> value instanceof Values.Result;
        case ANY, VALUE -> true;
      };
    }
  }

  /**
   * The arguments of a function.
   *
   * @param rest of those behind the fixed ones; null if there are none
   */
  record Signature(List<Type> fixed, Type rest) {}

  private static final Map<String, Signature> SIGNATURES = signatures();

  /** Most characters that go into the functions of an execution and come out of them. */
  private static final int MAX_HANDLED = 1 << 24;

  /** A sample counts as so many characters. */
  private static final int SAMPLE_CHARACTERS = 64;

  private final TemplateData data;
  private final Answers answers;
  private long handled;

  Functions(TemplateData data, Answers answers) {
    this.data = data;
    this.answers = answers;
  }

  /** The names of all functions. */
  static Set<String> names() {
    return SIGNATURES.keySet();
  }

  static Signature signature(String name) {
    return SIGNATURES.get(name);
  }

  private static Map<String, Signature> signatures() {
    Map<String, Signature> all = new TreeMap<>();
    // Those of Go.
    all.put("and", new Signature(List.of(Type.VALUE), Type.VALUE));
    all.put("or", new Signature(List.of(Type.VALUE), Type.VALUE));
    all.put("not", fixed(Type.VALUE));
    all.put("call", new Signature(List.of(Type.VALUE), Type.VALUE));
    all.put("len", fixed(Type.VALUE));
    for (String name : List.of("index", "slice", "eq")) {
      all.put(name, new Signature(List.of(Type.VALUE), Type.VALUE));
    }
    for (String name : List.of("ne", "lt", "le", "gt", "ge")) {
      all.put(name, fixed(Type.VALUE, Type.VALUE));
    }
    for (String name : List.of("print", "println", "html", "js", "urlquery", "args")) {
      all.put(name, new Signature(List.of(), Type.ANY));
    }
    all.put("printf", new Signature(List.of(Type.STRING), Type.ANY));
    // Those of Prometheus.
    all.put("query", fixed(Type.STRING));
    all.put("first", fixed(Type.RESULT));
    all.put("label", fixed(Type.STRING, Type.SAMPLE));
    all.put("value", fixed(Type.SAMPLE));
    all.put("strvalue", fixed(Type.SAMPLE));
    all.put("sortByLabel", fixed(Type.STRING, Type.RESULT));
    all.put("reReplaceAll", fixed(Type.STRING, Type.STRING, Type.STRING));
    all.put("match", fixed(Type.STRING, Type.STRING));
    for (String name :
        List.of(
            "safeHtml",
            "title",
            "toUpper",
            "toLower",
            "graphLink",
            "tableLink",
            "stripPort",
            "stripDomain",
            "parseDuration",
            "urlQueryEscape")) {
      all.put(name, fixed(Type.STRING));
    }
    for (String name :
        List.of(
            "humanize",
            "humanize1024",
            "humanizeDuration",
            "humanizePercentage",
            "humanizeTimestamp",
            "toTime",
            "toDuration")) {
      all.put(name, fixed(Type.ANY));
    }
    for (String name : List.of("pathPrefix", "externalURL", "now", "completeness")) {
      all.put(name, fixed());
    }
    return all;
  }

  private static Signature fixed(Type... types) {
    return new Signature(List.of(types), null);
  }

  /** Calls a function. */
  Object call(String name, List<Object> given) throws TemplateFailure, Unanswered {
    for (Object argument : given) {
      handle(argument);
    }
    return returned(value(name, given));
  }

  /** A value that a function or a method returns, unless it is too long. */
  Object returned(Object value) throws TemplateFailure {
    if (value instanceof String string && string.length() > Execution.MAX_OUTPUT) {
      throw GoFormat.tooLong();
    }
    handle(value);
    return value;
  }

  /** Counts what functions handle: that bounds how long they take, and what variables keep. */
  private void handle(Object value) throws TemplateFailure {
    handled +=
        switch (value) {
          case String string -> string.length();
          case Values.Html html -> html.text().length();
          case Values.Result result -> (long) result.samples().size() * SAMPLE_CHARACTERS;
          case null, default -> 1;
        };
    if (handled > MAX_HANDLED) {
      throw new TemplateFailure(
          "the functions of the template handle more than " + MAX_HANDLED + " characters");
    }
  }

  /** A text that comes of it is bounded, or at most ten times as long as a text that is given. */
  private Object value(String name, List<Object> given) throws TemplateFailure, Unanswered {
    return switch (name) {
      case "not" -> !Values.isTrue(given.getFirst());
      case "call" -> throw notCalled(given.getFirst());
      case "len" -> length(given.getFirst());
      case "index" -> index(given);
      case "slice" -> slice(given);
      case "eq" -> anyEqual(given);
      case "ne" -> !Values.equal(given.get(0), given.get(1));
      case "lt" -> Values.less(given.get(0), given.get(1));
      case "le" -> atMost(given.get(0), given.get(1));
      case "gt" -> !atMost(given.get(0), given.get(1));
      case "ge" -> !Values.less(given.get(0), given.get(1));
      case "print" -> GoFormat.print(given);
      case "println" -> GoFormat.println(given);
      case "printf" -> GoFormat.printf((String) given.getFirst(), given.subList(1, given.size()));
      case "html" -> Texts.html(joined(given));
      case "js" -> Texts.js(joined(given));
      case "urlquery" -> Links.queryEscape(joined(given));
      case "args" -> arguments(given);
      case "query" -> query((String) given.getFirst());
      case "first" -> first((Values.Result) given.getFirst());
      case "label" -> label((String) given.get(0), (Values.Sample) given.get(1));
      case "value" -> sample(given.getFirst()).value();
      case "strvalue" -> label("__value__", (Values.Sample) given.getFirst());
      case "sortByLabel" -> sorted((String) given.get(0), (Values.Result) given.get(1));
      case "reReplaceAll" ->
          Texts.replaced((String) given.get(0), (String) given.get(1), (String) given.get(2));
      case "match" -> Texts.matches((String) given.get(0), (String) given.get(1));
      case "safeHtml" -> new Values.Html((String) given.getFirst());
      case "title" -> Texts.title((String) given.getFirst());
      case "toUpper" -> ((String) given.getFirst()).toUpperCase(Locale.ROOT);
      case "toLower" -> ((String) given.getFirst()).toLowerCase(Locale.ROOT);
      case "graphLink" -> Links.graph((String) given.getFirst());
      case "tableLink" -> Links.table((String) given.getFirst());
      case "urlQueryEscape" -> Links.queryEscape((String) given.getFirst());
      case "stripPort" -> Texts.withoutPort((String) given.getFirst());
      case "stripDomain" -> Texts.withoutDomain((String) given.getFirst());
      case "parseDuration" -> Humanized.parseDuration((String) given.getFirst());
      case "humanize" -> Humanized.decimal(given.getFirst());
      case "humanize1024" -> Humanized.binary(given.getFirst());
      case "humanizeDuration" -> Humanized.duration(given.getFirst());
      case "humanizePercentage" -> Humanized.percentage(given.getFirst());
      case "humanizeTimestamp" -> Humanized.timestamp(given.getFirst());
      case "toTime" -> Humanized.time(Humanized.number(given.getFirst()));
      case "toDuration" -> Humanized.toDuration(given.getFirst());
      case "pathPrefix" -> Texts.path(data.externalUrl());
      case "externalURL" -> data.externalUrl();
      case "now" -> data.time() / 1000.0;
      case "completeness" -> data.completeness();
      default -> throw new IllegalArgumentException(name);
    };
  }

  // --- of Go ---

  private static TemplateFailure notCalled(Object value) throws TemplateFailure {
    return new TemplateFailure(
        value == null
            ? "call of nil"
            : "non-function " + GoFormat.value(value) + " of type " + Values.type(value));
  }

  private static String joined(List<Object> given) throws TemplateFailure {
    if (given.size() == 1 && given.getFirst() instanceof String text) {
      return text;
    }
    List<Object> values = new ArrayList<>();
    given.forEach(value -> values.add(value == null ? "<no value>" : value));
    return GoFormat.print(values);
  }

  private static Object length(Object value) throws TemplateFailure {
    return switch (value) {
      case null -> throw new TemplateFailure("reflect: call of reflect.Value.Type on zero Value");
      case String text -> (long) Values.utf8Length(text);
      case Values.Html html -> (long) Values.utf8Length(html.text());
      case Map<?, ?> map -> (long) map.size();
      case Values.Result result -> (long) result.samples().size();
      case Values.Arguments arguments -> (long) arguments.values().size();
      default -> throw new TemplateFailure("len of type " + pointedTo(value));
    };
  }

  /** The type behind a pointer, if it is one. */
  private static String pointedTo(Object value) {
    String type = Values.type(value);
    return type.startsWith("*") ? type.substring(1) : type;
  }

  private static Object index(List<Object> given) throws TemplateFailure {
    Object item = given.getFirst();
    if (item == null) {
      throw new TemplateFailure("index of untyped nil");
    }
    for (Object index : given.subList(1, given.size())) {
      item =
          switch (item) {
            case null -> throw new TemplateFailure("index of untyped nil");
            case String text -> {
              byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
              int place = place(index, bytes.length);
              if (place == bytes.length) {
                throw new TemplateFailure("reflect: string index out of range");
              }
              yield new Values.Uint8(bytes[place] & 0xff);
            }
            case Values.Result result -> {
              int place = place(index, result.samples().size());
              if (place == result.samples().size()) {
                throw new TemplateFailure("reflect: slice index out of range");
              }
              yield result.samples().get(place);
            }
            case Map<?, ?> map -> {
              Object value = map.get(key(index));
              yield value == null ? "" : value;
            }
            case Values.Arguments arguments -> arguments.values().get(key(index));
            default -> throw new TemplateFailure("can't index item of type " + pointedTo(item));
          };
    }
    return item;
  }

  private static String key(Object index) throws TemplateFailure {
    if (index == null) {
      throw new TemplateFailure("value is nil; should be of type string");
    }
    if (!(index instanceof String text)) {
      throw new TemplateFailure("value has type " + Values.type(index) + "; should be string");
    }
    return text;
  }

  private static int place(Object index, int size) throws TemplateFailure {
    long place =
        switch (index) {
          case null -> throw new TemplateFailure("cannot index slice/array with nil");
          case Long number -> number;
          case Values.Uint8 number -> number.value();
          case Values.Named named -> named.value();
          default ->
              throw new TemplateFailure("cannot index slice/array with type " + Values.type(index));
        };
    if (place < 0 || place > size) {
      throw new TemplateFailure("index out of range: " + place);
    }
    return (int) place;
  }

  private static Object slice(List<Object> given) throws TemplateFailure {
    Object item = given.getFirst();
    List<Object> indexes = given.subList(1, given.size());
    if (item == null) {
      throw new TemplateFailure("slice of untyped nil");
    }
    if (indexes.size() > 3) {
      throw new TemplateFailure("too many slice indexes: " + indexes.size());
    }
    if (item instanceof String && indexes.size() == 3) {
      throw new TemplateFailure("cannot 3-index slice a string");
    }
    int size =
        switch (item) {
          case String text -> Values.utf8Length(text);
          case Values.Result result -> result.samples().size();
          default -> throw new TemplateFailure("can't slice item of type " + Values.type(item));
        };
    int from = indexes.isEmpty() ? 0 : place(indexes.get(0), size);
    int to = indexes.size() < 2 ? size : place(indexes.get(1), size);
    if (indexes.size() == 3) {
      int capacity = place(indexes.get(2), size);
      if (to > capacity) {
        throw new TemplateFailure("invalid slice index: " + to + " > " + capacity);
      }
    }
    if (from > to) {
      throw new TemplateFailure("invalid slice index: " + from + " > " + to);
    }
    return switch (item) {
      case String text ->
          new String(
              Arrays.copyOfRange(text.getBytes(StandardCharsets.UTF_8), from, to),
              StandardCharsets.UTF_8);
      default -> new Values.Result(((Values.Result) item).samples().subList(from, to));
    };
  }

  private static boolean anyEqual(List<Object> given) throws TemplateFailure {
    if (given.size() == 1) {
      throw new TemplateFailure("missing argument for comparison");
    }
    for (Object other : given.subList(1, given.size())) {
      if (Values.equal(given.getFirst(), other)) {
        return true;
      }
    }
    return false;
  }

  private static boolean atMost(Object first, Object second) throws TemplateFailure {
    return Values.less(first, second) || Values.equal(first, second);
  }

  // --- of Prometheus ---

  private static Values.Arguments arguments(List<Object> given) {
    Map<String, Object> values = new LinkedHashMap<>();
    for (int i = 0; i < given.size(); i++) {
      values.put("arg" + i, given.get(i));
    }
    return new Values.Arguments(values);
  }

  private Values.Result query(String text) throws TemplateFailure, Unanswered {
    List<Values.Sample> samples = new ArrayList<>();
    for (Answer.Sample sample : answers.query(text)) {
      Map<String, String> labels = new TreeMap<>();
      for (int i = 0; i < sample.labels().size(); i++) {
        labels.put(sample.labels().name(i), sample.labels().value(i));
      }
      Histogram histogram = sample.histogram();
      samples.add(
          new Values.Sample(labels, histogram != null ? histogram : (Object) sample.value()));
    }
    return new Values.Result(samples);
  }

  private static Values.Sample first(Values.Result result) throws TemplateFailure {
    if (result == null || result.samples().isEmpty()) {
      throw new TemplateFailure("first() called on vector with no elements");
    }
    return result.samples().getFirst();
  }

  private static Values.Sample sample(Object value) throws TemplateFailure {
    if (value == null) {
      throw new TemplateFailure("runtime error: invalid memory address or nil pointer dereference");
    }
    return (Values.Sample) value;
  }

  private static String label(String name, Values.Sample sample) throws TemplateFailure {
    return sample(sample).labels().getOrDefault(name, "");
  }

  private static Values.Result sorted(String label, Values.Result result) {
    List<Values.Sample> samples = new ArrayList<>(result == null ? List.of() : result.samples());
    samples.sort(
        (a, b) ->
            Utf8Order.compare(
                a.labels().getOrDefault(label, ""), b.labels().getOrDefault(label, "")));
    return new Values.Result(samples);
  }
}
