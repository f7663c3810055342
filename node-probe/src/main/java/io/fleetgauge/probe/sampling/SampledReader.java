package io.fleetgauge.probe.sampling;

import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A reader, and what is known of it from tick to tick. Only the sampling thread uses it. */
final class SampledReader {
  private static final Logger LOG = LoggerFactory.getLogger(SampledReader.class);

  /**
   * The longest time between two samples of a series whose reader answers. A query sees a sample
   * for five minutes; what is read less often than this is sent again in between.
   */
  private static final long SENT_WITHIN_MILLIS = Duration.ofMinutes(4).toMillis();

  private static final long SAID_EVERY_MILLIS = Duration.ofMinutes(1).toMillis();

  /** One class of the reader's series. */
  private static final class Group {
    final TickClass tickClass;
    final TickAssembly.Part part = new TickAssembly.Part();
    boolean wasRead;
    long lastRead;
    long lastSent;

    Group(TickClass tickClass) {
      this.tickClass = tickClass;
    }
  }

  private final Reader reader;
  private final long tickMillis;
  private final List<Group> groups;
  private ReadingThreads.Call call;
  private long lastRead;
  private long lastNanos;
  private boolean called;
  private String trouble = "";
  private long said = -SAID_EVERY_MILLIS;
  private boolean toldOfTrouble;

  SampledReader(Reader reader, Duration tick) {
    this.reader = reader;
    this.tickMillis = tick.toMillis();
    this.groups = reader.classes().stream().map(Group::new).toList();
  }

  /** The call that is due now; empty also while an earlier one has not returned. */
  Optional<ReadingThreads.Call> begin(long time) {
    called = false;
    if (call != null && call.isRunning()) {
      return Optional.empty();
    }
    Set<TickClass> due = new HashSet<>();
    for (Group group : groups) {
      if (!group.wasRead || group.tickClass.isDue(time, group.lastRead)) {
        due.add(group.tickClass);
      }
    }
    if (due.isEmpty()) {
      return Optional.empty();
    }
    called = true;
    call = new ReadingThreads.Call(reader, due);
    return Optional.of(call);
  }

  /** Takes over what was read, and sends again what would be out of sight or of another owner. */
  void end(long time, TickAssembly assembly) {
    if (call == null) {
      return;
    }
    boolean waits = call.hasEnded() && call.failure() instanceof NotYet;
    if (!call.hasEnded()) {
      say(time, " does not respond");
    } else if (call.failure() != null && !waits) {
      say(time, " failed: " + call.failure());
    } else if (!waits) {
      say(time, "");
    }
    if (!trouble.isEmpty()) {
      return;
    }
    boolean isRead = called && !waits;
    if (isRead) {
      lastRead = time;
      lastNanos = call.nanos();
      assembly.dated(call.readings.dated());
    }
    for (Group group : groups) {
      if (isRead && call.due.contains(group.tickClass)) {
        assembly.read(group.part, call.readings.at(group.tickClass, time));
        group.wasRead = true;
        group.lastRead = time;
        group.lastSent = time;
      } else if (time < group.lastSent
          || time + tickMillis - group.lastSent > SENT_WITHIN_MILLIS
          || assembly.isBehind(group.part)) {
        assembly.again(group.part);
        group.lastSent = time;
      }
    }
  }

  String name() {
    return reader.name();
  }

  /** Tells whether its last call has read. */
  boolean isUp() {
    return hasRead() && trouble.isEmpty();
  }

  boolean hasRead() {
    return lastRead != 0;
  }

  /** The time of the last tick in which it read, ms; 0 before the first. */
  long lastRead() {
    return lastRead;
  }

  /** The time that it took. */
  long lastNanos() {
    return lastNanos;
  }

  /** The newest readings; none while the reader does not answer. */
  List<Tick> newest() {
    List<Tick> newest = new ArrayList<>();
    if (trouble.isEmpty()) {
      groups.forEach(group -> newest.add(group.part.last()));
    }
    return newest;
  }

  /** Logs a change only, and not each one: a reader may fail at every second tick. */
  private void say(long time, String now) {
    boolean fails = !now.isEmpty() && trouble.isEmpty();
    boolean recovers = now.isEmpty() && !trouble.isEmpty();
    trouble = now;
    if (fails && Math.abs(time - said) >= SAID_EVERY_MILLIS) {
      said = time;
      toldOfTrouble = true;
      LOG.warn(
          "reader {}{}; until it succeeds again, its series are neither repeated nor ended",
          reader.name(),
          now);
    } else if (recovers && toldOfTrouble) {
      toldOfTrouble = false;
      LOG.info("reader {} succeeds again", reader.name());
    }
  }
}
