package io.fleetgauge.runtime.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Collects what is found about a subject, in a list that several subjects share. Not for several
 * threads.
 */
public final class Findings {
  private final String subject;
  private final List<Finding> all;

  public Findings() {
    this("", new ArrayList<>());
  }

  private Findings(String subject, List<Finding> all) {
    this.subject = subject;
    this.all = all;
  }

  /** The same list, for findings about another subject. */
  public Findings about(String other) {
    return new Findings(other, all);
  }

  /** All is well. */
  public void ok(String text) {
    add(Finding.Outcome.OK, text, "");
  }

  /** It could not be checked. */
  public void skipped(String text) {
    add(Finding.Outcome.SKIPPED, text, "");
  }

  /** It works now, and may not later. */
  public void warning(String text, String advice) {
    add(Finding.Outcome.WARNING, text, advice);
  }

  /** Samples or answers are being lost, or soon will be, or the process does not start. */
  public void failure(String text, String advice) {
    add(Finding.Outcome.FAILURE, text, advice);
  }

  public void add(Finding.Outcome outcome, String text, String advice) {
    all.add(new Finding(subject, outcome, text, advice));
  }

  public void addAll(Findings others) {
    all.addAll(others.all);
  }

  /** In the order in which they were found. */
  public List<Finding> all() {
    return List.copyOf(all);
  }

  /** The worst first, and those that are equally bad in the order in which they were found. */
  public List<Finding> worstFirst() {
    return all.stream().sorted(Comparator.comparing(Finding::outcome)).toList();
  }
}
