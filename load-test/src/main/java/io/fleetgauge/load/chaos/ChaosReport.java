package io.fleetgauge.load.chaos;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Prints what happens in a run, and the table of its results. Not for several threads. */
final class ChaosReport {
  /**
   * The result of an event.
   *
   * @param laws whether nothing was lost, doubled, failed or silently incomplete
   * @param inTime whether it was within the time limits
   */
  private record Row(String event, String must, String measured, boolean laws, boolean inTime) {
    boolean holds() {
      return laws && inTime;
    }
  }

  private final List<Row> rows = new ArrayList<>();
  private final PrintWriter out;

  ChaosReport(PrintWriter out) {
    this.out = out;
  }

  void say(String line) {
    out.println(line);
    out.flush();
  }

  /** Adds a result, and says it. */
  void row(String event, String must, String measured, boolean laws, boolean inTime) {
    Row row = new Row(event, must, measured, laws, inTime);
    rows.add(row);
    say((row.holds() ? "holds: " : "DOES NOT HOLD: ") + event + ": " + measured);
  }

  boolean holds() {
    return rows.stream().allMatch(Row::holds);
  }

  /** Tells whether the laws held at every event, regardless of the time limits. */
  boolean lawsHold() {
    return !rows.isEmpty() && rows.stream().allMatch(Row::laws);
  }

  void print() {
    out.println();
    out.println("| event | must hold | measured | holds |");
    out.println("|---|---|---|---|");
    for (Row row : rows) {
      out.printf(
          "| %s | %s | %s | %s |%n", row.event, row.must, row.measured, row.holds() ? "yes" : "NO");
    }
    out.flush();
  }
}
