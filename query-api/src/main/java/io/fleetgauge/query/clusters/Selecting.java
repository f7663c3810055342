package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Which stored series of a cluster a selector means, and how they are seen. */
sealed interface Selecting {
  /** The matchers of stored series; empty when no series is meant. */
  Optional<List<Matcher>> stored(List<Matcher> matchers);

  /** The labels of a stored series as they are seen. */
  default Labels seen(Labels stored) {
    return stored;
  }

  /** The label that all series get, if they get one. */
  default Optional<AddedLabel> added() {
    return Optional.empty();
  }

  /** The label that says of which cluster series are, if there is one. */
  default Optional<AddedLabel> cluster() {
    return added();
  }

  /** Whether a series, as it is seen, can be of the cluster. */
  default boolean isOf(Labels seen) {
    return true;
  }

  /** The alternatives of which a series has to match one; empty when no series is meant. */
  default Optional<List<List<Matcher>>> alternatives(List<List<Matcher>> alternatives) {
    if (alternatives.isEmpty()) {
      List<Matcher> all = stored(List.of()).orElseThrow();
      return Optional.of(all.isEmpty() ? List.of() : List.of(all));
    }
    List<List<Matcher>> stored =
        alternatives.stream().flatMap(each -> stored(each).stream()).toList();
    return stored.isEmpty() ? Optional.empty() : Optional.of(stored);
  }

  /** Series get a label when they are read. */
  record Added(AddedLabel label) implements Selecting {
    @Override
    public Optional<List<Matcher>> stored(List<Matcher> matchers) {
      return label.stored(matchers);
    }

    @Override
    public Labels seen(Labels stored) {
      return label.seen(stored);
    }

    @Override
    public Optional<AddedLabel> added() {
      return Optional.of(label);
    }
  }

  /** Only series are meant that have the label. */
  record Expected(AddedLabel label) implements Selecting {
    @Override
    public Optional<List<Matcher>> stored(List<Matcher> matchers) {
      return label
          .stored(matchers)
          .map(none -> with(List.of(Matcher.equal(label.name(), label.value())), matchers));
    }

    @Override
    public Optional<AddedLabel> cluster() {
      return Optional.of(label);
    }

    @Override
    public boolean isOf(Labels seen) {
      return seen.value(label.name()).equals(label.value());
    }
  }

  /**
   * Only series are meant that are in a scope.
   *
   * @param tenants whose metadata is meant; all when empty
   */
  record Scoped(List<Matcher> scope, List<String> tenants) implements Selecting {
    @Override
    public Optional<List<Matcher>> stored(List<Matcher> matchers) {
      return Optional.of(scope.isEmpty() ? matchers : with(scope, matchers));
    }
  }

  private static List<Matcher> with(List<Matcher> more, List<Matcher> matchers) {
    List<Matcher> all = new ArrayList<>(more);
    all.addAll(matchers);
    return List.copyOf(all);
  }
}
