package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.sample.journal.Journal;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * What the environments that are no thread have in common: a store in memory, what hosts count and
 * state, and which records the journal takes. Lane, clocks and the disk are those of the subclass.
 */
public abstract class MemoryEnvironment implements HostEnvironment {
  public final Store store;

  /** Hosts of which this gateway has a copy with all that the owner has. */
  public final Map<String, Long> wholeCopies = new HashMap<>();

  public boolean isRecovered;
  public boolean isDiskFailing;
  private final IngestCounts counts = new IngestCounts();

  protected MemoryEnvironment(StoreLimits limits) {
    store = new Store(Path.of("nowhere"), limits, Dimensions.DEFAULT);
  }

  /** The journal takes a record; as {@link #append}. */
  protected abstract void write(String host, byte[] record, boolean forced, Consumer<Boolean> done);

  @Override
  public final Journal.AppendResult append(
      long segment,
      String host,
      byte[] record,
      long newest,
      boolean forced,
      Consumer<Boolean> done) {
    if (segment != segment()) {
      return Journal.AppendResult.OTHER_SEGMENT;
    }
    if (isDiskFailing) {
      return Journal.AppendResult.REJECTED;
    }
    write(host, record, forced, done);
    return Journal.AppendResult.QUEUED;
  }

  @Override
  public final boolean isDiskFailing() {
    return isDiskFailing;
  }

  @Override
  public final long latestTime() {
    return clock() + store.limits().future().toMillis();
  }

  @Override
  public final long retentionMillis() {
    return store.limits().retention().toMillis();
  }

  @Override
  public final IngestCounts counts() {
    return counts;
  }

  @Override
  public final boolean isRecovered() {
    return isRecovered;
  }

  @Override
  public final void copyIsWhole(String host, OptionalLong ofOwnerSince) {
    if (ofOwnerSince.isPresent()) {
      wholeCopies.put(host, ofOwnerSince.getAsLong());
    } else {
      wholeCopies.remove(host);
    }
  }

  @Override
  public boolean hasUsage(String host) {
    return false;
  }

  @Override
  public boolean isKeptForUsage(String host) {
    return false;
  }
}
