package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.join;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The memory that dictionaries take, and which of them are dropped. */
class SenderRunsTest {
  private static final int VALUE = 10_000;

  private final IngestCounts counts = new IngestCounts();
  private final HostSession session = session(new SenderRuns.Limits(100_000, 200_000));

  private HostSession session(SenderRuns.Limits limits) {
    Store store = new Store(Path.of("nowhere"), HostWriter.limits(1_000), Dimensions.DEFAULT);
    return new HostSession(HOST, store.lane(HOST), counts, false, 0, limits);
  }

  /** A tick of one series with a long label. */
  private static byte[] withLongLabel(FrameEncoder run, long time) {
    return run.encode(new Tick.Builder().add(series(1), time).at(time));
  }

  private static Labels series(int number) {
    return Labels.of(Labels.NAME, "m", "v", number + "v".repeat(VALUE));
  }

  private IntakeAnswer take(byte[] body, long clock) {
    return session.take(body, clock, Long.MAX_VALUE, 0).answer();
  }

  private List<FrameEncoder> runs(int count) {
    List<FrameEncoder> runs = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      runs.add(new FrameEncoder(HOST, i));
      assertThat(take(withLongLabel(runs.getLast(), i), i)).isEqualTo(new IntakeAnswer.Kept(i, 1));
    }
    return runs;
  }

  @Test
  void whatARefusedBodyBroughtCounts() {
    byte[] body = join(withLongLabel(new FrameEncoder(HOST, 1), 1), new byte[] {1, 2, 3});
    assertThat(take(body, 1)).isInstanceOf(IntakeAnswer.Refused.class);
    assertThat(counts.dictionaryBytes.sum()).isGreaterThan(VALUE);
  }

  @Test
  void dictionariesThatAreNotInUseAreDroppedWhenThoseOfAllHostsTakeMuchMemory() {
    List<FrameEncoder> runs = runs(2);
    assertThat(take(withLongLabel(runs.getFirst(), 500), 500))
        .isEqualTo(new IntakeAnswer.Kept(1, 2));
    long idle = 2 + SenderRuns.IDLE_MILLIS + 1;
    session.trimDictionaries(idle);
    assertThat(counts.dictionaryBytes.sum()).as("they are few").isGreaterThan(2L * VALUE);
    counts.dictionaryBytes.add(90_000);
    session.trimDictionaries(idle - 1);
    assertThat(counts.dictionaryBytes.sum()).isGreaterThan(90_000 + 2L * VALUE);
    session.trimDictionaries(idle);
    assertThat(counts.dictionaryBytes.sum()).isBetween(90_000L + VALUE, 90_000 + 2L * VALUE);
    assertThat(take(withLongLabel(runs.get(0), 600), 600)).isEqualTo(new IntakeAnswer.Kept(1, 3));
    byte[] next = withLongLabel(runs.get(1), 700);
    assertThat(take(next, 700)).isEqualTo(new IntakeAnswer.NeedsDictionary(2));
    assertThat(session.progress()).hasSize(2).containsEntry(2L, RunProgress.upTo(1));
    assertThat(take(join(runs.get(1).dictionary(), next), 700))
        .isEqualTo(new IntakeAnswer.Kept(2, 2));
  }

  @Test
  void whatAddsToADictionaryWaitsWhenThoseOfAllHostsTakeTooMuchMemory() {
    FrameEncoder run = new FrameEncoder(HOST, 1);
    take(body(run, 1), 1);
    counts.dictionaryBytes.add(200_000);
    assertThat(take(body(run, 2), 2)).as("it adds nothing").isEqualTo(new IntakeAnswer.Kept(1, 2));
    byte[] more = withLongLabel(run, 3);
    assertThat(take(more, 3))
        .isEqualTo(new IntakeAnswer.SlowDown(AdmissionControl.FULL_RETRY_MILLIS));
    assertThat(session.check(more, Long.MAX_VALUE)).isInstanceOf(IntakeAnswer.SlowDown.class);
    assertThat(counts.memoryShort.sum()).isEqualTo(2);
    assertThat(session.copy(more, 3).answer())
        .as("the owner has accepted it")
        .isEqualTo(new IntakeAnswer.Kept(1, 3));
    counts.dictionaryBytes.add(-200_000);
    assertThat(take(withLongLabel(new FrameEncoder(HOST, 2), 4), 4))
        .isEqualTo(new IntakeAnswer.Kept(2, 1));
  }

  @Test
  void runsThatAreForgottenAndSessionsThatEndTakeNoMemory() {
    for (int i = 1; i <= 40; i++) {
      take(body(new FrameEncoder(HOST, i), i), i);
    }
    long of32 = counts.dictionaryBytes.sum();
    take(body(new FrameEncoder(HOST, 41), 41), 41);
    assertThat(counts.dictionaryBytes.sum()).isEqualTo(of32).isPositive();
    session.close();
    assertThat(counts.dictionaryBytes.sum()).isZero();
  }

  @Test
  void aPageOfAnotherGatewayLeavesNoDictionary() throws Exception {
    session.merge(withLongLabel(new FrameEncoder(HOST, 7), 1));
    assertThat(counts.dictionaryBytes.sum()).isZero();
  }

  @Test
  void aBodyOfMoreRunsThanAHostHasIsRefused() {
    List<byte[]> frames = new ArrayList<>();
    for (int i = 1; i <= SenderRuns.MAX_RUNS; i++) {
      frames.add(body(new FrameEncoder(HOST, i), i));
    }
    assertThat(take(join(frames.toArray(byte[][]::new)), 1)).isInstanceOf(IntakeAnswer.Kept.class);
    frames.add(body(new FrameEncoder(HOST, 99), 99));
    assertThat(take(join(frames.toArray(byte[][]::new)), 2))
        .isEqualTo(new IntakeAnswer.Refused("a request body has frames of more than 32 runs"));
  }

  @Test
  void aHostIsLookedAtForDictionariesThatAreNotInUse() {
    ManualEnvironment environment = new ManualEnvironment("g1", 1);
    environment.table(3, holders("g1", 3));
    HostIntake host = environment.host();
    FrameEncoder run = new FrameEncoder(HOST, 7);
    host.take(body(run, environment.clock()), 0, answer -> {});
    environment.journalWrites(true);
    environment.pass(SenderRuns.IDLE_MILLIS + 1);
    host.timePassed();
    long held = environment.counts().dictionaryBytes.sum();
    assertThat(held).isPositive();
    environment.counts().dictionaryBytes.add(1L << 50);
    host.timePassed();
    assertThat(environment.counts().dictionaryBytes.sum()).isEqualTo(1L << 50);
  }

  @Test
  void whileTheJournalIsReadNoDictionaryIsDropped() throws Exception {
    Store store = new Store(Path.of("nowhere"), HostWriter.limits(1_000), Dimensions.DEFAULT);
    HostSession recovering =
        new HostSession(
            HOST, store.lane(HOST), counts, true, 0, new SenderRuns.Limits(100_000, 200_000));
    FrameEncoder run = new FrameEncoder(HOST, 1);
    recovering.replay(withLongLabel(run, 1));
    counts.dictionaryBytes.add(90_000);
    recovering.trimDictionaries(SenderRuns.IDLE_MILLIS + 2);
    assertThat(recovering.replay(withLongLabel(run, 2)).newest()).isEqualTo(2);
    recovering.endReplay();
    recovering.trimDictionaries(SenderRuns.IDLE_MILLIS + 2);
    assertThat(counts.dictionaryBytes.sum()).isEqualTo(90_000);
  }

  @Test
  void whatIsSupposedOfASilentHostIsTakenHoweverMuchMemoryDictionariesTake() {
    counts.dictionaryBytes.add(300_000);
    byte[] frames = withLongLabel(new FrameEncoder(HOST, 9), 1);
    assertThat(session.takeSynthetic(frames, 1, Long.MAX_VALUE).answer())
        .isEqualTo(new IntakeAnswer.Kept(9, 1));
  }
}
