package io.fleetgauge.gateway.serve;

import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.TooManySamples;
import io.fleetgauge.promql.exec.Selection;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Runs fragments against a store. Safe for all threads. */
public final class FragmentRunner {
  private final Store store;
  private final Ownership ownership;
  private final Supplier<ClusterView> view;
  private final Predicate<String> wholeCopy;
  private final BooleanSupplier whole;

  /**
   * @param wholeCopy whether this gateway's copy of a host has all that its owner has
   * @param whole whether all that the gateway kept before its start is back
   */
  public FragmentRunner(
      Store store,
      Ownership ownership,
      Supplier<ClusterView> view,
      Predicate<String> wholeCopy,
      BooleanSupplier whole) {
    this.wholeCopy = wholeCopy;
    this.whole = whole;
    this.store = store;
    this.ownership = ownership;
    this.view = view;
  }

  private boolean isHere(String host, ClusterView now) {
    return ownership.isMine(host, now) || ownership.isCopy(host, now) && wholeCopy.test(host);
  }

  /**
   * @throws TooManySamples if the fragment's budget does not suffice
   */
  public FragmentAnswer run(Fragment fragment) throws TooManySamples {
    ClusterView now = view.get();
    long epoch = now.table().epoch();
    // While the past is coming back an answer would have a hole that nobody could see.
    List<String> covered =
        whole.getAsBoolean()
            ? fragment.hosts().stream().filter(host -> isHere(host, now)).toList()
            : List.of();
    return switch (fragment) {
      case Fragment.Samples samples -> {
        List<List<Series>> all = new ArrayList<>(samples.selections().size());
        Set<String> whole = new LinkedHashSet<>(covered);
        long left = samples.budget();
        for (Selection selection : samples.selections()) {
          List<Series> found = store.select(covered, selection, left, whole::remove);
          left -= found.stream().mapToLong(Series::size).sum();
          all.add(found);
        }
        // What can be read of a damaged host is answered, but not that it were all.
        yield new FragmentAnswer.Samples(epoch, List.copyOf(whole), all);
      }
      case Fragment.LabelNames names ->
          new FragmentAnswer.Strings(epoch, covered, store.labelNames(covered, names.search()));
      case Fragment.LabelValues values ->
          new FragmentAnswer.Strings(
              epoch, covered, store.labelValues(covered, values.label(), values.search()));
      case Fragment.LabelSets sets ->
          new FragmentAnswer.LabelSets(epoch, covered, store.labelSets(covered, sets.search()));
    };
  }
}
