package io.fleetgauge.query.store;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.query.config.SourceSettings;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Labels here and in a store: the one that names the host may have another name there, and some are
 * only there.
 *
 * @param host the label of the host here
 * @param hostThere the label of the host in the store
 * @param dropped labels that only the store has
 * @param always matchers of every series that is read there, in the store's labels
 */
record StoreLabels(String host, String hostThere, Set<String> dropped, List<Matcher> always) {
  static StoreLabels of(SourceSettings settings) {
    return new StoreLabels(
        settings.hostLabels().getFirst(),
        settings.hostLabel(),
        settings.dropLabels(),
        settings.matchers());
  }

  /** Returns true if all labels here have the same name there. */
  boolean areSame() {
    return dropped.isEmpty() && host.equals(hostThere);
  }

  /** The name of a label in the store; empty if no series has it here. */
  Optional<String> there(String label) {
    if (label.equals(host)) {
      return Optional.of(hostThere);
    }
    return label.equals(hostThere) || dropped.contains(label)
        ? Optional.empty()
        : Optional.of(label);
  }

  /**
   * What is sent for matchers of labels here; empty if no series there can match.
   *
   * @param matchers in our labels
   */
  Optional<List<Matcher>> sent(List<Matcher> matchers) {
    List<Matcher> all = new ArrayList<>();
    for (Matcher each : matchers) {
      Optional<String> name = there(each.name());
      if (name.isPresent()) {
        all.add(
            name.get().equals(each.name())
                ? each
                : Matcher.of(each.kind(), name.get(), each.value()));
      } else if (!each.matches("")) {
        return Optional.empty();
      }
    }
    for (Matcher each : always) {
      if (contradicts(each, all)) {
        return Optional.empty();
      }
    }
    all.addAll(always);
    return Optional.of(List.copyOf(all));
  }

  /** Returns true if a label has one value by one matcher and another one by others. */
  private static boolean contradicts(Matcher one, List<Matcher> others) {
    for (Matcher other : others) {
      if (other.name().equals(one.name()) && (isOtherThan(one, other) || isOtherThan(other, one))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOtherThan(Matcher named, Matcher other) {
    Set<String> values = named.namedValues();
    return !values.isEmpty() && values.stream().noneMatch(other::matches);
  }

  /** The labels here of a series in the store. */
  Labels seen(Labels there) {
    if (areSame()) {
      return there;
    }
    Map<String, String> all = new TreeMap<>();
    for (int i = 0; i < there.size(); i++) {
      String name = there.name(i);
      if (name.equals(hostThere)) {
        all.put(host, there.value(i));
      } else if (!name.equals(host) && !dropped.contains(name)) {
        all.put(name, there.value(i));
      }
    }
    return Labels.of(all);
  }

  /**
   * Returns true if a series of the store was asked for.
   *
   * @param sent as {@link #sent} gave it
   */
  static boolean areMeant(Labels there, List<Matcher> sent) {
    for (Matcher each : sent) {
      if (!each.matches(there)) {
        return false;
      }
    }
    return true;
  }
}
