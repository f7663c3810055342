package io.fleetgauge.load.optimisation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Random questions as they are asked of a GPU fleet, those that short cuts fit first. */
final class FleetQueries {
  private static final List<String> GAUGES =
      List.of(
          "DCGM_FI_DEV_GPU_UTIL",
          "DCGM_FI_DEV_POWER_USAGE",
          "DCGM_FI_DEV_GPU_TEMP",
          "DCGM_FI_DEV_FB_USED",
          "node_load1",
          "queue_length");
  private static final List<String> COUNTERS =
      List.of(
          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
          "DCGM_FI_DEV_ECC_SBE_VOL_TOTAL",
          "DCGM_FI_DEV_POWER_VIOLATION",
          "requests_total");
  private static final List<String> LABELS =
      List.of("rack", "tenant", "job", "modelName", "Hostname", "gpu", "nosuch");
  private static final List<String> MATCHERS =
      List.of(
          "rack=\"r1\"",
          "rack=~\"r0|r2\"",
          "rack!=\"r1\"",
          "tenant=\"atlas\"",
          "tenant!=\"\"",
          "tenant=\"\"",
          "job=~\"train-.*\"",
          "job!~\"eval.*\"",
          "Hostname=~\"n[0-4]\"",
          "Hostname=\"n3\"",
          "modelName=~\".*H100.*\"",
          "gpu=\"0\"",
          "gpu!=\"1\"",
          "nosuch=\"\"");
  private static final List<String> FOLDS = List.of("sum", "avg", "min", "max", "count", "group");

  private final SplittableRandom random;
  private final long from;
  private final long to;

  /**
   * @param from the first sample, ms
   * @param to the newest sample, ms
   */
  FleetQueries(SplittableRandom random, long from, long to) {
    this.random = random;
    this.from = from;
    this.to = to;
  }

  /** Parameters of a question; of an instant query if there is a {@code time}. */
  Map<String, String> next() {
    Map<String, String> question = new LinkedHashMap<>();
    boolean aligned = random.nextInt(4) > 0;
    if (random.nextInt(5) == 0) {
      long time = random.nextLong(from - 60_000, to + 400_000);
      question.put("query", vector(3));
      question.put("time", seconds(aligned ? time / 15_000 * 15_000 : time));
      return question;
    }
    long step =
        aligned ? pick(List.of(15L, 15L, 30L, 60L, 300L)) * 1000 : random.nextLong(7_000, 90_000);
    long length = step * random.nextLong(0, 60);
    long end = random.nextInt(3) == 0 ? to + random.nextLong(60_000) : random.nextLong(from, to);
    long start = end - length;
    question.put("query", vector(3));
    question.put("start", seconds(aligned ? start / 15_000 * 15_000 : start));
    question.put("end", seconds(end));
    question.put("step", seconds(step));
    if (random.nextInt(25) == 0) {
      question.put("lookback_delta", pick(List.of("1m", "10m")));
    }
    return question;
  }

  private static String seconds(long millis) {
    return millis / 1000 + "." + String.format("%03d", Math.floorMod(millis, 1000));
  }

  private String vector(int depth) {
    if (depth == 0) {
      return leaf();
    }
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5, 6 -> fold(leaf());
      case 7 -> fold(vector(depth - 1));
      case 8 -> ranked(depth);
      case 9 -> sameGroups();
      case 10 -> sameHosts();
      case 11 -> fold(element(leaf()));
      case 12 ->
          vector(depth - 1)
              + " "
              + pick(List.of("*", "+", "-", "/", ">", "<=", "> bool"))
              + " "
              + number();
      case 13 -> subquery(depth);
      case 14 -> rare(depth);
      case 15 -> "(" + vector(depth - 1) + ")";
      case 16 -> element(vector(depth - 1));
      case 17 -> fold(leaf()) + pick(List.of(" or ", " and ", " unless ")) + fold(leaf());
      case 18 -> "-" + fold(leaf());
      default -> leaf();
    };
  }

  private String leaf() {
    return switch (random.nextInt(6)) {
      case 0, 1 ->
          pick(List.of("rate", "increase"))
              + "("
              + selector(counter())
              + "["
              + pick(List.of("1m", "5m", "5m", "2m"))
              + "]"
              + shift()
              + ")";
      case 2 ->
          pick(List.of("max", "avg", "sum", "count", "last", "stddev"))
              + "_over_time("
              + selector(gauge())
              + "["
              + pick(List.of("1m", "5m", "90s"))
              + "]"
              + shift()
              + ")";
      default -> selector(random.nextInt(5) == 0 ? counter() : gauge()) + shift();
    };
  }

  private String gauge() {
    return pick(GAUGES);
  }

  private String counter() {
    return pick(COUNTERS);
  }

  private String selector(String metric) {
    List<String> matchers = new ArrayList<>();
    for (int i = random.nextInt(5) - 2; i > 0; i--) {
      matchers.add(pick(MATCHERS));
    }
    if (random.nextInt(40) == 0) {
      matchers.add("__name__=~\"DCGM_FI_DEV_(GPU_UTIL|GPU_TEMP)\"");
      return "{" + String.join(",", matchers) + "}";
    }
    return metric + (matchers.isEmpty() ? "" : "{" + String.join(",", matchers) + "}");
  }

  private String shift() {
    return switch (random.nextInt(16)) {
      case 0 -> " offset " + pick(List.of("15s", "1m", "7m", "11s", "-30s"));
      case 1 -> " @ " + (from + random.nextLong(to - from)) / 1000;
      case 2 -> " @ end()";
      default -> "";
    };
  }

  private String grouping() {
    List<String> labels = new ArrayList<>();
    for (int i = random.nextInt(3); i > 0; i--) {
      labels.add(pick(LABELS));
    }
    return switch (random.nextInt(6)) {
      case 0 -> "";
      case 1 -> " without (" + String.join(",", labels) + ")";
      case 2 -> " without (gpu, UUID, device, Hostname, job)";
      default -> " by (" + String.join(",", labels) + ")";
    };
  }

  private String fold(String input) {
    return pick(FOLDS) + grouping() + " (" + input + ")";
  }

  private String ranked(int depth) {
    String input = random.nextBoolean() ? leaf() : fold(vector(depth - 1));
    return switch (random.nextInt(8)) {
      case 0, 1, 2 ->
          pick(List.of("topk", "bottomk"))
              + grouping()
              + " ("
              + (1 + random.nextInt(6))
              + ", "
              + input
              + ")";
      case 3 -> "quantile" + grouping() + " (0." + random.nextInt(10) + ", " + input + ")";
      case 4 -> pick(List.of("stddev", "stdvar")) + grouping() + " (" + input + ")";
      case 5 -> "count_values" + grouping() + " (\"value\", " + input + ")";
      case 6 -> pick(List.of("sort", "sort_desc")) + "(" + input + ")";
      default -> "topk(3, " + fold(leaf()) + ")";
    };
  }

  private String sameGroups() {
    String by = " by (" + pick(List.of("rack", "tenant", "rack, tenant", "Hostname")) + ")";
    return "sum"
        + by
        + " ("
        + leaf()
        + ") "
        + pick(List.of("/", "-", "*"))
        + " "
        + pick(List.of("count", "sum", "avg"))
        + by
        + " ("
        + leaf()
        + ")";
  }

  private String sameHosts() {
    String on =
        pick(
            List.of(
                "on (Hostname, gpu)",
                "ignoring (job, tenant, nosuch)",
                "on (Hostname, gpu) group_left",
                "on (rack, gpu)"));
    return selector("DCGM_FI_DEV_GPU_UTIL")
        + " "
        + pick(List.of("+", "/", "*", ">"))
        + " "
        + on
        + " "
        + selector("DCGM_FI_DEV_POWER_USAGE");
  }

  private String element(String input) {
    return switch (random.nextInt(7)) {
      case 0 -> "abs(" + input + ")";
      case 1 -> "clamp_max(" + input + ", " + number() + ")";
      case 2 -> "round(" + input + ", 0.5)";
      case 3 -> "(" + input + " > " + number() + ")";
      case 4 -> "(" + input + " * (2 + 3))";
      case 5 -> "label_replace(" + input + ", \"zone\", \"$1\", \"rack\", \"r(.*)\")";
      default -> "timestamp(" + input + ")";
    };
  }

  private String subquery(int depth) {
    return pick(List.of("max", "avg", "min", "sum"))
        + "_over_time("
        + fold(leaf())
        + "["
        + pick(List.of("5m", "10m"))
        + ":"
        + pick(List.of("1m", "15s", "45s", ""))
        + "]"
        + shift()
        + ")";
  }

  private String rare(int depth) {
    return switch (random.nextInt(6)) {
      case 0 -> "absent(" + selector(gauge()) + ")";
      case 1 -> fold(leaf()) + " * scalar(" + fold(leaf()) + ")";
      case 2 -> "count(" + fold(leaf()) + ")";
      case 3 -> fold(leaf()) + " or vector(0)";
      case 4 -> "count(count by (Hostname) (" + leaf() + "))";
      default -> "sum by (tenant) (count by (tenant, Hostname) (" + leaf() + "))";
    };
  }

  private String number() {
    return pick(List.of("0", "1", "50", "60.5", "1e3", "2 * 30", "time() / 1e9"));
  }

  private <T> T pick(List<T> from) {
    return from.get(random.nextInt(from.size()));
  }
}
