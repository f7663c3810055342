package io.fleetgauge.query.faults.detect;

import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Ticks;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.List;

/** All detectors of one host, and what they find of ticks that a test turns. */
final class HostWatch {
  private final List<HostDetector> detectors;
  private final Ticks ticks;
  private long time;

  HostWatch(Ticks ticks) {
    this(ticks, Thresholds.defaults());
  }

  HostWatch(Ticks ticks, Thresholds thresholds) {
    this.ticks = ticks;
    this.detectors = Detectors.ofHost(thresholds);
  }

  void restore(FaultKind kind, Subject subject, long since) {
    detectors.forEach(each -> each.restore(kind, subject, since));
  }

  /** What is found at a tick. */
  List<Finding> on(HostTick tick) {
    List<Finding> found = new ArrayList<>();
    detectors.forEach(each -> each.on(tick, found::add));
    return found;
  }

  /** The time of the last tick, ms. */
  long time() {
    return time;
  }

  /** What is found at the next tick, 15 s later. */
  List<Finding> next() {
    return next(Ticks.STEP);
  }

  /** What is found at the next tick, so much later. */
  List<Finding> next(long step) {
    time += step;
    return on(ticks.at(time).build());
  }

  /** What is found at the last of so many ticks. */
  List<Finding> ticks(int count) {
    List<Finding> found = List.of();
    for (int i = 0; i < count; i++) {
      found = next();
    }
    return found;
  }

  /** All that is found in so many ticks. */
  List<Finding> all(int count) {
    List<Finding> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      found.addAll(next());
    }
    return found;
  }

  static List<FaultKind> kinds(List<Finding> found) {
    return found.stream().map(Finding::kind).toList();
  }
}
