package io.fleetgauge.gateway.sender;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds out which records another gateway has still to be told. Not for several threads.
 *
 * <p>A gateway is told one message at a time, so that no older record arrives after a newer one.
 */
final class SentTells {
  /** Most bytes of a message, unless one line is longer. */
  static final int MAX_BYTES = 1 << 20;

  /** By gateway, the lines that it has, by what they are about. */
  private final Map<String, Map<String, String>> told = new HashMap<>();

  private int turn;
  private final Set<String> inFlight = new HashSet<>();

  /**
   * A message.
   *
   * @param lines by what they are about
   */
  record Tell(String gateway, Map<String, String> lines) {
    byte[] body() {
      return String.join("", lines.values()).getBytes(StandardCharsets.UTF_8);
    }
  }

  /** The message that is due; it is in flight until {@link #answered}. */
  Optional<Tell> next(String gateway, Collection<SentRecord> records) {
    if (inFlight.contains(gateway)) {
      return Optional.empty();
    }
    Map<String, String> known = told.getOrDefault(gateway, Map.of());
    Map<String, String> changed = new HashMap<>();
    int bytes = 0;
    List<SentRecord> inTurn = new ArrayList<>(records);
    Collections.rotate(inTurn, turn++); // so that the last are told even if all change all the time
    for (SentRecord each : inTurn) {
      String about = each.receiver() + " " + each.host();
      String line = each.line();
      if (line.equals(known.get(about))) {
        continue;
      }
      bytes += line.length(); // it is ASCII
      if (bytes > MAX_BYTES && !changed.isEmpty()) {
        break;
      }
      changed.put(about, line);
    }
    if (changed.isEmpty()) {
      return Optional.empty();
    }
    inFlight.add(gateway);
    return Optional.of(new Tell(gateway, changed));
  }

  void answered(Tell tell, boolean isTaken) {
    inFlight.remove(tell.gateway());
    if (isTaken) {
      told.computeIfAbsent(tell.gateway(), none -> new HashMap<>()).putAll(tell.lines());
    }
  }

  /** Returns true if a gateway has a record. */
  boolean isTold(String gateway, SentRecord record) {
    String about = record.receiver() + " " + record.host();
    return record.line().equals(told.getOrDefault(gateway, Map.of()).get(about));
  }

  /** All has to be told again: a gateway may have lost its file. */
  void repeat() {
    told.clear();
  }
}
