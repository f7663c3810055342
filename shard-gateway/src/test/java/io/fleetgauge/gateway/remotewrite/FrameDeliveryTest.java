package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.MemoryWatermark;
import io.fleetgauge.gateway.ingest.host.ClusterAccess;
import io.fleetgauge.gateway.ingest.host.Owners.Intent;
import io.fleetgauge.gateway.ingest.host.Sender;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.journal.Journal;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Delivery to this gateway, which owns n1, and to another one, which owns n2 and has a script. */
@ExtendWith(VertxExtension.class)
class FrameDeliveryTest {
  private static final URI OTHER = URI.create("http://127.0.0.1:2");

  @TempDir private Path folder;
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private Iterator<IntakeAnswer> script;
  private Journal journal;
  private Store store;
  private Intake intake;
  private FrameDelivery delivery;

  @BeforeEach
  void open(Vertx vertx) throws Exception {
    ClusterView view =
        new ClusterView(
            OwnershipTable.ofOwners(3, Map.of("n1", "g1", "n2", "g2")),
            Map.of("g1", URI.create("http://127.0.0.1:1"), "g2", OTHER),
            false);
    journal = Journal.open(Journal.Settings.defaults(folder.resolve("journal")));
    store = new Store(folder.resolve("blocks"), HostWriter.limits(10), Dimensions.DEFAULT);
    intake =
        new Intake(
            store,
            journal,
            new ClusterAccess(
                "g1", 1, () -> view, (host, admission) -> {}, (host, report) -> {}, null),
            MemoryWatermark.ofHeap(),
            () -> 1_000,
            2,
            8);
    intake.recover();
    delivery = new FrameDelivery(vertx, this::answer, intake);
  }

  @AfterEach
  void close() {
    intake.close();
    journal.close();
  }

  private void answer(
      URI owner,
      Intent intent,
      String host,
      long epoch,
      byte[] body,
      Consumer<IntakeAnswer> answer) {
    assertThat(owner).isEqualTo(OTHER);
    asked.add(intent + " " + host + " " + epoch + " " + body.length);
    answer.accept(script.next());
  }

  private IntakeAnswer deliver(Intent intent, String host, byte[] body) throws Exception {
    return delivery
        .deliver(
            intent,
            Sender.UNLIMITED,
            host,
            body,
            alone -> Future.succeededFuture(Arrays.copyOf(alone, alone.length + 5)))
        .await(120, TimeUnit.SECONDS);
  }

  private static byte[] frame(String host) {
    return new FrameEncoder(host, 9)
        .encode(
            new Tick(
                1_000,
                List.of(Labels.of(Labels.NAME, "up", "Hostname", host)),
                new double[] {1},
                null));
  }

  @Test
  void framesOfAnOwnHostAreKeptHere() throws Exception {
    assertThat(deliver(Intent.KEEP, "n1", frame("n1"))).isInstanceOf(IntakeAnswer.Kept.class);
    assertThat(store.counts().stored.sum()).isEqualTo(1);
    assertThat(asked).isEmpty();
  }

  @Test
  void aCheckChangesNothing() throws Exception {
    assertThat(deliver(Intent.CHECK, "n1", frame("n1"))).isInstanceOf(IntakeAnswer.Kept.class);
    assertThat(store.counts().stored.sum()).isZero();
  }

  @Test
  void bytesThatAreNoFramesAreRefused() throws Exception {
    assertThat(deliver(Intent.KEEP, "n1", new byte[] {1, 2, 3}))
        .isInstanceOf(IntakeAnswer.Refused.class);
  }

  @Test
  void framesOfAnotherGatewaysHostGoThereWithTheEpochOfTheTable() throws Exception {
    script = List.<IntakeAnswer>of(new IntakeAnswer.Kept(9, 1)).iterator();
    byte[] body = frame("n2");
    assertThat(deliver(Intent.KEEP, "n2", body)).isEqualTo(new IntakeAnswer.Kept(9, 1));
    assertThat(asked).containsExactly("KEEP n2 3 " + body.length);
    assertThat(store.counts().stored.sum()).isZero();
  }

  @Test
  void aCheckOfAnotherGatewaysHostSaysThatItIsOne() throws Exception {
    script =
        List.<IntakeAnswer>of(new IntakeAnswer.Kept(9, 1, 1, 0, "duplicate sample")).iterator();
    assertThat(deliver(Intent.CHECK, "n2", frame("n2")))
        .isEqualTo(new IntakeAnswer.Kept(9, 1, 1, 0, "duplicate sample"));
    assertThat(asked.getFirst()).startsWith("CHECK ");
  }

  @Test
  void aHostThatHasMovedOnIsFollowedWithTheNewEpoch() throws Exception {
    script =
        List.<IntakeAnswer>of(new IntakeAnswer.Moved(OTHER, 8), new IntakeAnswer.Kept(9, 1))
            .iterator();
    assertThat(deliver(Intent.KEEP, "n2", frame("n2"))).isEqualTo(new IntakeAnswer.Kept(9, 1));
    assertThat(asked).hasSize(2);
    assertThat(asked.getLast()).contains(" 8 ");
  }

  @Test
  void anOwnerThatNeedsTheDictionaryGetsItOnce() throws Exception {
    script =
        List.<IntakeAnswer>of(
                new IntakeAnswer.NeedsDictionary(9),
                new IntakeAnswer.Kept(9, 1),
                new IntakeAnswer.NeedsDictionary(9),
                new IntakeAnswer.NeedsDictionary(9))
            .iterator();
    byte[] body = frame("n2");
    assertThat(deliver(Intent.KEEP, "n2", body)).isEqualTo(new IntakeAnswer.Kept(9, 1));
    assertThat(asked.getFirst()).endsWith(" " + body.length);
    assertThat(asked.getLast()).endsWith(" " + (body.length + 5));
    assertThat(deliver(Intent.KEEP, "n2", body))
        .as("it asks again although it has been sent")
        .isEqualTo(new IntakeAnswer.SlowDown(1_000));
  }

  @Test
  void theThreadOfAnAnswerDoesNotWaitForTheDictionary() throws Exception {
    script =
        List.<IntakeAnswer>of(new IntakeAnswer.NeedsDictionary(9), new IntakeAnswer.Kept(9, 1))
            .iterator();
    Promise<byte[]> dictionary = Promise.promise();
    Future<IntakeAnswer> answer =
        delivery.deliver(
            Intent.KEEP, Sender.UNLIMITED, "n2", frame("n2"), alone -> dictionary.future());
    assertThat(answer.isComplete()).isFalse();
    assertThat(asked).hasSize(1);
    dictionary.complete(new byte[7]);
    assertThat(answer.await(120, TimeUnit.SECONDS)).isEqualTo(new IntakeAnswer.Kept(9, 1));
    assertThat(asked.getLast()).isEqualTo("KEEP n2 3 7");
  }

  @Test
  void aDictionaryThatCannotBeMadeIsAFailureWithItsReason() {
    script = List.<IntakeAnswer>of(new IntakeAnswer.NeedsDictionary(9)).iterator();
    Future<IntakeAnswer> answer =
        delivery.deliver(
            Intent.KEEP,
            Sender.UNLIMITED,
            "n2",
            frame("n2"),
            alone -> {
              throw new IllegalArgumentException("too large");
            });
    assertThat(answer.failed()).isTrue();
    assertThat(answer.cause()).hasMessage("too large");
  }

  @Test
  void anOwnerThatIsBusyForAMomentIsAskedAgain() throws Exception {
    script =
        List.<IntakeAnswer>of(
                new IntakeAnswer.SlowDown(5),
                new IntakeAnswer.SlowDown(5),
                new IntakeAnswer.Kept(9, 1))
            .iterator();
    assertThat(deliver(Intent.KEEP, "n2", frame("n2"))).isEqualTo(new IntakeAnswer.Kept(9, 1));
    assertThat(asked).hasSize(3);
  }

  @Test
  void anOwnerThatIsBusyForLongerIsLeftToTheSender() throws Exception {
    script = List.<IntakeAnswer>of(new IntakeAnswer.SlowDown(1_001)).iterator();
    assertThat(deliver(Intent.KEEP, "n2", frame("n2"))).isEqualTo(new IntakeAnswer.SlowDown(1_001));
    assertThat(asked).hasSize(1);
  }

  @Test
  void whatTheOwnerRefusesIsRefused() throws Exception {
    script = List.<IntakeAnswer>of(new IntakeAnswer.Refused("no frame")).iterator();
    assertThat(deliver(Intent.KEEP, "n2", frame("n2")))
        .isEqualTo(new IntakeAnswer.Refused("no frame"));
  }
}
