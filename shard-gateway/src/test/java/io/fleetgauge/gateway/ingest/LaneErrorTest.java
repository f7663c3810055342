package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.AdmissionControl;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.HostIntake;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.runtime.trace.Span;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lane's thread that has no memory left while it takes a body. */
class LaneErrorTest {
  @TempDir private Path folder;

  /** Has no memory for the second span, which the lane's thread begins. */
  private static final class Unlucky implements HostIntake.Acknowledger {
    final CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    private final AtomicInteger spans = new AtomicInteger();

    @Override
    public void accept(IntakeAnswer given) {
      answer.complete(given);
    }

    @Override
    public Span span() {
      if (spans.incrementAndGet() > 1) {
        throw new OutOfMemoryError("for a test");
      }
      return Span.NONE;
    }
  }

  @Test
  void aSenderWhoseBodyFindsNoMemoryIsAnsweredAndTheLaneGoesOn() throws Exception {
    ClusterView view =
        new ClusterView(
            OwnershipTable.ofOwners(3, Map.of("n1", "g1")),
            Map.of("g1", URI.create("http://127.0.0.1:1")),
            false);
    try (Journal journal = Journal.open(Journal.Settings.defaults(folder.resolve("journal")));
        Intake intake =
            new Intake(
                new Store(folder.resolve("blocks"), HostWriter.limits(10), Dimensions.DEFAULT),
                journal,
                new ClusterAccess(
                    "g1", 1, () -> view, (host, admission) -> {}, (host, report) -> {}, null),
                MemoryWatermark.ofHeap(),
                () -> 1_000,
                1,
                8)) {
      intake.recover();
      byte[] body =
          new FrameEncoder("n1", 9)
              .encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), 1).at(1_000));
      Unlucky unlucky = new Unlucky();
      intake.take("n1", body, 0, unlucky);
      assertThat(unlucky.answer.get(120, TimeUnit.SECONDS))
          .isEqualTo(new IntakeAnswer.SlowDown(AdmissionControl.TROUBLE_RETRY_MILLIS));
      CompletableFuture<IntakeAnswer> again = new CompletableFuture<>();
      intake.take("n1", body, 0, again::complete);
      assertThat(again.get(120, TimeUnit.SECONDS)).isEqualTo(new IntakeAnswer.Kept(9, 1));
    }
  }
}
