package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.member.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class IntakeTest {
  private static final URI G2 = URI.create("http://g2:9500");
  private static final ClusterView VIEW =
      new ClusterView(
          new OwnershipTable(3, new TreeMap<>(Map.of("n1", "g1", "n2", "g2"))),
          Map.of("g1", URI.create("http://g1:9500"), "g2", G2));

  private final Store store =
      new Store(new StoreLimits(Duration.ofHours(1), 1_000, Duration.ofMinutes(10)), () -> 0);
  private final List<String> registered = new ArrayList<>();
  private final Intake intake =
      new Intake(store, new Ownership("g1"), () -> VIEW, registered::add, 2, 3);

  @AfterEach
  void close() {
    intake.close();
  }

  @Test
  void framesOfAnOwnHostAreKeptAndAcknowledgedTogether() {
    FrameEncoder run = new FrameEncoder("n1", 0xabc);
    byte[] body = join(frame(run, 1), frame(run, 2), frame(run, 3));
    assertThat(take("n1", body)).isEqualTo(new IntakeAnswer.Kept(0xabc, 3));
    assertThat(store.counts().stored.sum()).isEqualTo(3);
  }

  @Test
  void aFrameThatComesTwiceChangesNothingAndIsAcknowledgedAgain() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    byte[] first = frame(run, 1);
    byte[] second = frame(run, 2);
    take("n1", join(first, second));
    assertThat(take("n1", first)).isEqualTo(new IntakeAnswer.Kept(7, 2));
    assertThat(take("n1", join(first, second))).isEqualTo(new IntakeAnswer.Kept(7, 2));
    assertThat(store.counts().stored.sum()).isEqualTo(2);
    assertThat(store.counts().repeated.sum()).isZero();
    assertThat(intake.counts().framesRepeated.sum()).isEqualTo(3);
  }

  @Test
  void aRunWhoseBeginningIsUnknownIsAskedForItsDictionary() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    frame(run, 1);
    byte[] second = frame(run, 2);
    assertThat(take("n1", second)).isEqualTo(new IntakeAnswer.NeedsDictionary(7));
    assertThat(take("n1", join(run.dictionary(), second))).isEqualTo(new IntakeAnswer.Kept(7, 2));
    assertThat(store.counts().stored.sum()).isEqualTo(1);
  }

  @Test
  void aNewRunOfAHostGoesOnWithItsSeries() {
    take("n1", frame(new FrameEncoder("n1", 1), 1));
    assertThat(take("n1", frame(new FrameEncoder("n1", 2), 2)))
        .isEqualTo(new IntakeAnswer.Kept(2, 1));
    assertThat(store.seriesCount()).isEqualTo(1);
    assertThat(store.counts().stored.sum()).isEqualTo(2);
  }

  @Test
  void aHostOfAnotherGatewayIsSentThere() {
    assertThat(take("n2", frame(new FrameEncoder("n2", 1), 1)))
        .isEqualTo(new IntakeAnswer.Moved(G2, 3));
    assertThat(store.hostCount()).isZero();
  }

  @Test
  void aHostThatNobodyKnowsIsMadeKnownAndHasToWait() {
    assertThat(take("n3", frame(new FrameEncoder("n3", 1), 1)))
        .isInstanceOf(IntakeAnswer.SlowDown.class);
    assertThat(registered).containsExactly("n3");
  }

  @Test
  void aSenderWithANewerTableHasToWaitUntilItIsHereToo() {
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take("n1", frame(new FrameEncoder("n1", 1), 1), 4, answer::complete);
    assertThat(answer.join()).isInstanceOf(IntakeAnswer.SlowDown.class);
  }

  @Test
  void badBytesAreRefusedWithAReasonAndWhatStoodBeforeThemIsKept() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    byte[] good = frame(run, 1);
    byte[] damaged = frame(run, 2);
    damaged[damaged.length - 1] ^= 1;
    assertThat(take("n1", join(good, damaged)))
        .isInstanceOfSatisfying(
            IntakeAnswer.Refused.class,
            refused -> assertThat(refused.reason()).contains("damaged"));
    assertThat(store.counts().stored.sum()).isEqualTo(1);
    assertThat(take("n1", frame(new FrameEncoder("n9", 7), 1)))
        .isInstanceOfSatisfying(
            IntakeAnswer.Refused.class,
            refused -> assertThat(refused.reason()).contains("n9").contains("n1"));
    assertThat(take("n1", new byte[0])).isInstanceOf(IntakeAnswer.Refused.class);
    assertThat(intake.counts().framesRefused.sum()).isEqualTo(2);
  }

  @Test
  void aFullQueueSaysSlowDownAndLosesNothing() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(1);
    FrameEncoder run = new FrameEncoder("n1", 7);
    intake.take(
        "n1",
        frame(run, 1),
        0,
        answer -> {
          started.countDown();
          await(busy);
        });
    started.await();
    List<CompletableFuture<IntakeAnswer>> answers = new ArrayList<>();
    for (int i = 2; i <= 5; i++) {
      CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
      answers.add(answer);
      intake.take("n1", frame(run, i), 0, answer::complete);
    }
    assertThat(answers.getLast().join()).isInstanceOf(IntakeAnswer.SlowDown.class);
    assertThat(intake.counts().slowedDown.sum()).isEqualTo(1);
    busy.countDown();
    assertThat(answers.get(2).join()).isEqualTo(new IntakeAnswer.Kept(7, 4));
    assertThat(store.counts().stored.sum()).isEqualTo(4);
  }

  @Test
  void aHostThatHasGoneIsForgottenAndMayComeBack() {
    FrameEncoder run = new FrameEncoder("n1", 7);
    take("n1", frame(run, 1_000));
    intake.forgetSilentHosts(1_000);
    take("n1", frame(run, 2_000));
    assertThat(store.counts().stored.sum()).isEqualTo(2);
    assertThat(store.hostCount()).isEqualTo(1);
    intake.forgetSilentHosts(2_001);
    assertThat(take("n1", frame(run, 3_000))).isEqualTo(new IntakeAnswer.NeedsDictionary(7));
    take("n1", join(run.dictionary(), frame(run, 4_000)));
    assertThat(store.seriesCount()).isEqualTo(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private IntakeAnswer take(String host, byte[] body) {
    CompletableFuture<IntakeAnswer> answer = new CompletableFuture<>();
    intake.take(host, body, 0, answer::complete);
    return answer.join();
  }

  private static byte[] frame(FrameEncoder run, long time) {
    return run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m", "i", "1"), time).at(time));
  }

  private static byte[] join(byte[]... frames) {
    WireWriter body = new WireWriter();
    for (byte[] frame : frames) {
      body.raw(frame, 0, frame.length);
    }
    return body.toBytes();
  }
}
