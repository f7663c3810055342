package io.fleetgauge.cluster.table;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Distributes hosts over gateways. Hosts stay where they are as long as the bounds allow it;
 * rendezvous hashing chooses a gateway for the others (Thaler and Ravishankar, 1998, "Using
 * name-based mappings to increase hit rates"; the bounds after Mirrokni, Thorup and Zadimoghaddam,
 * 2018, "Consistent hashing with bounded loads").
 */
final class Shares {
  /** Most hosts of one gateway, if the number of gateways allows it. */
  static final int MOST = 15;

  /** Fewest hosts of one gateway, if the number of hosts allows it. */
  static final int FEWEST = 10;

  private final List<String> gateways;
  private final int floor;
  private final int cap;
  private final Map<String, TreeSet<String>> hostsByGateway = new HashMap<>();

  private Shares(List<String> gateways, int hosts) {
    this.gateways = gateways;
    this.cap = cap(hosts, gateways.size());
    this.floor = floor(hosts, gateways.size());
    gateways.forEach(gateway -> hostsByGateway.put(gateway, new TreeSet<>()));
  }

  static int cap(int hosts, int gateways) {
    return Math.max(MOST, (hosts + gateways - 1) / gateways);
  }

  static int floor(int hosts, int gateways) {
    return Math.min(FEWEST, hosts / gateways);
  }

  /**
   * Assigns an owner to each host.
   *
   * @param gateways ids of the gateways that may own hosts, at least one
   * @param before the present owner by host; owners that are not in {@code gateways} are ignored
   * @param preferred by host, the gateways that already have its samples: a host without an owner
   *     goes to one of them that is below its bound
   * @return the owner by host
   */
  static SortedMap<String, String> of(
      Collection<String> gateways,
      Collection<String> hosts,
      Map<String, String> before,
      Map<String, List<String>> preferred) {
    List<String> sorted = gateways.stream().sorted().distinct().toList();
    TreeSet<String> known = new TreeSet<>(hosts);
    return new Shares(sorted, known.size()).assign(known, before, preferred);
  }

  private SortedMap<String, String> assign(
      TreeSet<String> hosts, Map<String, String> before, Map<String, List<String>> preferred) {
    Deque<String> unassigned = new ArrayDeque<>();
    for (String host : hosts) {
      TreeSet<String> owned = hostsByGateway.get(before.getOrDefault(host, ""));
      if (owned == null) {
        unassigned.add(host);
      } else {
        owned.add(host);
      }
    }
    for (String gateway : gateways) {
      TreeSet<String> owned = hostsByGateway.get(gateway);
      while (owned.size() > cap) {
        String leaving = lowestWeight(owned, gateway);
        owned.remove(leaving);
        unassigned.add(leaving);
      }
    }
    // Up to the floor of a full fleet the gateways with the fewest hosts come first, so that hosts
    // that arrive one by one never make an earlier one move.
    for (String host : unassigned) {
      int fewest = hostsByGateway.values().stream().mapToInt(TreeSet::size).min().orElseThrow();
      List<String> candidates = below(fewest < FEWEST ? fewest + 1 : cap);
      List<String> better = preferred.getOrDefault(host, List.of());
      better = candidates.stream().filter(better::contains).toList();
      hostsByGateway.get(highestWeight(host, better.isEmpty() ? candidates : better)).add(host);
    }
    for (String gateway : gateways) {
      while (hostsByGateway.get(gateway).size() < floor) {
        TreeSet<String> mostLoaded = hostsByGateway.get(mostLoaded());
        String moving =
            mostLoaded.stream()
                .max(
                    Comparator.comparingLong((String host) -> weight(host, gateway))
                        .thenComparing(host -> host))
                .orElseThrow();
        mostLoaded.remove(moving);
        hostsByGateway.get(gateway).add(moving);
      }
    }
    SortedMap<String, String> owners = new TreeMap<>();
    hostsByGateway.forEach((gateway, owned) -> owned.forEach(host -> owners.put(host, gateway)));
    return owners;
  }

  private List<String> below(int bound) {
    List<String> found = new ArrayList<>();
    for (String gateway : gateways) {
      if (hostsByGateway.get(gateway).size() < bound) {
        found.add(gateway);
      }
    }
    return found;
  }

  private String mostLoaded() {
    return gateways.stream()
        .max(Comparator.comparingInt(gateway -> hostsByGateway.get(gateway).size()))
        .orElseThrow();
  }

  /** The candidate with the highest rendezvous weight for a host. */
  static String highestWeight(String host, List<String> candidates) {
    return candidates.stream()
        .max(
            Comparator.comparingLong((String gateway) -> weight(host, gateway))
                .thenComparing(gateway -> gateway))
        .orElseThrow();
  }

  /** The host with the lowest rendezvous weight for its gateway. */
  private static String lowestWeight(TreeSet<String> hosts, String gateway) {
    return hosts.stream()
        .min(
            Comparator.comparingLong((String host) -> weight(host, gateway))
                .thenComparing(host -> host))
        .orElseThrow();
  }

  /** A hash of the pair: FNV-1a over the bytes, then the finalizer of MurmurHash3. */
  static long weight(String host, String gateway) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : (gateway + "\0" + host).getBytes(StandardCharsets.UTF_8)) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
    hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
    return hash ^ hash >>> 33;
  }
}
