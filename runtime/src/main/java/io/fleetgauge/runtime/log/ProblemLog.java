package io.fleetgauge.runtime.log;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Logs a problem that lasts: when it begins, at most once a minute while it goes on, and when it is
 * over. Not for several threads.
 */
public final class ProblemLog {
  static final long AGAIN_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final Consumer<String> warnings;
  private final Consumer<String> ends;
  private boolean isLogged;
  private boolean wasEverLogged;
  private long loggedAt;
  private long since;
  private boolean isOn;
  private String text = "";

  /**
   * @param warnings is given the text of a problem
   * @param ends is given a sentence when a problem that was logged is over
   */
  public ProblemLog(Consumer<String> warnings, Consumer<String> ends) {
    this.warnings = warnings;
    this.ends = ends;
  }

  /**
   * @param now ms of any steady clock
   * @param problem what is wrong now; empty when nothing is
   */
  public void update(long now, Optional<String> problem) {
    if (problem.isEmpty()) {
      if (isLogged) {
        ends.accept("resolved after " + (now - since + 500) / 1_000 + " s: " + text);
      }
      isOn = false;
      isLogged = false;
      return;
    }
    if (!isOn) {
      isOn = true;
      since = now;
    }
    // A problem that comes and goes is logged no more often than one that stays.
    if (!wasEverLogged || now - loggedAt >= AGAIN_MILLIS) {
      wasEverLogged = true;
      isLogged = true;
      loggedAt = now;
      text = problem.get();
      warnings.accept(problem.get());
    }
  }
}
