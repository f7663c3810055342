package io.fleetgauge.load.judge;

import io.fleetgauge.load.nodes.TraceLabel;
import io.fleetgauge.query.faults.episode.Episode;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What was found, missed and told by mistake, by kind. Not for several threads. */
final class Scores {
  private static final double HOUR = 3_600_000;
  private static final double DAY = 24 * HOUR;
  private static final double P95 = 0.95;

  private final Map<FaultKind, Score> byKind = new EnumMap<>(FaultKind.class);
  private final List<String> remarks = new ArrayList<>();

  /** Time between what was told of a link and its failure, hours. */
  private final List<Double> leads = new ArrayList<>();

  private double jobDays;
  private double healthyJobDays;
  private int falseHangs;
  private int falseStragglers;

  private static final class Score {
    int labels;
    int found;
    int right;
    int wrong;
    int culprits;
    int named;
    final List<Double> delays = new ArrayList<>();

    void add(Score other) {
      labels += other.labels;
      found += other.found;
      right += other.right;
      wrong += other.wrong;
      culprits += other.culprits;
      named += other.named;
      delays.addAll(other.delays);
    }
  }

  /**
   * Compares what was told with the labels of a trace.
   *
   * @param name of the trace, for remarks
   * @param ofKind the only kind that counts; empty for all
   * @param days of jobs in the trace
   * @param isHealthy true if it has no faults
   */
  void add(
      String name,
      Optional<FaultKind> ofKind,
      List<TraceLabel> labels,
      List<TracePlay.Told> told,
      long start,
      long tick,
      double days,
      boolean isHealthy) {
    jobDays += days;
    healthyJobDays += isHealthy ? days : 0;
    Set<String> right = new HashSet<>();
    for (TraceLabel label : labels) {
      Optional<TracePlay.Told> first = Optional.empty();
      for (TracePlay.Told each : told) {
        if (Match.matches(each.episode(), label)) {
          right.add(each.episode().id());
          first =
              first.isEmpty() || each.toldAt() < first.get().toldAt() ? Optional.of(each) : first;
        }
      }
      if (!label.required() || ofKind.isPresent() && ofKind.get() != label.kind()) {
        continue;
      }
      Score score = score(label.kind());
      score.labels++;
      if (first.isEmpty()) {
        remarks.add(name + ": missed " + text(label, start));
        continue;
      }
      score.found++;
      if (label.kind() == FaultKind.NVLINK_TREND) {
        // It grows over days: what counts is how long before the failure it is told.
        leads.add((label.to() - first.get().toldAt()) / HOUR);
      } else {
        score.delays.add((first.get().toldAt() - label.from()) / (double) tick);
      }
      if (Match.hasCulprit(label)) {
        score.culprits++;
        boolean isNamed = Match.namesCulprit(first.get().episode(), label);
        score.named += isNamed ? 1 : 0;
        if (!isNamed) {
          remarks.add(
              name
                  + ": culprit not named "
                  + text(label, start)
                  + " but "
                  + first.get().episode().suspects()
                  + first.get().episode().subject());
        }
      }
    }
    for (TracePlay.Told each : told) {
      Episode episode = each.episode();
      if (right.contains(episode.id())) {
        score(episode.kind()).right++;
      } else {
        score(episode.kind()).wrong++;
        falseHangs += isHealthy && episode.kind() == FaultKind.HANG ? 1 : 0;
        falseStragglers += isHealthy && episode.kind() == FaultKind.STRAGGLER ? 1 : 0;
        remarks.add(name + ": false " + text(episode, start));
      }
    }
  }

  void add(Scores other) {
    other.byKind.forEach((kind, score) -> score(kind).add(score));
    remarks.addAll(other.remarks);
    leads.addAll(other.leads);
    jobDays += other.jobDays;
    healthyJobDays += other.healthyJobDays;
    falseHangs += other.falseHangs;
    falseStragglers += other.falseStragglers;
  }

  private Score score(FaultKind kind) {
    return byKind.computeIfAbsent(kind, none -> new Score());
  }

  private static String text(TraceLabel label, long start) {
    return label.kind().text()
        + " "
        + label.cause()
        + " "
        + label.host()
        + " "
        + label.uuid()
        + " "
        + label.part()
        + " "
        + label.job()
        + " rank "
        + label.firstRank()
        + " from "
        + minutes(label.from() - start)
        + " to "
        + minutes(label.to() - start);
  }

  private static String text(Episode episode, long start) {
    return episode.kind().text()
        + " "
        + episode.cause()
        + " "
        + episode.subject().host()
        + " "
        + episode.subject().uuid()
        + " "
        + episode.subject().part()
        + " "
        + episode.subject().job()
        + " since "
        + minutes(episode.since() - start)
        + " found "
        + minutes(episode.foundAt() - start)
        + " over "
        + (episode.isOpen() ? "-" : minutes(episode.over().getAsLong() - start))
        + ": "
        + episode.text()
        + " "
        + episode.evidence();
  }

  private static String minutes(long millis) {
    return String.format(Locale.ROOT, "%.2f", millis / 60_000.0);
  }

  /** What was missed or told by mistake, one by one. */
  List<String> remarks() {
    return remarks;
  }

  int missed(FaultKind kind) {
    Score score = score(kind);
    return score.labels - score.found;
  }

  int found(FaultKind kind) {
    return score(kind).found;
  }

  int wrong(FaultKind kind) {
    return score(kind).wrong;
  }

  double jobDays() {
    return jobDays;
  }

  double healthyJobDays() {
    return healthyJobDays;
  }

  /** Jobs of healthy traces that were called hung or slow. */
  int falseAlarms() {
    return falseHangs + falseStragglers;
  }

  /** A table in Markdown, and a line on the healthy traces. */
  String table() {
    StringBuilder text = new StringBuilder();
    text.append(
        "| Kind | Labels | Found | False | Precision | Recall | Delay, median | Delay, p95 |"
            + " Culprit among three |\n"
            + "|---|--:|--:|--:|--:|--:|--:|--:|--:|\n");
    Score all = new Score();
    byKind.forEach(
        (kind, score) -> {
          if (score.labels + score.wrong > 0) {
            row(text, "`" + kind.text() + "`", score);
            all.add(score);
          }
        });
    row(text, "all", all);
    text.append(
        String.format(
            Locale.ROOT,
            "%nHealthy traces: %.0f days of jobs, %d called hung, %d called slow.%n",
            healthyJobDays,
            falseHangs,
            falseStragglers));
    if (!leads.isEmpty()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%nLinks that failed after days: told %.0f hours before or more.%n",
              leads.stream().mapToDouble(Double::doubleValue).min().orElseThrow()));
    }
    return text.toString();
  }

  private static void row(StringBuilder text, String name, Score score) {
    List<Double> delays = score.delays.stream().sorted().toList();
    text.append("| ")
        .append(name)
        .append(" | ")
        .append(score.labels)
        .append(" | ")
        .append(score.found)
        .append(" | ")
        .append(score.wrong)
        .append(" | ")
        .append(share(score.right, score.right + score.wrong))
        .append(" | ")
        .append(share(score.found, score.labels))
        .append(" | ")
        .append(quantile(delays, 1.0 / 2))
        .append(" | ")
        .append(quantile(delays, P95))
        .append(" | ")
        .append(share(score.named, score.culprits))
        .append(" |\n");
  }

  private static String share(int some, int all) {
    return all == 0 ? "–" : String.format(Locale.ROOT, "%.3f", (double) some / all);
  }

  private static String quantile(List<Double> sorted, double q) {
    if (sorted.isEmpty()) {
      return "–";
    }
    int place = (int) Math.ceil(q * sorted.size()) - 1;
    return String.format(Locale.ROOT, "%.1f", sorted.get(Math.max(0, place)));
  }

  /** Days of a time, ms. */
  static double days(double millis) {
    return millis / DAY;
  }
}
