package io.fleetgauge.load.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.load.chaos.AlertReceiver.Delivery;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Compares what rules stored and sent with what the samples demand. */
final class RuleVerdict {
  /** A slot is done, and its alerts are there, within this time, ms. */
  private static final long SOON_MILLIS = 20_000;

  private final ScriptedSignals signals;
  private final long since;
  private final long until;
  private final List<String> problems = new ArrayList<>();
  private int slots;
  private int firing;
  private int sent;
  private int repeated;
  private int people;

  /** The slots of each signal, in order. */
  private final Map<Integer, List<Long>> slotsOf = new HashMap<>();

  /**
   * @param since slots before are not judged, ms since the epoch
   * @param until slots after are not judged, ms since the epoch
   */
  RuleVerdict(ScriptedSignals signals, long since, long until) {
    this.signals = signals;
    this.since = since;
    this.until = until;
  }

  /** Compares what is stored of a signal. */
  void check(ChaosFleet fleet, String query, int signal) throws Exception {
    TreeMap<Long, String> recorded =
        samples(fleet, query, "chaos:signal:max{signal=\"" + signal + "\"}[20m]");
    TreeMap<Long, String> pending = alerts(fleet, query, signal, "pending");
    TreeMap<Long, String> firingAt = alerts(fleet, query, signal, "firing");
    TreeMap<Long, String> activeAt =
        samples(fleet, query, "ALERTS_FOR_STATE{signal=\"" + signal + "\"}[20m]");
    Long first = recorded.ceilingKey(since);
    if (first == null) {
      problems.add("signal " + signal + " has no evaluations");
      return;
    }
    signals.firstSlot(signal, recorded.firstKey());
    List<Long> all = new ArrayList<>();
    for (long slot = first; slot <= until; slot += signals.interval()) {
      all.add(slot);
      slots++;
      boolean on = signals.isOn(signal, slot);
      boolean fires = signals.fires(signal, slot);
      firing += fires ? 1 : 0;
      expect(signal, slot, "recorded", recorded.get(slot), on ? "1" : "0");
      expect(signal, slot, "pending", pending.get(slot), on && !fires ? "1" : null);
      expect(signal, slot, "firing", firingAt.get(slot), fires ? "1" : null);
      String active = activeAt.get(slot);
      expect(
          signal,
          slot,
          "active since",
          active == null ? null : String.valueOf(Math.round(Double.parseDouble(active))),
          on ? String.valueOf(signals.activeSince(signal, slot) / 1_000) : null);
    }
    slotsOf.put(signal, all);
    if (recorded.subMap(first, true, until, true).size() != all.size()) {
      problems.add("signal " + signal + " has results between evaluation times");
    }
  }

  private void expect(int signal, long slot, String what, String is, String must) {
    // The seconds of ALERTS_FOR_STATE are whole ones.
    boolean equal = is == null ? must == null : is.equals(must);
    if (!equal) {
      problems.add(
          "signal " + signal + " at " + slot + ": " + what + " is " + is + ", must be " + must);
    }
  }

  private static TreeMap<Long, String> alerts(
      ChaosFleet fleet, String query, int signal, String state) throws Exception {
    return samples(
        fleet, query, "ALERTS{signal=\"" + signal + "\",alertstate=\"" + state + "\"}[20m]");
  }

  private static TreeMap<Long, String> samples(ChaosFleet fleet, String query, String selector)
      throws Exception {
    TreeMap<Long, String> samples = new TreeMap<>();
    for (JsonNode series : fleet.query(query, selector).path("data").path("result")) {
      for (JsonNode sample : series.path("values")) {
        samples.put(Math.round(sample.path(0).asDouble() * 1_000), sample.path(1).asText());
      }
    }
    return samples;
  }

  /** Compares what was sent. */
  void check(List<Delivery> received) {
    Map<Integer, Set<Long>> told = new HashMap<>();
    Map<Integer, Set<Long>> ended = new HashMap<>();
    Set<List<Long>> seen = new HashSet<>();
    for (Delivery each : received) {
      if (each.startsAt() < since || each.startsAt() > until) {
        continue;
      }
      sent++;
      repeated += seen.add(List.of((long) each.signal(), each.startsAt(), each.endsAt())) ? 0 : 1;
      Set<Long> over = ended.computeIfAbsent(each.signal(), none -> new HashSet<>());
      if (each.fires()) {
        told.computeIfAbsent(each.signal(), none -> new HashSet<>()).add(each.startsAt());
        if (over.contains(each.startsAt())) {
          problems.add("sent as firing after it was resolved: " + each);
        }
        if (!signals.fires(each.signal(), each.startsAt())) {
          problems.add("sent as firing since an evaluation at which it does not: " + each);
        }
      } else {
        over.add(each.startsAt());
        if (signals.isOn(each.signal(), each.endsAt())) {
          problems.add("sent as resolved while it fires: " + each);
        }
      }
    }
    slotsOf.forEach(
        (signal, all) -> {
          for (int i = 1; i < all.size(); i++) {
            long slot = all.get(i);
            boolean begins = signals.fires(signal, slot) && !signals.fires(signal, all.get(i - 1));
            // One that ends while nobody evaluates is never sent.
            boolean lasts = signals.fires(signal, slot + SOON_MILLIS);
            if (begins
                && lasts
                && slot + SOON_MILLIS < until
                && !told.getOrDefault(signal, Set.of()).contains(slot)) {
              problems.add(
                  "signal " + signal + " fires since " + slot + ", and no notification was sent");
            }
          }
        });
  }

  /** Nobody is told of an alert twice, nor that it is over before that. */
  void checkTold(List<AlertReceiver.Notification> told) {
    Set<AlertReceiver.Notification> seen = new HashSet<>();
    for (AlertReceiver.Notification each : told) {
      if (each.startsAt() < since || each.startsAt() > until) {
        continue;
      }
      people++;
      if (!seen.add(each)) {
        problems.add("the Alertmanager sent it twice: " + each);
      }
      if (each.fires()
          && seen.contains(new AlertReceiver.Notification(each.signal(), each.startsAt(), false))) {
        problems.add("the Alertmanager sent it as firing after it was resolved: " + each);
      }
    }
  }

  List<String> problems() {
    return problems;
  }

  @Override
  public String toString() {
    return slots
        + " evaluations, "
        + firing
        + " of them firing; "
        + problems.size()
        + " wrong; "
        + sent
        + " alerts sent, "
        + repeated
        + " of them equal to an earlier one, "
        + people
        + " sent by the Alertmanager";
  }
}
