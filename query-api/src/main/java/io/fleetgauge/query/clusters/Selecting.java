package io.fleetgauge.query.clusters;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.AddedLabel;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Which stored series of a cluster a selector means, and how they are seen. */
sealed interface Selecting {
  /** Matchers of stored series, of all that are meant and maybe more; empty when none is. */
  Optional<List<Matcher>> stored(List<Matcher> matchers);

  /** Matchers of stored series, as alternatives, of exactly those that are meant. */
  default List<List<Matcher>> exactly(List<Matcher> matchers) {
    return stored(matchers).stream().toList();
  }

  /** The labels of a stored series as they are seen. */
  default Labels seen(Labels stored) {
    return stored;
  }

  /** The label that all series get, if they get one. */
  default Optional<AddedLabel> added() {
    return Optional.empty();
  }

  /** The label that every series has as it is stored, if there is one. */
  default Optional<AddedLabel> expected() {
    return Optional.empty();
  }

  /**
   * Returns true if series that {@link #stored} matches may not match it as they are seen: then
   * they are left out.
   */
  default boolean mayBeMore(Matcher matcher) {
    return added().filter(label -> label.isNamed(matcher)).isPresent();
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
        alternatives.stream().flatMap(each -> exactly(each).stream()).toList();
    return stored.isEmpty() ? Optional.empty() : Optional.of(stored);
  }

  /**
   * Series get a label when they are read, unless they are stored with a label of this name.
   *
   * @param names values of the label with which series are stored; empty as long as they are not
   *     known
   */
  record Added(AddedLabel label, Supplier<Optional<Set<String>>> names) implements Selecting {
    @Override
    public Optional<List<Matcher>> stored(List<Matcher> matchers) {
      Optional<List<Matcher>> all = label.stored(matchers);
      return all.isPresent() || !mayHave(matchers) ? all : Optional.of(label.having(matchers));
    }

    @Override
    public List<List<Matcher>> exactly(List<Matcher> matchers) {
      if (matchers.stream().noneMatch(label::isNamed)) {
        return List.of(matchers);
      }
      List<List<Matcher>> all = new ArrayList<>();
      label.lacking(matchers).ifPresent(all::add);
      if (mayHave(matchers)) {
        all.add(label.having(matchers));
      }
      return all;
    }

    /** Returns true if series may be meant that are stored with the label. */
    private boolean mayHave(List<Matcher> matchers) {
      return names
          .get()
          .map(
              known ->
                  known.stream()
                      .anyMatch(
                          name ->
                              matchers.stream()
                                  .allMatch(each -> !label.isNamed(each) || each.matches(name))))
          .orElse(true);
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
    public Optional<AddedLabel> expected() {
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
