package io.fleetgauge.runtime.doctor;

import java.util.ArrayList;
import java.util.List;

/** Collects what checks find. Not for several threads. */
public final class Findings {
  private final List<Finding> all = new ArrayList<>();

  /** All is well. */
  public void ok(String check, String text) {
    all.add(new Finding(check, Finding.Outcome.OK, text, ""));
  }

  /** It could not be checked. */
  public void skipped(String check, String text) {
    all.add(new Finding(check, Finding.Outcome.SKIPPED, text, ""));
  }

  /** It works now, and may not later. */
  public void warning(String check, String text, String advice) {
    all.add(new Finding(check, Finding.Outcome.WARNING, text, advice));
  }

  /** The process does not start with this, or loses samples. */
  public void failure(String check, String text, String advice) {
    all.add(new Finding(check, Finding.Outcome.FAILURE, text, advice));
  }

  /** In the order in which they were found. */
  public List<Finding> all() {
    return List.copyOf(all);
  }
}
