package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.join;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What becomes of bodies: samples in the lane, and records for the journal. */
class HostSessionTest {
  private static final long LATEST = 1_000_000;

  /** The samples of a gateway, and what it makes of bodies. */
  private static final class Gateway {
    final Store store;
    final IngestCounts counts = new IngestCounts();
    final HostSession session;

    Gateway(int maxSeries, boolean recovering) {
      store = new Store(Path.of("nowhere"), HostWriter.limits(maxSeries), Dimensions.DEFAULT);
      session = new HostSession(HOST, store.lane(HOST), counts, recovering, 0);
    }

    IntakeAnswer take(byte[] body) {
      return session.take(body, 0, LATEST, 0).answer();
    }

    List<Series> samples() throws Exception {
      Selection all = new Selection(List.of(), Long.MIN_VALUE, Long.MAX_VALUE);
      return store.select(List.of(HOST), all, 1_000_000, gap -> {}, StopCheck.NEVER);
    }
  }

  private final Gateway gateway = new Gateway(1_000, false);
  private final HostSession session = gateway.session;
  private final FrameEncoder run = new FrameEncoder(HOST, 7);

  // --- synthetic ticks of a silent host ---

  /** Nobody sends it again: what comes next has to have all that it needs. */
  @Test
  void afterOneRefusalWhatIsSupposedNextIsTaken() throws Exception {
    long tick = 15_000;
    Tick.Builder last = new Tick.Builder();
    for (String metric : List.of("up", SyntheticTicks.TICK, "power")) {
      last.add(Labels.of(Labels.NAME, metric, "Hostname", HOST), metric.equals("up") ? 1 : 15);
    }
    gateway.take(run.encode(last.at(0)));
    assertThat(session.syntheticTicks(9, 0)).isEmpty();
    assertThat(session.syntheticTicks(9, 3 * tick)).as("lost on its way").isPresent();
    byte[] second = session.syntheticTicks(9, 4 * tick).orElseThrow();
    assertThat(session.takeSynthetic(second, 0, LATEST).answer())
        .isEqualTo(new IntakeAnswer.NeedsDictionary(9));
    byte[] third = session.syntheticTicks(9, 5 * tick).orElseThrow();

    assertThat(session.takeSynthetic(third, 0, LATEST).answer())
        .isInstanceOf(IntakeAnswer.Kept.class);

    assertThat(gateway.samples())
        .filteredOn(series -> series.labels().metric().equals("up"))
        .singleElement()
        .satisfies(
            up -> {
              assertThat(up.times()).containsExactly(0, 2 * tick, 3 * tick, 4 * tick);
              assertThat(up.values()).containsExactly(1, 0, 0, 0);
            });
    byte[] fourth = session.syntheticTicks(9, 6 * tick).orElseThrow();
    assertThat(session.takeSynthetic(fourth, 0, LATEST).answer())
        .isInstanceOf(IntakeAnswer.Kept.class);
    assertThat(fourth).as("it says nothing twice").hasSizeLessThan(third.length);
  }

  // --- refused samples ---

  @Test
  void whatIsRefusedIsNeitherInTheJournalNorSentToReplicasAndAllElseIs() throws Exception {
    Gateway small = new Gateway(3, false);
    byte[] body =
        join(
            run.encode(new Tick.Builder().add(m(1), 1).add(m(2), 2).at(1_000)),
            run.dictionary(),
            run.encode(
                new Tick.Builder()
                    .add(m(1), 3)
                    .add(m(3), HostWriter.histogram(4))
                    .add(m(4), 5)
                    .add(m(5), HostWriter.histogram(6))
                    .at(2_000)),
            run.dictionary(),
            run.encode(new Tick.Builder().add(m(4), 7).add(m(2), 8).at(3_000)),
            run.encode(new Tick.Builder().add(m(1), 9).at(LATEST + 1)),
            run.encode(new Tick.Builder().add(m(1), 10).add(m(3), 11).at(4_000)));
    HostSession.TakeResult taken = small.session.take(body, 0, LATEST, 0);
    assertThat(taken.answer())
        .isInstanceOfSatisfying(
            IntakeAnswer.Kept.class,
            kept -> {
              assertThat(kept.sequence()).isEqualTo(5);
              assertThat(kept.refused()).as("4, 5, 4 again, and the one of tomorrow").isEqualTo(4);
              assertThat(kept.newSeries()).isEqualTo(3);
            });
    List<Series> kept = small.samples();
    assertThat(kept).hasSize(3);
    assertThat(kept.stream().mapToInt(Series::size).sum()).isEqualTo(7);
    Gateway replica = new Gateway(1_000, false);
    assertThat(replica.session.copy(taken.body(), 0).answer())
        .isInstanceOf(IntakeAnswer.Kept.class);
    assertThat(replica.samples()).isEqualTo(kept);
    Gateway restarted = new Gateway(1_000, true);
    restarted.session.replay(taken.body());
    assertThat(restarted.samples()).isEqualTo(kept);
    assertThat(restarted.session.progress()).isEqualTo(small.session.progress());
  }

  @Test
  void aBodyOfWhichNothingIsRefusedStaysAsItIs() {
    byte[] body = join(body(run, 1_000), body(run, 2_000));
    HostSession.TakeResult taken = session.take(body, 0, LATEST, 0);
    assertThat(taken.body()).isSameAs(body);
    assertThat(taken.newest()).isEqualTo(2_000);
  }

  @Test
  void refusedSamplesAreCountedByTheStoreAndTicksByIntake() {
    Gateway small = new Gateway(1, false);
    small.take(run.encode(new Tick.Builder().add(m(1), 1).add(m(2), 2).at(1_000)));
    assertThat(small.store.counts().stored.sum()).isEqualTo(1);
    assertThat(small.store.counts().overLimit.sum()).isEqualTo(1);
    assertThat(small.counts.framesKept.sum()).isEqualTo(1);
    assertThat(small.counts.framesCopied.sum()).isZero();
    session.copy(join(run.dictionary(), body(run, 2_000)), 0);
    assertThat(gateway.counts.framesKept.sum()).isZero();
    assertThat(gateway.counts.framesCopied.sum()).isEqualTo(1);
  }

  @Test
  void theNewestTimeOfABodyIsThatOfItsNewestTickInWhateverOrderTheyCome() {
    byte[] body = join(body(run, 2_000), body(run, 1_000));
    assertThat(session.take(body, 0, LATEST, 0).newest()).isEqualTo(2_000);
    assertThatBodyIsRefused(run.dictionary(), "holds no tick");
  }

  @Test
  void aCheckKeepsNothingAndSaysWhatWouldBeRefused() throws Exception {
    gateway.take(body(run, 1_000));
    byte[] body = run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), 7).at(1_000));
    assertThat(session.check(body, LATEST))
        .isInstanceOfSatisfying(
            IntakeAnswer.Kept.class, kept -> assertThat(kept.refused()).isEqualTo(1));
    assertThat(session.check(body, 999))
        .isInstanceOfSatisfying(
            IntakeAnswer.Kept.class,
            kept -> assertThat(kept.reason()).contains("ahead of the latest allowed, 999"));
    assertThat(gateway.samples()).singleElement().extracting(Series::size).isEqualTo(1);
    assertThat(session.progress()).isEqualTo(Map.of(7L, RunProgress.upTo(1)));
    Gateway recovering = new Gateway(1_000, true);
    assertThat(recovering.session.check(join(run.dictionary(), body), 999))
        .as("nothing is known yet of what is here")
        .isEqualTo(new IntakeAnswer.Kept(7, 2));
    assertThat(recovering.session.waitingBytes()).isZero();
  }

  // --- records of the journal ---

  @Test
  void aRecordHasTheDictionariesThatItsSegmentDoesNotHaveAndNoOthers() throws Exception {
    List<byte[]> first = new ArrayList<>();
    byte[] begin = body(run, 1_000);
    assertThat(journal(first, begin, 1)).as("it begins the run").isSameAs(begin);
    byte[] next = body(run, 2_000);
    assertThat(journal(first, next, 1)).isSameAs(next);
    List<byte[]> second = new ArrayList<>();
    byte[] other = body(run, 3_000);
    assertThat(journal(second, other, 2)).isEqualTo(join(run.dictionary(), other));
    byte[] more = run.encode(new Tick.Builder().add(m(1), 1).at(4_000));
    assertThat(journal(second, more, 2)).as("it adds to what the segment has").isSameAs(more);
    byte[] last = run.encode(new Tick.Builder().add(m(1), 2).at(5_000));
    assertThat(journal(second, last, 2)).isSameAs(last);
    assertThat(replayed(first)).containsExactly(1_000L, 2_000L);
    assertThat(replayed(second)).containsExactly(3_000L, 4_000L, 5_000L);
  }

  @Test
  void whatABodyAddedThatIsNotInTheJournalIsInTheNextRecord() throws Exception {
    List<byte[]> segment = new ArrayList<>();
    journal(segment, body(run, 1_000), 1);
    byte[] cutOff = run.encode(new Tick.Builder().add(m(1), 1).at(2_000));
    assertThatBodyIsRefused(join(cutOff, new byte[] {1, 2, 3}), "");
    byte[] next = run.encode(new Tick.Builder().add(m(1), 1).at(3_000));
    assertThat(journal(segment, next, 1)).isEqualTo(join(run.dictionary(), next));
    assertThat(replayed(segment)).containsExactly(1_000L, 3_000L);
  }

  /** Between its frames, the sender sent one that was only examined. */
  @Test
  void aBodyWhoseFramesLeaveOutAPartOfTheDictionaryHasItInItsRecord() throws Exception {
    List<byte[]> segment = new ArrayList<>();
    journal(segment, body(run, 1_000), 1);
    byte[] second = run.encode(new Tick.Builder().add(m(1), 1).at(2_000));
    session.check(run.encode(new Tick.Builder().add(m(2), 1).at(3_000)), LATEST);
    session.check(join(run.dictionary(), second), LATEST);
    byte[] both = join(second, run.encode(new Tick.Builder().add(m(2), 1).at(4_000)));
    assertThat(journal(segment, both, 1)).isEqualTo(join(run.dictionary(), both));
    byte[] last = run.encode(new Tick.Builder().add(m(2), 1).at(5_000));
    assertThat(journal(segment, last, 1)).isSameAs(last);
    assertThat(replayed(segment)).containsExactly(1_000L, 2_000L, 4_000L, 5_000L);
  }

  /** A sender may say again what an examined body has said. */
  @Test
  void onlyWhatARecordSaysOfTheDictionaryCountsAsWritten() throws Exception {
    List<byte[]> segment = new ArrayList<>();
    journal(segment, body(run, 1_000), 1);
    byte[] second = run.encode(new Tick.Builder().add(m(1), 1).at(2_000));
    session.check(
        join(run.dictionary(), run.encode(new Tick.Builder().add(m(2), 1).at(3_000))), LATEST);
    assertThat(journal(segment, second, 1)).as("it adds m(1) only").isSameAs(second);
    byte[] last = run.encode(new Tick.Builder().add(m(2), 1).at(4_000));
    assertThat(journal(segment, last, 1)).isEqualTo(join(run.dictionary(), last));
    assertThat(replayed(segment)).containsExactly(1_000L, 2_000L, 4_000L);
  }

  @Test
  void whenOnlyALabelSetIsNewTheNextRecordHasItToo() throws Exception {
    List<byte[]> segment = new ArrayList<>();
    Labels a = Labels.of(Labels.NAME, "m", "x", "1");
    Labels b = Labels.of(Labels.NAME, "m", "x", "m");
    journal(segment, run.encode(new Tick.Builder().add(a, 1).at(1_000)), 1);
    byte[] cutOff = run.encode(new Tick.Builder().add(b, 1).at(2_000));
    assertThatBodyIsRefused(join(cutOff, new byte[] {1, 2, 3}), "");
    byte[] next = run.encode(new Tick.Builder().add(b, 1).at(3_000));
    assertThat(journal(segment, next, 1)).isEqualTo(join(run.dictionary(), next));
    assertThat(replayed(segment)).containsExactly(1_000L, 3_000L);
  }

  @Test
  void aRecordOfTwoRunsHasTheDictionaryOfTheOneThatTheSegmentLacks() throws Exception {
    FrameEncoder other = new FrameEncoder(HOST, 8);
    List<byte[]> segment = new ArrayList<>();
    journal(new ArrayList<>(), body(other, 500), 1);
    journal(segment, body(run, 1_000), 2);
    byte[] both = join(body(run, 2_000), body(other, 3_000));
    assertThat(journal(segment, both, 2)).isEqualTo(join(other.dictionary(), both));
    byte[] again = join(body(run, 4_000), body(other, 5_000));
    assertThat(journal(segment, again, 2)).isSameAs(again);
    assertThat(replayed(segment)).containsExactly(1_000L, 2_000L, 3_000L, 4_000L, 5_000L);
  }

  @Test
  void aRecordWhoseDictionaryIsNotInTheJournalIsLostWithAReason() {
    body(run, 1_000);
    byte[] second = body(run, 2_000);
    assertThatThrownBy(() -> session.replay(second))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("the dictionary of its run is not in the journal");
    assertThat(gateway.counts.ticksReplayed.sum()).isZero();
  }

  @Test
  void aReplayedRecordSaysItsNewestTimeAndIsCounted() throws Exception {
    assertThat(session.replay(join(body(run, 2_000), body(run, 1_000))).newest()).isEqualTo(2_000);
    assertThat(gateway.counts.ticksReplayed.sum()).isEqualTo(2);
    FrameEncoder page = new FrameEncoder(HOST, HostPage.RUN);
    assertThat(session.replay(page.dictionary()).newest()).isEqualTo(Long.MIN_VALUE);
    assertThat(session.replay(body(page, 3_000)).newest()).isEqualTo(3_000);
    assertThat(gateway.samples()).singleElement().extracting(Series::size).isEqualTo(3);
    assertThat(session.progress()).as("a page is no run").containsOnlyKeys(7L);
  }

  // --- ticks that wait ---

  @Test
  void ticksThatWaitAreMeasuredUntilTheyAreAppended() throws Exception {
    Gateway recovering = new Gateway(1_000, true);
    HostSession waiting = recovering.session;
    recovering.take(run.encode(new Tick.Builder().add(m(1), 1).add(m(2), 2).at(2_000)));
    assertThat(waiting.waitingBytes()).isEqualTo(64 + 2 * 12);
    recovering.take(run.encode(new Tick.Builder().add(m(1), 3).at(1_000)));
    assertThat(waiting.waitingBytes()).isEqualTo(2 * 64 + 3 * 12);
    assertThat(waiting.before()).as("before the oldest").isEqualTo(999);
    assertThat(recovering.samples()).isEmpty();
    waiting.recovered(LATEST);
    assertThat(waiting.isWaiting()).isFalse();
    assertThat(waiting.waitingBytes()).isZero();
    assertThat(waiting.before()).isEqualTo(Long.MAX_VALUE);
    assertThat(recovering.samples().stream().mapToInt(Series::size).sum()).isEqualTo(3);
    assertThat(recovering.store.counts().stored.sum()).isEqualTo(3);
    waiting.recovered(LATEST);
    assertThat(recovering.store.counts().repeated.sum()).as("they are appended once").isZero();
  }

  @Test
  void ticksWaitAgainWhenOlderSamplesAreFetchedAndWhatWaitsIsNotForgotten() throws Exception {
    session.await();
    gateway.take(body(run, 1_000));
    session.await();
    assertThat(session.before()).isEqualTo(999);
    session.merge(body(new FrameEncoder(HOST, HostPage.RUN), 500));
    session.recovered(LATEST);
    assertThat(gateway.samples())
        .singleElement()
        .satisfies(series -> assertThat(series.times()).containsExactly(500, 1_000));
  }

  @Test
  void mergingAPageSaysWhetherItHadAnythingNew() throws Exception {
    byte[] page = body(new FrameEncoder(HOST, HostPage.RUN), 500);
    assertThat(session.merge(page)).isEqualTo(new HostSession.MergeResult(500, true));
    assertThat(session.merge(page)).isEqualTo(new HostSession.MergeResult(500, false));
    assertThat(gateway.store.counts().stored.sum()).isEqualTo(1);
    assertThat(gateway.store.counts().repeated.sum()).isEqualTo(1);
    assertThat(session.merge(new byte[0]))
        .isEqualTo(new HostSession.MergeResult(Long.MIN_VALUE, false));
  }

  // --- runs and time ---

  @Test
  void theHostsTimeGoesOnFromItsNewestSampleAndNeverBack() {
    assertThat(session.now(77_000)).as("without samples").isEqualTo(77_000);
    session.take(body(run, 1_000), 50_000, LATEST, 0);
    assertThat(session.now(50_000)).isEqualTo(1_000);
    assertThat(session.now(53_000)).isEqualTo(4_000);
    assertThat(session.now(49_000)).as("the clock was set back").isEqualTo(1_000);
    session.copy(body(run, 2_000), 60_000);
    assertThat(session.now(61_000)).isEqualTo(3_000);
  }

  @Test
  void theDictionaryOfARunIsThatOfItsSenderAndOfAnUnknownRunThereIsNone() {
    gateway.take(body(run, 1_000));
    assertThat(session.dictionary(7)).isEqualTo(run.dictionary());
    assertThat(session.dictionary(8)).isEmpty();
  }

  @Test
  void of33RunsTheOneThatWasUsedLongestAgoIsForgotten() {
    List<FrameEncoder> runs = new ArrayList<>();
    for (int i = 1; i <= 32; i++) {
      runs.add(new FrameEncoder(HOST, i));
      gateway.take(body(runs.getLast(), i * 1_000));
    }
    assertThat(gateway.take(body(runs.getFirst(), 33_000))).isInstanceOf(IntakeAnswer.Kept.class);
    gateway.take(body(new FrameEncoder(HOST, 33), 34_000));
    assertThat(session.progress()).hasSize(32).containsKey(1L).doesNotContainKey(2L);
    assertThat(gateway.take(body(runs.get(1), 35_000)))
        .isEqualTo(new IntakeAnswer.NeedsDictionary(2));
    assertThat(gateway.counts.dictionariesWanted.sum()).isEqualTo(1);
  }

  @Test
  void anAnswerSaysTheLastSequenceThatIsHereEvenWhenOlderOnesComeAgain() {
    byte[] first = body(run, 1_000);
    gateway.take(first);
    gateway.take(body(run, 2_000));
    assertThat(gateway.take(first)).isEqualTo(new IntakeAnswer.Kept(7, 2));
  }

  @Test
  void whatWasAcknowledgedIsSaidOfTheFirstRunOfABodyOnly() {
    FrameEncoder other = new FrameEncoder(HOST, 8);
    byte[] otherBegin = body(other, 1_000);
    body(other, 2_000);
    body(other, 3_000);
    byte[] both = join(body(run, 1_500), otherBegin, body(other, 4_000), body(run, 4_500));
    HostSession.TakeResult taken = session.take(both, 0, LATEST, 3);
    assertThat(taken.missing()).isEmpty();
    assertThat(session.progress().get(8L))
        .isEqualTo(new RunProgress(4, Sequences.NONE, Sequences.of(2, 3)));
    assertThat(session.mayMissTicks()).isTrue();
    assertThat(session.isMissingTicks()).isFalse();
  }

  @Test
  void missingTicksAreNamedWithTheTimesBetweenWhichTheyWere() {
    gateway.take(body(run, 1_000));
    body(run, 2_000);
    body(run, 3_000);
    HostSession.TakeResult taken = session.take(body(run, 4_000), 0, LATEST, 2);
    assertThat(taken.missing()).contains(new HostSession.Missing(7, 2, 1_000, 4_000));
    assertThat(session.isMissingTicks()).isTrue();
  }

  private void assertThatBodyIsRefused(byte[] body, String reason) {
    assertThat(gateway.take(body))
        .isInstanceOfSatisfying(
            IntakeAnswer.Refused.class, refused -> assertThat(refused.reason()).contains(reason));
  }

  private byte[] journal(List<byte[]> segment, byte[] body, long number) {
    HostSession.TakeResult taken = session.take(body, 0, LATEST, 0);
    assertThat(taken.answer()).isInstanceOf(IntakeAnswer.Kept.class);
    byte[] record = taken.runs().record(taken.body(), number);
    taken.runs().journaled(number);
    segment.add(record);
    return record;
  }

  /** Times of what is there after the start of a gateway that has only these records. */
  private static List<Long> replayed(List<byte[]> segment) throws Exception {
    Gateway restarted = new Gateway(1_000, true);
    for (byte[] record : segment) {
      restarted.session.replay(record);
    }
    List<Long> times = new ArrayList<>();
    for (Series series : restarted.samples()) {
      for (long time : series.times()) {
        times.add(time);
      }
    }
    times.sort(null);
    return times;
  }

  private static Labels m(int i) {
    return Labels.of(Labels.NAME, "m", "i", "" + i);
  }
}
