package io.fleetgauge.load.traffic;

import io.fleetgauge.sample.Tick;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The hosts of a GPU fleet, with 380 series each. The same number of hosts and seed make the same
 * samples. Not for several threads.
 */
public final class GpuFleet {
  private final List<GpuHost> hosts = new ArrayList<>();

  public GpuFleet(int hostCount, long seed) {
    for (int number = 0; number < hostCount; number++) {
      hosts.add(new GpuHost(number, seed));
    }
  }

  public static String name(int host) {
    return String.format(Locale.ROOT, "gpu-node-%04d.dc1.example.net", host);
  }

  public int size() {
    return hosts.size();
  }

  /** The next tick of a host. */
  public Tick next(int host, long time) {
    return hosts.get(host).next(time);
  }

  /** Label sets that have existed, of all hosts. */
  public long seriesEver() {
    return hosts.stream().mapToLong(GpuHost::seriesEver).sum();
  }

  /** Mean length of names and values of a series' labels, bytes. */
  public double labelBytes() {
    return hosts.stream().mapToDouble(GpuHost::labelBytes).average().orElse(0);
  }
}
