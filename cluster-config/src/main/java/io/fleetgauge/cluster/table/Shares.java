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
 * Sticky bounded shares: hosts stay where they are as far as the bounds allow, and rendezvous
 * hashing decides where those go that cannot stay (Thaler and Ravishankar, 1998, "Using name-based
 * mappings to increase hit rates"; the bounds after Mirrokni, Thorup and Zadimoghaddam, 2018,
 * "Consistent hashing with bounded loads").
 */
final class Shares {
  /** Most hosts of one gateway, when there are gateways enough. */
  static final int MOST = 15;

  /** Fewest hosts of one gateway, when there are hosts enough. */
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
   * Who shall own each host.
   *
   * @param gateways ids of those that may own hosts, at least one
   * @param before who owns hosts now, by host; other gateways than {@code gateways} count as none
   * @param liked gateways that have a host's samples already, by host: where they have room, a host
   *     without an owner goes there
   */
  static SortedMap<String, String> of(
      Collection<String> gateways,
      Collection<String> hosts,
      Map<String, String> before,
      Map<String, List<String>> liked) {
    List<String> sorted = gateways.stream().sorted().distinct().toList();
    TreeSet<String> known = new TreeSet<>(hosts);
    return new Shares(sorted, known.size()).assign(known, before, liked);
  }

  private SortedMap<String, String> assign(
      TreeSet<String> hosts, Map<String, String> before, Map<String, List<String>> liked) {
    Deque<String> homeless = new ArrayDeque<>();
    for (String host : hosts) {
      TreeSet<String> owned = hostsByGateway.get(before.getOrDefault(host, ""));
      if (owned == null) {
        homeless.add(host);
      } else {
        owned.add(host);
      }
    }
    for (String gateway : gateways) {
      TreeSet<String> owned = hostsByGateway.get(gateway);
      while (owned.size() > cap) {
        String leaving = leastBound(owned, gateway);
        owned.remove(leaving);
        homeless.add(leaving);
      }
    }
    // Up to the floor of a full fleet the poorest are served first, so that hosts that arrive one
    // by one never make an earlier one move.
    for (String host : homeless) {
      int poorest = hostsByGateway.values().stream().mapToInt(TreeSet::size).min().orElseThrow();
      List<String> candidates = below(poorest < FEWEST ? poorest + 1 : cap);
      List<String> better = liked.getOrDefault(host, List.of());
      better = candidates.stream().filter(better::contains).toList();
      hostsByGateway.get(favourite(host, better.isEmpty() ? candidates : better)).add(host);
    }
    for (String gateway : gateways) {
      while (hostsByGateway.get(gateway).size() < floor) {
        TreeSet<String> richest = hostsByGateway.get(richest());
        String moving =
            richest.stream()
                .max(
                    Comparator.comparingLong((String host) -> weight(host, gateway))
                        .thenComparing(host -> host))
                .orElseThrow();
        richest.remove(moving);
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

  private String richest() {
    return gateways.stream()
        .max(Comparator.comparingInt(gateway -> hostsByGateway.get(gateway).size()))
        .orElseThrow();
  }

  /** Whom rendezvous hashing ties a host to most. */
  static String favourite(String host, List<String> candidates) {
    return candidates.stream()
        .max(
            Comparator.comparingLong((String gateway) -> weight(host, gateway))
                .thenComparing(gateway -> gateway))
        .orElseThrow();
  }

  /** The host that rendezvous hashing ties least to its gateway. */
  private static String leastBound(TreeSet<String> hosts, String gateway) {
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
