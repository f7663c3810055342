package io.fleetgauge.query.rules.template;

import io.fleetgauge.promql.query.Answer;
import io.fleetgauge.query.rules.template.Answers.UnknownAnswer;
import io.fleetgauge.query.rules.template.TemplateValue.Alert;
import io.fleetgauge.query.rules.template.TemplateValue.Arguments;
import io.fleetgauge.query.rules.template.TemplateValue.Atom;
import io.fleetgauge.query.rules.template.TemplateValue.Bool;
import io.fleetgauge.query.rules.template.TemplateValue.Labels;
import io.fleetgauge.query.rules.template.TemplateValue.Nothing;
import io.fleetgauge.query.rules.template.TemplateValue.Real;
import io.fleetgauge.query.rules.template.TemplateValue.Sample;
import io.fleetgauge.query.rules.template.TemplateValue.Samples;
import io.fleetgauge.query.rules.template.TemplateValue.Text;
import io.fleetgauge.query.rules.template.TemplateValue.Time;
import io.fleetgauge.query.rules.template.TemplateValue.Whole;
import io.fleetgauge.sample.Utf8Order;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Calls functions and reads fields for the expansion of one template. */
final class FunctionCalls {
  /** Most characters that go into the functions of an expansion and come out of them. */
  private static final int MAX_HANDLED = 1 << 24;

  /** A sample counts as so many characters. */
  private static final int SAMPLE_CHARACTERS = 64;

  private final TemplateData data;
  private final Answers answers;
  private long handled;

  FunctionCalls(TemplateData data, Answers answers) {
    this.data = data;
    this.answers = answers;
  }

  /** Calls a function whose arguments were counted. */
  TemplateValue call(TemplateFunction function, List<TemplateValue> arguments)
      throws TemplateFailure, UnknownAnswer {
    try {
      for (TemplateValue argument : arguments) {
        handle(argument);
      }
      return returned(value(function, arguments));
    } catch (TemplateFailure e) {
      throw new TemplateFailure(function + ": " + e.getMessage());
    }
  }

  private TemplateValue returned(TemplateValue value) throws TemplateFailure {
    if (value instanceof Text(String text) && text.length() > TemplateRun.MAX_OUTPUT) {
      throw new TemplateFailure(
          "the result has more than " + TemplateRun.MAX_OUTPUT + " characters");
    }
    handle(value);
    return value;
  }

  /** Counts what functions handle: that bounds how long they take, and what variables keep. */
  private void handle(TemplateValue value) throws TemplateFailure {
    handled +=
        switch (value) {
          case Text(String text) -> text.length();
          case Samples(List<Sample> samples) -> (long) samples.size() * SAMPLE_CHARACTERS;
          case Arguments arguments -> arguments.values().size();
          case Atom _, Sample _, Labels _, Alert _, Nothing _ -> 1;
        };
    if (handled > MAX_HANDLED) {
      throw new TemplateFailure(
          "the functions of the template handle more than " + MAX_HANDLED + " characters");
    }
  }

  /** A text that comes of it is bounded, or at most ten times as long as a text that is given. */
  private TemplateValue value(TemplateFunction function, List<TemplateValue> given)
      throws TemplateFailure, UnknownAnswer {
    TemplateValue first = given.isEmpty() ? TemplateValue.NOTHING : given.getFirst();
    TemplateValue last = given.isEmpty() ? TemplateValue.NOTHING : given.getLast();
    return switch (function) {
      case AND, OR -> throw new IllegalStateException("evaluated without their arguments");
      case NOT -> new Bool(!first.isTrue());
      case LEN -> new Whole(length(first));
      case INDEX -> index(given);
      case EQ -> new Bool(isAnyEqual(given));
      case NE -> new Bool(!first.equalTo(last));
      case LT -> new Bool(first.lessThan(last));
      case LE -> new Bool(first.lessThan(last) || first.equalTo(last));
      case GT -> new Bool(!first.lessThan(last) && !first.equalTo(last));
      case GE -> new Bool(!first.lessThan(last));
      case PRINT -> new Text(Printf.print(given));
      case PRINTF -> new Text(Printf.format(text(first), given.subList(1, given.size())));
      case URLQUERY, URL_QUERY_ESCAPE -> new Text(Links.queryEscape(joined(given)));
      case ARGS -> new Arguments(List.copyOf(given));
      case QUERY -> query(text(first));
      case FIRST -> first(samples(first));
      case LABEL -> new Text(label(text(first), sample(last)));
      case VALUE -> sample(first).value();
      case STRVALUE -> new Text(label("__value__", sample(first)));
      case SORT_BY_LABEL -> sorted(text(first), samples(last));
      case RE_REPLACE_ALL ->
          new Text(TextFunctions.replaced(text(first), text(given.get(1)), text(last)));
      case MATCH -> new Bool(TextFunctions.matches(text(first), text(last)));
      case SAFE_HTML -> new Text(text(first));
      case TITLE -> new Text(TextFunctions.title(text(first)));
      case TO_UPPER -> new Text(text(first).toUpperCase(Locale.ROOT));
      case TO_LOWER -> new Text(text(first).toLowerCase(Locale.ROOT));
      case GRAPH_LINK -> new Text(Links.graph(text(first)));
      case TABLE_LINK -> new Text(Links.table(text(first)));
      case STRIP_PORT -> new Text(TextFunctions.withoutPort(text(first)));
      case STRIP_DOMAIN -> new Text(TextFunctions.withoutDomain(text(first)));
      case PARSE_DURATION -> new Real(HumanNumbers.parseDuration(text(first)));
      case HUMANIZE -> new Text(HumanNumbers.decimal(number(first)));
      case HUMANIZE1024 -> new Text(HumanNumbers.binary(number(first)));
      case HUMANIZE_DURATION -> new Text(HumanNumbers.duration(number(first)));
      case HUMANIZE_PERCENTAGE -> new Text(HumanNumbers.percentage(number(first)));
      case HUMANIZE_TIMESTAMP -> new Text(HumanNumbers.timestamp(number(first)));
      case TO_TIME -> new Time(HumanNumbers.millis(number(first)));
      case PATH_PREFIX -> new Text(TextFunctions.path(data.externalUrl()));
      case EXTERNAL_URL -> new Text(data.externalUrl());
      case NOW -> new Real(data.time() / 1000.0);
      case COMPLETENESS -> new Text(data.completeness());
    };
  }

  // --- arguments ---

  private static TemplateFailure wrong(String wanted, TemplateValue value) {
    return new TemplateFailure("needs " + wanted + ", not " + value.described());
  }

  private static String text(TemplateValue value) throws TemplateFailure {
    if (value instanceof Text(String text)) {
      return text;
    }
    throw wrong("a text", value);
  }

  private static List<Sample> samples(TemplateValue value) throws TemplateFailure {
    if (value instanceof Samples(List<Sample> samples)) {
      return samples;
    }
    throw wrong("the result of a query", value);
  }

  private static Sample sample(TemplateValue value) throws TemplateFailure {
    if (value instanceof Sample sample) {
      return sample;
    }
    throw wrong("a sample, such as that of first", value);
  }

  private static double number(TemplateValue value) throws TemplateFailure {
    if (value instanceof Real(double number)) {
      return number;
    }
    if (value instanceof Whole(long number)) {
      return number;
    }
    if (value instanceof Text(String text)) {
      return HumanNumbers.parsed(text);
    }
    throw wrong("a number", value);
  }

  private static String joined(List<TemplateValue> given) throws TemplateFailure {
    List<TemplateValue> values = new ArrayList<>(given);
    values.replaceAll(each -> each instanceof Nothing ? new Text("<no value>") : each);
    return Printf.print(values);
  }

  // --- of Go ---

  private static long length(TemplateValue value) throws TemplateFailure {
    return switch (value) {
      case Text(String text) -> text.getBytes(StandardCharsets.UTF_8).length;
      case Labels(Map<String, String> labels) -> labels.size();
      case Samples(List<Sample> samples) -> samples.size();
      case Arguments(List<TemplateValue> values) -> values.size();
      case Atom _, Sample _, Alert _, Nothing _ ->
          throw wrong("a text, labels or the result of a query", value);
    };
  }

  private static TemplateValue index(List<TemplateValue> given) throws TemplateFailure {
    TemplateValue item = given.getFirst();
    for (TemplateValue index : given.subList(1, given.size())) {
      item =
          switch (item) {
            case Labels(Map<String, String> labels) ->
                new Text(labels.getOrDefault(text(index), ""));
            case Arguments arguments -> arguments.named(text(index));
            case Samples(List<Sample> samples) -> {
              if (!(index instanceof Whole(long place)) || place < 0 || place >= samples.size()) {
                throw new TemplateFailure("the result has " + samples.size() + " samples only");
              }
              yield samples.get((int) place);
            }
            case Text _, Atom _, Sample _, Alert _, Nothing _ ->
                throw wrong("labels or the result of a query", item);
          };
    }
    return item;
  }

  private static boolean isAnyEqual(List<TemplateValue> given) throws TemplateFailure {
    for (TemplateValue other : given.subList(1, given.size())) {
      if (given.getFirst().equalTo(other)) {
        return true;
      }
    }
    return false;
  }

  /** A field of a value, or the result of a method. */
  TemplateValue field(TemplateValue of, String name, List<TemplateValue> arguments)
      throws TemplateFailure {
    if (of instanceof Time(long millis)) {
      return returned(TimeLayout.method(millis, name, arguments));
    }
    if (!arguments.isEmpty()) {
      throw new TemplateFailure("the field " + name + " is no function, and takes no arguments");
    }
    TemplateValue value =
        switch (of) {
          case Alert alert -> field(alert, name);
          case Sample sample ->
              switch (name) {
                case "Labels" -> new Labels(sample.labels());
                case "Value" -> sample.value();
                default -> null;
              };
          case Labels(Map<String, String> labels) -> new Text(labels.getOrDefault(name, ""));
          case Arguments values -> values.named(name);
          case Nothing _ -> of;
          case Text _, Atom _, Samples _ -> null;
        };
    if (value == null) {
      throw new TemplateFailure(of.described() + " has no field " + name);
    }
    return value;
  }

  private static TemplateValue field(Alert alert, String name) throws TemplateFailure {
    return switch (name) {
      case "Labels" -> new Labels(alert.data().labels());
      case "ExternalLabels" -> new Labels(alert.data().externalLabels());
      case "ExternalURL" -> new Text(alert.data().externalUrl());
      case "Value" -> alert.value();
      case "Partial" -> new Bool(alert.data().partial());
      default ->
          throw new TemplateFailure(
              "an alert has Labels, ExternalLabels, ExternalURL, Value and Partial, but no "
                  + name);
    };
  }

  // --- of Prometheus ---

  private Samples query(String text) throws TemplateFailure, UnknownAnswer {
    List<Sample> samples = new ArrayList<>();
    for (Answer.Sample sample : answers.query(text)) {
      Map<String, String> labels = new TreeMap<>();
      for (int i = 0; i < sample.labels().size(); i++) {
        labels.put(sample.labels().name(i), sample.labels().value(i));
      }
      samples.add(new Sample(labels, TemplateValue.of(sample.value(), sample.histogram())));
    }
    return new Samples(samples);
  }

  private static Sample first(List<Sample> samples) throws TemplateFailure {
    if (samples.isEmpty()) {
      throw new TemplateFailure("the result is empty; use with or range");
    }
    return samples.getFirst();
  }

  private static String label(String name, Sample sample) {
    return sample.labels().getOrDefault(name, "");
  }

  private static Samples sorted(String label, List<Sample> samples) {
    List<Sample> sorted = new ArrayList<>(samples);
    sorted.sort(Comparator.comparing(sample -> label(label, sample), Utf8Order::compare));
    return new Samples(sorted);
  }
}
