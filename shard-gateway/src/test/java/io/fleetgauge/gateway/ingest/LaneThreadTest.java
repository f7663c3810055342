package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.HostEnvironment;
import io.fleetgauge.gateway.ingest.host.HostEnvironmentContract;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.sample.journal.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A lane thread over a journal on the disk. */
class LaneThreadTest extends HostEnvironmentContract {
  private static final int MAX_BYTES = 1 << 20;

  @TempDir private Path folder;
  private Journal journal;
  private LaneThreads threads;
  private LaneThread lane;

  @BeforeEach
  void start() throws IOException {
    journal =
        Journal.open(
            new Journal.Settings(
                folder.resolve("journal"),
                Journal.Sync.INTERVAL,
                Duration.ofMillis(100),
                1 << 20,
                4 * MAX_BYTES,
                MAX_BYTES,
                4 * MAX_BYTES));
    threads =
        new LaneThreads(
            new Store(folder.resolve("blocks"), HostWriter.limits(100), Dimensions.DEFAULT),
            journal,
            new ClusterAccess(
                "g1",
                1,
                () -> ClusterView.EMPTY,
                (host, admission) -> {},
                (host, report) -> {},
                null),
            System::currentTimeMillis,
            () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
            2);
    lane = threads.of(HOST);
  }

  @AfterEach
  void close() throws InterruptedException {
    for (LaneThread each : threads.all()) {
      each.shutdown();
      each.awaitEnd(5);
    }
    journal.close();
  }

  @Override
  protected HostEnvironment environment() {
    return lane;
  }

  @Override
  protected void recover() {
    try {
      new Recovery(threads).run(JournalTail.none());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Above its limit the journal rejects what comes. */
  @Override
  protected void failDisk() {
    assertThat(journal.append(journal.segment(), new byte[MAX_BYTES + 1], kept -> {}))
        .isEqualTo(Journal.AppendResult.QUEUED);
  }

  @Override
  protected boolean isWholeCopy(String host, long since) {
    return threads.wholeCopies.getOrDefault(host, -1L) == since;
  }

  @Override
  protected <T> T answer(Consumer<Consumer<T>> start) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    start.accept(answer::complete);
    return answer.orTimeout(120, TimeUnit.SECONDS).join();
  }
}
