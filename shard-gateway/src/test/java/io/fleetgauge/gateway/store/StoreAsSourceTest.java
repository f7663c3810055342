package io.fleetgauge.gateway.store;

import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.lookup.TooManySamples;
import io.fleetgauge.promql.query.SeriesSource;
import io.fleetgauge.promql.query.SeriesSourceContract;
import io.fleetgauge.sample.Series;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The samples of a store, as fragments of queries read them. */
class StoreAsSourceTest extends SeriesSourceContract {
  private static final long BUDGET = 1_000_000;

  @Override
  protected SeriesSource source(List<Series> series) {
    Store store = new Store(Path.of("nowhere"), HostWriter.limits(1_000), Dimensions.DEFAULT);
    Set<String> hosts = new TreeSet<>();
    for (Series one : series) {
      String host = one.labels().value("Hostname");
      hosts.add(host);
      Lane lane = store.lane(host);
      Lane.Handle[] handle = {lane.handle(one.labels())};
      for (int i = 0; i < one.size(); i++) {
        lane.append(
            Lane.Source.SENDER,
            one.times()[i],
            Long.MAX_VALUE,
            handle,
            new double[] {one.values()[i]},
            null,
            new WriteOutcome());
      }
    }
    return (selection, receiver) -> {
      try {
        store.read(hosts, selection, BUDGET, host -> {}, receiver);
      } catch (TooManySamples e) {
        throw new AssertionError(e);
      }
    };
  }
}
