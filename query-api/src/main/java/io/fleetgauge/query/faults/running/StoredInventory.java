package io.fleetgauge.query.faults.running;

import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.derived.DerivedSample;
import io.fleetgauge.query.derived.DerivedWriter;
import io.fleetgauge.query.inventory.Inventory;
import io.fleetgauge.query.inventory.InventoryFile;
import io.fleetgauge.query.inventory.InventoryReader;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.WorkerExecutor;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The inventory, which is read and stored each minute. Nothing is stored of a minute in which hosts
 * could not be read. For one event loop.
 */
final class StoredInventory {
  private static final Logger LOG = LoggerFactory.getLogger(StoredInventory.class);
  private static final long EVERY_MILLIS = 60_000;

  private final Context context;
  private final WorkerExecutor worker;
  private final DerivedWriter<String> writer;
  private final FaultReads reads;
  private final InventoryReader reader;
  private final InventoryFile file;
  private boolean isBusy;
  private long last = Long.MIN_VALUE;

  /** Series that were stored last. */
  private Set<Labels> series = Set.of();

  private volatile Map<String, Labels> hosts = Map.of();

  StoredInventory(
      Context context,
      WorkerExecutor worker,
      DerivedWriter<String> writer,
      FaultReads reads,
      InventoryReader reader,
      InventoryFile file) {
    this.context = context;
    this.worker = worker;
    this.writer = writer;
    this.reads = reads;
    this.reader = reader;
    this.file = file;
  }

  /** The hosts that should be there, with their places, as far as was read. For any thread. */
  Map<String, Labels> hosts() {
    return hosts;
  }

  /**
   * Reads and stores the inventory once a minute.
   *
   * @param now ms since the epoch
   * @param isCurrent true while it is this process that stores it
   */
  void at(long now, BooleanSupplier isCurrent) {
    long minute = now - Math.floorMod(now, EVERY_MILLIS);
    if (isBusy || minute <= last) {
      return;
    }
    isBusy = true;
    last = minute;
    Whole source = new Whole();
    reader
        .read(source, now)
        .compose(
            observed ->
                worker.executeBlocking(
                    () -> Inventory.of(observed, file.content().hosts(), reader.keep(), now)))
        .onComplete(
            done ->
                context.runOnContext(
                    none -> {
                      isBusy = false;
                      if (done.failed()) {
                        LOG.debug("the inventory cannot be read", done.cause());
                      } else if (source.isWhole && isCurrent.getAsBoolean()) {
                        hosts = done.result().expectedHosts();
                        writer.write("inventory", samples(done.result(), minute), () -> {});
                      }
                    }));
  }

  /** Its samples, and the ends of series that are not part of it any more. */
  private List<DerivedSample> samples(Inventory inventory, long time) {
    List<DerivedSample> samples = new ArrayList<>(inventory.samples(time));
    Set<Labels> now = new LinkedHashSet<>();
    samples.forEach(each -> now.add(each.labels()));
    for (Labels before : series) {
      if (!now.contains(before)) {
        samples.add(DerivedSample.end(before, time));
      }
    }
    series = now;
    return samples;
  }

  /** Notes whether all hosts could be read. */
  private final class Whole implements InventoryReader.Source {
    private volatile boolean isWhole = true;

    @Override
    public <T> Future<Reply<T>> ask(Request<T> request) {
      return reads
          .ask(request)
          .onSuccess(reply -> isWhole &= reply.completeness().missing().isEmpty());
    }
  }
}
