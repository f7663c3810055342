package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.PORT_DOWNED;
import static io.fleetgauge.query.faults.reading.Signal.PORT_RECOVERIES;
import static io.fleetgauge.query.faults.reading.Signal.PORT_STATE;
import static io.fleetgauge.query.faults.reading.Signal.PORT_SYMBOL_ERRORS;

import io.fleetgauge.query.faults.reading.Entity;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  private final long downAfter;
  private final double symbolsPerHour;
  private final double symbolsPerSecond;
  private final double recoveriesPerMinute;
  private final List<SignRow> rows;
  private final Map<String, Port> ports = new HashMap<>();

  private static final class Port {
    final Spell down = new Spell();
    final Spell errors = new Spell();
    final SignRow.State[] states;
    final SlidingSum symbols = new SlidingSum(HOUR, PARTS);
    final SlidingSum recoveries = new SlidingSum(MINUTE, PARTS);
    boolean wasActive;
    long readAt = Long.MIN_VALUE;
    long errorsToldAt = Long.MIN_VALUE;

    Port(SignRow.State[] states) {
      this.states = states;
    }
  }

  PortDetector(Thresholds thresholds) {
    Thresholds.OfKind errors = thresholds.of(FaultKind.NIC_ERRORS);
    downAfter = thresholds.of(FaultKind.NIC_DOWN).millis("after");
    symbolsPerHour = errors.number("symbolErrorsPerHour");
    symbolsPerSecond = errors.number("symbolErrorsPerSecond");
    recoveriesPerMinute = errors.number("recoveriesPerMinute");
    rows = SignTable.ofPort(thresholds);
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    boolean areRead = false;
    for (Map.Entry<String, Readings> each : tick.ports().entrySet()) {
      Port port = ports.get(each.getKey());
      if (port == null) {
        port = new Port(SignRow.begin(rows));
        ports.put(each.getKey(), port);
      }
      if (each.getValue().has(PORT_STATE)) {
        port.readAt = tick.time();
        areRead = true;
      }
    }
    boolean areSomeGone = ports.size() > tick.ports().size();
    for (Map.Entry<String, Port> each : ports.entrySet()) {
      String name = each.getKey();
      Port port = each.getValue();
      Readings readings = tick.ports().getOrDefault(name, NOTHING);
      down(tick, name, port, readings, areRead, out);
      for (int i = 0; i < port.states.length; i++) {
        rows.get(i).look(tick, null, name, readings, port.states[i], out);
      }
      errors(tick, name, port, readings, out);
    }
    if (areSomeGone) {
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
    boolean isDown = port.down.on(sign, tick.time(), tick.time(), downAfter, out);
    if (!isDown && !(downed > 0)) {
      return;
    }
    Finding finding =
        Finding.of(
            FaultKind.NIC_DOWN,
            Subject.of(tick).part(name),
            isDown ? port.down.since() : tick.time(),
            isDown ? isGone ? "gone" : "down" : "flapped",
            isGone
                ? "Port " + name + " is not there any more; it was active before."
                : isDown
                    ? "Port " + name + " is not active; it was before."
                    : "Port " + name + " lost its link " + Amount.of(downed, "time") + ".",
            new Evidence("state of the port, 4 is active", ACTIVE, state),
            new Evidence("link downed, count", 0, downed));
    if (isDown) {
      port.down.told(finding.counted(0)); // what was counted is not counted again
    }
    out.accept(finding.counted(downed));
  }

  private void errors(
      HostTick tick, String name, Port port, Readings readings, Consumer<Finding> out) {
    double symbols = readings.get(PORT_SYMBOL_ERRORS);
    double recoveries = readings.get(PORT_RECOVERIES);
    port.symbols.add(tick.time(), symbols);
    port.recoveries.add(tick.time(), recoveries);
    double inHour = port.symbols.at(tick.time());
    double inMinute = port.recoveries.at(tick.time());
    boolean byRate = readings.rate(PORT_SYMBOL_ERRORS) > symbolsPerSecond;
    boolean bySymbols = byRate || symbols > 0 && inHour > symbolsPerHour;
    boolean isSign = bySymbols || recoveries > 0 && inMinute > recoveriesPerMinute;
    boolean isRead = !Double.isNaN(symbols) || !Double.isNaN(recoveries);
    Sign sign = !isRead ? Sign.UNREAD : isSign ? Sign.PRESENT : Sign.ABSENT;
    long from =
        bySymbols
            ? port.symbols.since(tick.time())
            : isSign ? port.recoveries.since(tick.time()) : tick.time();
    // What was told already is not the beginning of what comes after it.
    long since = Math.max(Math.min(from, tick.time()), port.errorsToldAt);
    boolean isTold = port.errors.on(sign, since, tick.time(), 0, out);
    port.errorsToldAt = port.errors.isOn() ? tick.time() : port.errorsToldAt;
    if (isTold) {
      port.errors.tell(
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
              new Evidence("link recoveries in a minute", 0, inMinute)),
          out);
    }
  }
}
