package io.fleetgauge.load.compare;

import io.fleetgauge.sample.Tick;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@link ComparedSamples} in two halves, with another seam for each host. One host is only in the
 * newer half, one only in the older. The older half also has samples from after the seams: of some
 * hosts copies, of others wrong ones.
 */
final class SplitSamples {
  private SplitSamples() {}

  /** The seam of a host: the last but one has all of its samples here, the last one none. */
  private static long seam(int host) {
    return switch (host) {
      case 6 -> Long.MIN_VALUE;
      case 7 -> Long.MAX_VALUE;
      default -> ComparedSamples.START + (host + 1) * 4 * 60_000 + host * 1_111L;
    };
  }

  static Map<String, List<Tick>> newer(Map<String, List<Tick>> all) {
    Map<String, List<Tick>> newer = new LinkedHashMap<>();
    int host = 0;
    for (var each : all.entrySet()) {
      long seam = seam(host++);
      List<Tick> ticks = each.getValue().stream().filter(tick -> tick.time() >= seam).toList();
      if (!ticks.isEmpty()) {
        newer.put(each.getKey(), ticks);
      }
    }
    return newer;
  }

  static Map<String, List<Tick>> older(Map<String, List<Tick>> all) {
    Map<String, List<Tick>> older = new LinkedHashMap<>();
    int host = 0;
    for (var each : all.entrySet()) {
      long seam = seam(host);
      boolean isRight = host++ % 2 == 0;
      List<Tick> ticks = new ArrayList<>();
      for (Tick tick : each.getValue()) {
        if (tick.time() < seam || isRight) {
          ticks.add(tick);
        } else {
          ticks.add(
              new Tick(
                  tick.time() + 1,
                  tick.series(),
                  Arrays.stream(tick.values()).map(value -> value + 1_000).toArray()));
        }
      }
      older.put(each.getKey(), ticks);
    }
    older.remove("n6");
    return older;
  }
}
