package io.fleetgauge.load.compare;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Random valid PromQL queries over {@link ComparedSamples}. A seed and a number determine the
 * query.
 *
 * <p>Queries without a single correct answer are left out: functions whose last bit depends on the
 * machine's mathematics stand only where that cannot grow, at the root; dates of what is no date;
 * quantiles over more than twelve samples that mix 0 and -0; and rankings of equal values, because
 * a range query of Prometheus takes series in random order.
 */
public final class QueryGenerator {
  private static final long START = ComparedSamples.START;

  private static final List<String> METRICS =
      List.of(
          "DCGM_FI_DEV_GPU_UTIL",
          "DCGM_FI_DEV_POWER_USAGE",
          "requests_total",
          "resets_total",
          "latency_bucket",
          "odd_bucket",
          "sometimes",
          "constant",
          "gpu_job",
          "odd_values");

  private static final List<String> MATCHERS =
      List.of(
          "Hostname=\"n1\"",
          "Hostname=~\"n[0-3]\"",
          "Hostname!=\"n2\"",
          "Hostname!~\"n[4567]\"",
          "rack=\"r1\"",
          "rack=~\"r0|r2\"",
          "rack!~\"r1.*\"",
          "gpu=\"0\"",
          "gpu!=\"\"",
          "gpu=\"\"",
          "le=~\"1|.Inf\"",
          "le!=\"0.1\"",
          "tenant=\"blue\"",
          "job=~\"job-.+\"",
          "nosuch=\"\"");

  private static final List<String> LABELS =
      List.of("Hostname", "rack", "gpu", "le", "job", "tenant", "nosuch");

  private static final List<String> COUNTER_FUNCTIONS =
      List.of("rate", "increase", "irate", "delta", "idelta", "changes", "resets", "deriv");

  private static final List<String> RANGE_FUNCTIONS =
      List.of(
          "avg_over_time",
          "min_over_time",
          "max_over_time",
          "sum_over_time",
          "count_over_time",
          "last_over_time",
          "present_over_time",
          "stddev_over_time",
          "stdvar_over_time",
          "absent_over_time");

  private static final List<String> EXPERIMENTAL_RANGE_FUNCTIONS =
      List.of(
          "mad_over_time", "ts_of_max_over_time", "ts_of_min_over_time", "ts_of_last_over_time");

  private static final List<String> ELEMENT_FUNCTIONS =
      List.of("abs", "ceil", "floor", "sqrt", "sgn", "round");

  /** Those whose last bit depends on the library. */
  private static final List<String> TRANSCENDENTAL =
      List.of(
          "exp", "ln", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
          "tanh", "asinh", "acosh", "atanh", "deg", "rad");

  private static final List<String> CALENDAR =
      List.of(
          "minute",
          "hour",
          "day_of_week",
          "day_of_month",
          "day_of_year",
          "days_in_month",
          "month",
          "year");

  private static final List<String> DURATIONS =
      List.of("15s", "30s", "47s", "1m", "90s", "2m", "5m", "7m30s", "12m");

  /** A question: where it goes and with which parameters. */
  public record Question(String path, Map<String, String> parameters) {}

  private final SplittableRandom random;
  private final boolean experimental;
  private final List<String> matchers;
  private final List<String> labels;

  private QueryGenerator(
      long seed, boolean experimental, List<String> moreMatchers, List<String> moreLabels) {
    this.random = new SplittableRandom(seed);
    this.experimental = experimental;
    this.matchers = Stream.concat(MATCHERS.stream(), moreMatchers.stream()).toList();
    this.labels = Stream.concat(LABELS.stream(), moreLabels.stream()).toList();
  }

  /**
   * @param experimental whether functions may occur that Prometheus has behind a flag
   */
  public static Question question(long seed, long number, boolean experimental) {
    return question(seed, number, experimental, List.of(), List.of());
  }

  /**
   * As above, over series with more labels.
   *
   * @param moreMatchers of these labels
   */
  static Question question(
      long seed,
      long number,
      boolean experimental,
      List<String> moreMatchers,
      List<String> moreLabels) {
    // Far apart, because the generator derives its states by addition.
    long mixed = (seed * 31 + number) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return new QueryGenerator(mixed ^ mixed >>> 31, experimental, moreMatchers, moreLabels)
        .question();
  }

  private Question question() {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("query", root());
    if (random.nextInt(20) == 0) {
      parameters.put("lookback_delta", pick(List.of("20s", "1m", "10m")));
    }
    if (random.nextBoolean()) {
      parameters.put("time", seconds(random.nextLong(-60_000, ComparedSamples.LENGTH + 400_000)));
      return new Question("/api/v1/query", parameters);
    }
    long from = random.nextLong(-300_000, ComparedSamples.LENGTH);
    parameters.put("start", seconds(from));
    parameters.put("end", seconds(from + random.nextLong(0, 900_000)));
    parameters.put("step", pick(List.of("7", "15", "30", "61.5", "120", "600")));
    return new Question("/api/v1/query_range", parameters);
  }

  private static String seconds(long afterStart) {
    long millis = START + afterStart;
    return millis / 1000 + "." + String.format("%03d", millis % 1000);
  }

  private String root() {
    return switch (random.nextInt(14)) {
      case 0 -> pick(TRANSCENDENTAL) + "(" + vector(2) + ")";
      case 1 -> "sum by (rack) (" + pick(TRANSCENDENTAL) + "(" + finite() + "))";
      case 2 -> scalar(3);
      case 3 -> "predict_linear(" + range(1) + ", " + pick(List.of("60", "-3600", "1e4")) + ")";
      case 4 -> pick(List.of("sort", "sort_desc")) + "(" + vector(3) + ")";
      case 5 ->
          experimental
              ? pick(List.of("sort_by_label", "sort_by_label_desc"))
                  + "("
                  + vector(3)
                  + ", \"Hostname\", \"gpu\")"
              : vector(3);
      default -> vector(4);
    };
  }

  // --- vectors ---

  private String vector(int depth) {
    if (depth == 0) {
      return selector();
    }
    return switch (random.nextInt(22)) {
      case 0, 1 -> selector();
      case 2, 3 -> aggregation(depth);
      case 4, 5, 6 -> overRange(depth);
      case 7, 8 -> vectorAndScalar(depth);
      case 9, 10, 11 -> vectors(depth);
      case 12 -> element(depth);
      case 13 -> histogram(depth);
      case 14 -> relabelled(depth);
      case 15 -> "(" + vector(depth - 1) + ")";
      case 16 -> (random.nextBoolean() ? "-" : "+") + "(" + vector(depth - 1) + ")";
      case 17 -> "absent(" + vector(depth - 1) + ")";
      case 18 -> "timestamp(" + timed(depth) + ")";
      case 19 -> calendar();
      case 20 -> "vector(" + scalar(depth - 1) + ")";
      default -> ranked();
    };
  }

  private String selector() {
    if (random.nextInt(25) == 0) {
      return "{\"" + pick(METRICS) + "\", 'rack'!=`r1`}" + shift();
    }
    StringBuilder text = new StringBuilder();
    boolean byRegex = random.nextInt(12) == 0;
    if (byRegex) {
      text.append("{__name__=~\"")
          .append(pick(List.of("DCGM.*", "requests_total|constant", ".*_total", "odd_.*")))
          .append('"');
    } else {
      text.append(random.nextInt(30) == 0 ? "nosuch" : pick(METRICS)).append('{');
    }
    int matchers = random.nextInt(3);
    for (int i = 0; i < matchers; i++) {
      text.append(byRegex || i > 0 ? "," : "").append(pick(this.matchers));
    }
    return text.append('}').append(shift()).toString();
  }

  /** Not both {@code @} and {@code offset}: of these, the reference's timestamp forgets one. */
  private String timed(int depth) {
    return switch (random.nextInt(3)) {
      case 0 -> pick(METRICS) + " offset " + pick(DURATIONS);
      case 1 -> pick(METRICS) + " @ " + seconds(random.nextLong(0, ComparedSamples.LENGTH));
      default -> aggregation(depth);
    };
  }

  /** Values that are all finite and far from what functions overflow at. */
  private String finite() {
    return pick(List.of("DCGM_FI_DEV_GPU_UTIL", "constant", "sometimes")) + shift();
  }

  private String shift() {
    return switch (random.nextInt(12)) {
      case 0 -> " offset " + pick(DURATIONS);
      case 1 -> " offset -" + pick(DURATIONS);
      case 2 -> " @ " + seconds(random.nextLong(0, ComparedSamples.LENGTH));
      case 3 -> " @ start()";
      case 4 -> " @ end() offset " + pick(DURATIONS);
      default -> "";
    };
  }

  private String aggregation(int depth) {
    String op = pick(List.of("sum", "avg", "min", "max", "count", "group"));
    return switch (random.nextInt(7)) {
      case 2 -> pick(List.of("stddev", "stdvar")) + grouping() + " (" + vector(depth - 1) + ")";
      case 0 -> "quantile" + grouping() + " (" + quantile() + ", " + vector(depth - 1) + ")";
      case 1 -> "count_values" + grouping() + " (\"v\", " + vector(depth - 1) + ")";
      default -> op + grouping() + " (" + vector(depth - 1) + ")";
    };
  }

  /** Takes values of which no two are equal: which of them stays is chance in the reference. */
  private String ranked() {
    String k = random.nextInt(6) == 0 ? varying() : "" + random.nextInt(5);
    String metric = pick(List.of("DCGM_FI_DEV_POWER_USAGE", "resets_total"));
    String input =
        random.nextBoolean() ? metric + shift() : "rate(" + metric + "[" + pick(DURATIONS) + "])";
    if (experimental && random.nextInt(3) == 0) {
      return random.nextBoolean()
          ? "limitk" + grouping() + " (" + k + ", " + input + ")"
          : "limit_ratio (" + pick(List.of("0.3", "-0.5", "1.5")) + ", " + vector(2) + ")";
    }
    String op = random.nextBoolean() ? "topk" : "bottomk";
    return op + grouping() + " (" + k + ", " + input + ")";
  }

  private String grouping() {
    return switch (random.nextInt(4)) {
      case 0 -> "";
      case 1 -> " without (" + labels() + ")";
      default -> " by (" + labels() + ")";
    };
  }

  private String labels() {
    String labels = pick(this.labels);
    return random.nextInt(3) == 0 ? labels + ", " + pick(this.labels) : labels;
  }

  private String vectorAndScalar(int depth) {
    String vector = vector(depth - 1);
    String scalar = scalar(depth - 1);
    boolean left = random.nextBoolean();
    String op = operator();
    String bool = isComparison(op) && random.nextBoolean() ? " bool" : "";
    return left
        ? "(" + vector + ") " + op + bool + " " + scalar
        : scalar + " " + op + bool + " (" + vector + ")";
  }

  private String vectors(int depth) {
    if (random.nextInt(3) == 0) {
      return "("
          + vector(depth - 1)
          + ") "
          + pick(List.of("and", "or", "unless"))
          + matching()
          + " ("
          + vector(depth - 1)
          + ")";
    }
    String op = operator();
    String bool = isComparison(op) && random.nextBoolean() ? " bool" : "";
    return switch (random.nextInt(4)) {
      case 0 -> {
        // The same selector, so that there is something to match.
        String selector = selector();
        yield selector + " " + op + bool + " " + selector;
      }
      case 1 ->
          "("
              + vector(depth - 1)
              + ") "
              + op
              + bool
              + " on (Hostname) group_left"
              + pick(List.of("", " (rack)", " (job, nosuch)"))
              + " sum by (Hostname"
              + pick(List.of("", ", rack"))
              + ") ("
              + vector(depth - 1)
              + ")";
      case 2 ->
          "max by (Hostname) ("
              + vector(depth - 1)
              + ") "
              + op
              + bool
              + " on (Hostname) group_right () ("
              + vector(depth - 1)
              + ")";
      default ->
          "(" + vector(depth - 1) + ") " + op + bool + matching() + " (" + vector(depth - 1) + ")";
    };
  }

  private String matching() {
    return switch (random.nextInt(3)) {
      case 0 -> "";
      case 1 -> " on (" + labels() + ")";
      default -> " ignoring (" + labels() + ")";
    };
  }

  private String operator() {
    return pick(List.of("+", "-", "*", "/", "%", "^", "==", "!=", "<", "<=", ">", ">="));
  }

  private static boolean isComparison(String op) {
    return "=!<>".indexOf(op.charAt(0)) >= 0;
  }

  private String element(int depth) {
    return switch (random.nextInt(4)) {
      case 0 -> "clamp(" + vector(depth - 1) + ", " + number() + ", " + number() + ")";
      case 1 ->
          pick(List.of("clamp_min", "clamp_max", "round"))
              + "("
              + vector(depth - 1)
              + ", "
              + number()
              + ")";
      default -> pick(ELEMENT_FUNCTIONS) + "(" + vector(depth - 1) + ")";
    };
  }

  private String calendar() {
    return random.nextBoolean()
        ? pick(CALENDAR) + "()"
        : pick(CALENDAR) + "(DCGM_FI_DEV_POWER_USAGE * " + pick(List.of("1e5", "-3e6", "7")) + ")";
  }

  private String histogram(int depth) {
    String metric = pick(List.of("latency_bucket", "odd_bucket"));
    String buckets =
        switch (random.nextInt(4)) {
          case 0 -> metric;
          case 1 -> "rate(" + metric + "[5m])";
          case 2 -> "sum by (le, rack) (rate(" + metric + "[" + pick(DURATIONS) + "]))";
          default -> "sum by (le) (" + metric + ")";
        };
    return random.nextInt(3) == 0
        ? "histogram_fraction(" + number() + ", " + number() + ", " + buckets + ")"
        : "histogram_quantile(" + quantile() + ", " + buckets + ")";
  }

  private String relabelled(int depth) {
    return switch (random.nextInt(3)) {
      case 0 ->
          "label_join("
              + vector(depth - 1)
              + ", \""
              + pick(this.labels)
              + "\", \"-\", \""
              + pick(this.labels)
              + "\", \""
              + pick(this.labels)
              + "\")";
      case 1 ->
          "label_replace(" + vector(depth - 1) + ", \"__name__\", \"new_$1\", \"rack\", \"r(.)\")";
      default ->
          "label_replace("
              + vector(depth - 1)
              + ", \""
              + pick(this.labels)
              + "\", \""
              + pick(List.of("$1", "${1}x", "$1x", "x$$", "", "${a}"))
              + "\", \""
              + pick(this.labels)
              + "\", \""
              + pick(List.of("(.*)", "n(\\\\d)", "(?P<a>.).*", "", ".+"))
              + "\")";
    };
  }

  // --- ranges ---

  private String overRange(int depth) {
    return switch (random.nextInt(6)) {
      case 0 -> "quantile_over_time(" + quantile() + ", " + ofFinite() + ")";
      case 1, 2 -> pick(COUNTER_FUNCTIONS) + "(" + range(depth) + ")";
      case 3 ->
          experimental
              ? random.nextBoolean()
                  ? pick(EXPERIMENTAL_RANGE_FUNCTIONS) + "(" + ofFinite() + ")"
                  : "double_exponential_smoothing(" + range(depth) + ", 0.3, 0.8)"
              : pick(RANGE_FUNCTIONS) + "(" + range(depth) + ")";
      default -> pick(RANGE_FUNCTIONS) + "(" + range(depth) + ")";
    };
  }

  private String ofFinite() {
    return pick(List.of("DCGM_FI_DEV_POWER_USAGE", "requests_total", "resets_total"))
        + "["
        + pick(DURATIONS)
        + "]"
        + shift();
  }

  private String range(int depth) {
    if (depth > 1 && random.nextInt(3) == 0) {
      String step = pick(List.of("", "10s", "15s", "1m", "100s"));
      return "(" + vector(depth - 2) + ")[" + pick(DURATIONS) + ":" + step + "]" + shift();
    }
    String selector = selector();
    int end = selector.indexOf('}') + 1;
    return selector.substring(0, end) + "[" + pick(DURATIONS) + "]" + selector.substring(end);
  }

  // --- scalars ---

  private String scalar(int depth) {
    if (depth <= 0) {
      return number();
    }
    return switch (random.nextInt(7)) {
      case 0 -> "scalar(" + vector(depth - 1) + ")";
      case 1 -> random.nextBoolean() ? "time()" : "-(time() - 1760000000)";
      case 2 ->
          "("
              + scalar(depth - 1)
              + " "
              + pick(List.of("+", "-", "*", "/", "%"))
              + " "
              + scalar(depth - 1)
              + ")";
      case 3 ->
          "("
              + scalar(depth - 1)
              + " "
              + pick(List.of("==", "<", ">="))
              + " bool "
              + number()
              + ")";
      default -> number();
    };
  }

  private String number() {
    return pick(
        List.of(
            "0", "1", "2", "-1", "0.5", "-0.3", "7", "50", "100", "1e3", "5m", "0x1F", "Inf",
            "NaN"));
  }

  /** A parameter that changes from step to step; without {@code @}, which the reference moves. */
  private String varying() {
    return "scalar(" + pick(METRICS) + "{Hostname=\"n1\",gpu!=\"1\"})";
  }

  private String quantile() {
    return random.nextInt(8) == 0
        ? varying() + " / 100"
        : pick(List.of("0", "0.1", "0.5", "0.9", "0.99", "1", "-1", "2", "NaN"));
  }

  private <T> T pick(List<T> items) {
    return items.get(random.nextInt(items.size()));
  }
}
