package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.PORT_DOWNED;
import static io.fleetgauge.query.faults.reading.Signal.PORT_INTEGRITY;
import static io.fleetgauge.query.faults.reading.Signal.PORT_OVERRUNS;
import static io.fleetgauge.query.faults.reading.Signal.PORT_RECOVERIES;
import static io.fleetgauge.query.faults.reading.Signal.PORT_RNR_RETRY;
import static io.fleetgauge.query.faults.reading.Signal.PORT_SLOW_RESTARTS;
import static io.fleetgauge.query.faults.reading.Signal.PORT_STATE;
import static io.fleetgauge.query.faults.reading.Signal.PORT_SYMBOL_ERRORS;

import io.fleetgauge.query.faults.reading.Entity;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Finds ports of network adapters that are down, count errors, or send again slowly. */
final class PortDetector implements HostDetector {
  private static final int ACTIVE = 4;
  private static final long HOUR = 3_600_000;
  private static final long MINUTE = 60_000;
  private static final int PARTS = 12;

  /** A port that has not been read for so long was taken out. */
  private static final long FORGET = 24 * HOUR;

  private static final Readings NOTHING = new Readings(Entity.PORT);

  /** Counters of which any increase is an error that fails jobs. */
  private static final List<Signal> FATAL = List.of(PORT_OVERRUNS, PORT_INTEGRITY, PORT_RNR_RETRY);

  private final long downAfter;
  private final double symbolsPerHour;
  private final double symbolsPerSecond;
  private final double recoveriesPerMinute;
  private final double restartsPerSecond;
  private final long slowAfter;
  private final Map<String, Port> ports = new HashMap<>();

  private static final class Port {
    final Spell down = new Spell();
    final Spell errors = new Spell();
    final Spell slow = new Spell();
    SlidingSum symbols;
    SlidingSum recoveries;
    boolean wasActive;
    long readAt = Long.MIN_VALUE;
    long errorsToldAt = Long.MIN_VALUE;
  }

  PortDetector(Thresholds thresholds) {
    Thresholds.OfKind errors = thresholds.of(FaultKind.NIC_ERRORS);
    Thresholds.OfKind slow = thresholds.of(FaultKind.NIC_SLOW);
    downAfter = thresholds.of(FaultKind.NIC_DOWN).millis("after");
    symbolsPerHour = errors.number("symbolErrorsPerHour");
    symbolsPerSecond = errors.number("symbolErrorsPerSecond");
    recoveriesPerMinute = errors.number("recoveriesPerMinute");
    restartsPerSecond = slow.number("restartsPerSecond");
    slowAfter = slow.millis("after");
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    boolean areRead = false;
    for (Map.Entry<String, Readings> each : tick.ports().entrySet()) {
      Port port = ports.get(each.getKey());
      if (port == null) {
        port = new Port();
        ports.put(each.getKey(), port);
      }
      if (each.getValue().has(PORT_STATE)) {
        port.readAt = tick.time();
        areRead = true;
      }
    }
    boolean isForgotten = false;
    for (Map.Entry<String, Port> each : ports.entrySet()) {
      Readings readings = tick.ports().getOrDefault(each.getKey(), NOTHING);
      down(tick, each.getKey(), each.getValue(), readings, areRead, out);
      errors(tick, each.getKey(), each.getValue(), readings, out);
      slow(tick, each.getKey(), each.getValue(), readings, out);
      isForgotten |=
          !tick.ports().containsKey(each.getKey()) && tick.time() - each.getValue().readAt > FORGET;
    }
    if (isForgotten) {
      ports
          .entrySet()
          .removeIf(
              each ->
                  !tick.ports().containsKey(each.getKey())
                      && tick.time() - each.getValue().readAt > FORGET);
    }
  }

  /**
   * @param areRead true if some port of the host was read: then one that is not read is gone
   */
  private void down(
      HostTick tick,
      String name,
      Port port,
      Readings readings,
      boolean areRead,
      Consumer<Finding> out) {
    double state = readings.get(PORT_STATE);
    double downed = readings.get(PORT_DOWNED, 0);
    boolean isGone = Double.isNaN(state) && areRead;
    port.wasActive |= state == ACTIVE;
    Sign sign =
        !port.wasActive ? Sign.ABSENT : isGone ? Sign.PRESENT : Sign.of(state, state != ACTIVE);
    boolean isDown = port.down.next(sign, tick.time(), tick.time(), downAfter);
    if (!isDown && !(downed > 0)) {
      return;
    }
    if (sign == Sign.PRESENT || downed > 0) {
      Finding finding =
          new Finding(
              FaultKind.NIC_DOWN,
              Subject.of(tick).part(name),
              isDown ? port.down.since() : tick.time(),
              Optional.empty(),
              isGone ? "gone" : isDown ? "down" : "flapped",
              true,
              (int) Math.ceil(downed),
              isGone
                  ? "Port " + name + " is not there any more; it was active before."
                  : isDown
                      ? "Port " + name + " is not active; it was before."
                      : "Port " + name + " lost its link " + Amount.of(downed, "time") + ".",
              List.of(
                  new Evidence("state of the port, 4 is active", ACTIVE, state),
                  new Evidence("link downed, count", 0, downed)),
              List.of());
      if (isDown) {
        port.down.told(finding.count() == 0 ? finding : withoutCount(finding));
      }
      out.accept(finding);
    } else if (port.down.last() != null) {
      out.accept(port.down.last());
    }
  }

  /** The same, to be told again: what was counted is not counted again. */
  private static Finding withoutCount(Finding of) {
    return new Finding(
        of.kind(),
        of.subject(),
        of.since(),
        of.severity(),
        of.cause(),
        of.proven(),
        0,
        of.text(),
        of.evidence(),
        of.suspects());
  }

  private void errors(
      HostTick tick, String name, Port port, Readings readings, Consumer<Finding> out) {
    for (Signal signal : FATAL) {
      double count = readings.get(signal);
      if (count > 0) {
        out.accept(fatal(tick, name, signal, count));
      }
    }
    double symbols = readings.get(PORT_SYMBOL_ERRORS);
    double recoveries = readings.get(PORT_RECOVERIES);
    port.symbols = add(port.symbols, HOUR, tick.time(), symbols);
    port.recoveries = add(port.recoveries, MINUTE, tick.time(), recoveries);
    double inHour = port.symbols == null ? 0 : port.symbols.at(tick.time());
    double inMinute = port.recoveries == null ? 0 : port.recoveries.at(tick.time());
    boolean byRate = readings.rate(PORT_SYMBOL_ERRORS) > symbolsPerSecond;
    boolean bySymbols = byRate || symbols > 0 && inHour > symbolsPerHour;
    boolean isSign = bySymbols || recoveries > 0 && inMinute > recoveriesPerMinute;
    boolean isRead = !Double.isNaN(symbols) || !Double.isNaN(recoveries);
    Sign sign = !isRead ? Sign.UNREAD : isSign ? Sign.PRESENT : Sign.ABSENT;
    long from =
        bySymbols && port.symbols != null
            ? port.symbols.since(tick.time())
            : isSign ? port.recoveries.since(tick.time()) : tick.time();
    // What was told already is not the beginning of what comes after it.
    long since = Math.max(Math.min(from, tick.time()), port.errorsToldAt);
    if (!port.errors.next(sign, since, tick.time(), 0)) {
      return;
    }
    port.errorsToldAt = tick.time();
    if (sign == Sign.PRESENT) {
      port.errors.told(
          Finding.of(
              FaultKind.NIC_ERRORS,
              Subject.of(tick).part(name),
              port.errors.since(),
              bySymbols ? "symbol" : "recovery",
              bySymbols
                  ? "Port " + name + " counts " + Amount.of(inHour, "symbol error") + " in an hour."
                  : "Port "
                      + name
                      + " recovers its link "
                      + Amount.of(inMinute, "time")
                      + " a minute.",
              new Evidence("symbol errors in an hour", 0, inHour),
              new Evidence("link recoveries in a minute", 0, inMinute)));
    }
    out.accept(port.errors.last());
  }

  private static SlidingSum add(SlidingSum sum, long length, long time, double count) {
    if (!(count > 0)) {
      return sum;
    }
    SlidingSum to = sum == null ? new SlidingSum(length, PARTS) : sum;
    to.add(time, count);
    return to;
  }

  private static Finding fatal(HostTick tick, String name, Signal signal, double count) {
    String what =
        switch (signal) {
          case PORT_OVERRUNS -> "buffer overrun";
          case PORT_INTEGRITY -> "error of link integrity";
          default -> "receiver that is not ready";
        };
    return new Finding(
        FaultKind.NIC_ERRORS,
        Subject.of(tick).part(name),
        tick.time(),
        Optional.empty(),
        switch (signal) {
          case PORT_OVERRUNS -> "overrun";
          case PORT_INTEGRITY -> "integrity";
          default -> "rnr_retry";
        },
        true,
        (int) Math.ceil(count),
        "Port " + name + " counts " + Amount.of(count) + " times: " + what + ".",
        List.of(new Evidence(what + ", count", 0, count)),
        List.of());
  }

  private void slow(
      HostTick tick, String name, Port port, Readings readings, Consumer<Finding> out) {
    double rate = readings.rate(PORT_SLOW_RESTARTS);
    Sign sign = Sign.of(rate, rate > restartsPerSecond);
    long from =
        sign == Sign.UNREAD
            ? tick.time()
            : tick.time() - (long) readings.millis(PORT_SLOW_RESTARTS);
    if (!port.slow.next(sign, from, tick.time(), slowAfter)) {
      return;
    }
    if (sign == Sign.PRESENT) {
      port.slow.told(
          Finding.of(
              FaultKind.NIC_SLOW,
              Subject.of(tick).part(name),
              port.slow.since(),
              "",
              "Port " + name + " restarts slowly " + Amount.of(rate, "time") + " a second.",
              new Evidence("slow restarts, 1/s", 0, rate)));
    }
    out.accept(port.slow.last());
  }
}
