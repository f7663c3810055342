package io.fleetgauge.query.seam;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.query.store.ForeignStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What one store adds to reads, by the seams that are known. A store with older samples is read for
 * all hosts up to the time that retention reaches back to, and from then on only for the hosts
 * whose seam is later. For one read.
 *
 * @param later hosts of which the store may have samples from after the time that retention reaches
 *     back to, with their seams; an empty name stands for series without a host
 */
record StorePart(ForeignStore store, HostSeams seams, Map<String, Long> later) {
  /** With more hosts than this, all are read. */
  private static final int MOST_NAMED = 500;

  StorePart(ForeignStore store, Seams.Known known) {
    this(store, known.seams(), known.later().getOrDefault(store.name(), Map.of()));
  }

  boolean isOlder() {
    return store.settings().holds() == SourceSettings.Holds.OLDER;
  }

  private String hostLabel() {
    return store.settings().hostLabels().getFirst();
  }

  /** What is read there of a selection, in one or two parts; none if nothing is. */
  List<Selection> of(Selection selection) {
    if (selection.from() >= selection.to() || !store.mayHave(selection.matchers())) {
      return List.of();
    }
    long reach = seams.reach();
    if (!isOlder() || reach == HostSeams.NEVER) {
      return List.of(selection);
    }
    List<Selection> parts = new ArrayList<>();
    // A selection is open at its start.
    if (selection.from() + 1 < reach) {
      parts.add(
          new Selection(
              selection.matchers(), selection.from(), Math.min(selection.to(), reach - 1)));
    }
    ofLater(selection, Math.max(selection.from(), reach - 1)).ifPresent(parts::add);
    return parts;
  }

  private Optional<Selection> ofLater(Selection selection, long from) {
    Map<String, Long> hosts = later(selection, from);
    long before = latest(hosts);
    long to = before == HostSeams.NEVER ? selection.to() : Math.min(selection.to(), before - 1);
    if (hosts.isEmpty() || from >= to) {
      return Optional.empty();
    }
    List<Matcher> matchers = new ArrayList<>(selection.matchers());
    if (hosts.size() <= MOST_NAMED) {
      matchers.add(
          Matcher.of(
              Matcher.Kind.REGEX,
              hostLabel(),
              String.join("|", hosts.keySet().stream().map(StorePart::quoted).toList())));
    }
    return Optional.of(new Selection(List.copyOf(matchers), from, to));
  }

  /** Hosts that match and whose seam is after a time. */
  private Map<String, Long> later(Selection selection, long from) {
    List<Matcher> ofHost =
        selection.matchers().stream().filter(each -> each.name().equals(hostLabel())).toList();
    Map<String, Long> hosts = new TreeMap<>();
    later.forEach(
        (host, seam) -> {
          if (seam > from + 1 && ofHost.stream().allMatch(one -> one.matches(host))) {
            hosts.put(host, seam);
          }
        });
    return hosts;
  }

  private static long latest(Map<String, Long> hosts) {
    return hosts.values().stream().mapToLong(Long::longValue).max().orElse(Long.MIN_VALUE);
  }

  /**
   * The time before which samples of a selection are read there, ms: {@link HostSeams#NEVER} for
   * all; {@link Long#MIN_VALUE} for none.
   */
  long before(Selection selection) {
    if (of(selection).isEmpty()) {
      return Long.MIN_VALUE;
    }
    return isOlder() && seams.reach() != HostSeams.NEVER
        ? Math.max(seams.reach(), latest(later(selection, selection.from())))
        : HostSeams.NEVER;
  }

  private static String quoted(String text) {
    return text.replaceAll("[^\\p{Alnum}_]", "\\\\$0");
  }

  /** The label of owners that a selector names and the store's series lack. */
  Optional<String> missingOwnerLabel(List<Matcher> matchers) {
    if (!isOlder() || store.settings().hasOwnerLabels()) {
      return Optional.empty();
    }
    return matchers.stream()
        .map(Matcher::name)
        .filter(store.settings().ownerLabels()::contains)
        .findFirst();
  }
}
