package io.fleetgauge.probe.uplink;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.uplink.UplinkMachine.Effect;
import io.fleetgauge.probe.uplink.UplinkMachine.Event;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UplinkMachineTest {
  private static final URI G1 = URI.create("http://g1:1");
  private static final URI G2 = URI.create("http://g2:2");
  private static final URI G3 = URI.create("http://g3:3");

  @Test
  void ticksGoOutInOrderOneRequestAtATimeAndTogetherWhenCatchingUp() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post first = post(uplink.on(read(1)));
    assertThat(sequences(first)).containsExactly(1L);
    assertThat(uplink.on(read(2))).isEmpty();
    assertThat(uplink.on(read(3))).isEmpty();
    Effect.Post second = post(uplink.on(kept(first)));
    assertThat(sequences(second)).containsExactly(2L, 3L);
    assertThat(second.gateway()).isEqualTo(first.gateway());
    assertThat(uplink.on(kept(second))).isEmpty();
    assertThat(uplink.counts().kept()).isEqualTo(3);
  }

  @Test
  void whatIsNotAcknowledgedIsSentAgain() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post first = post(uplink.on(read(1)));
    uplink.on(read(2));
    Frame.Tick frame = ticks(first).getFirst();
    assertThat(uplink.on(new Event.Failed("reset"))).get().isInstanceOf(Effect.Wait.class);
    assertThat(sequences(post(uplink.on(new Event.WaitOver())))).containsExactly(1L, 2L);
    Effect.Post rest = post(uplink.on(new Event.Answered(new IntakeAnswer.Kept(frame.run(), 1))));
    assertThat(sequences(rest)).containsExactly(2L);
  }

  @Test
  void samplesOfATakenTickThatAreRefusedAreCountedAsRefusedAndToldOnce() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post first = post(uplink.on(read(1)));
    uplink.on(read(2));
    Effect.Post second = post(uplink.on(refused(first, 1, "the time 1 is ahead")));
    assertThat(uplink.trouble()).contains("1 samples are rejected: the time 1 is ahead");
    uplink.on(refused(second, 1, "the time 2 is ahead"));
    assertThat(uplink.trouble()).contains("1 samples are rejected: the time 1 is ahead");
    assertThat(uplink.counts().refused()).isEqualTo(2);
    assertThat(uplink.counts().kept()).isZero();
    Effect.Post third = post(uplink.on(read(3)));
    // A gateway that has taken more than was queued cannot refuse more than that.
    uplink.on(refused(third, 9, "the time 3 is ahead"));
    assertThat(uplink.counts().refused()).isEqualTo(3);
    assertThat(uplink.counts().kept()).isZero();
    uplink.on(kept(post(uplink.on(read(4)))));
    assertThat(uplink.trouble()).isEmpty();
    assertThat(uplink.counts().kept()).isEqualTo(1);
    uplink.on(refused(post(uplink.on(read(5))), 1, "the time 5 is ahead"));
    assertThat(uplink.trouble()).contains("1 samples are rejected: the time 5 is ahead");
  }

  @Test
  void aProbeThatTalksToTheWrongGatewayGoesToTheRightOne() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post first = post(uplink.on(read(1)));
    assertThat(first.epoch()).isZero();
    Effect.Post moved = post(uplink.on(new Event.Answered(new IntakeAnswer.Moved(G3, 7))));
    assertThat(moved.gateway()).isEqualTo(G3);
    assertThat(moved.epoch()).isEqualTo(7);
    assertThat(sequences(moved)).containsExactly(1L);
    assertThat(post(uplink.on(new Event.Answered(new IntakeAnswer.Moved(G1, 6)))).epoch())
        .as("an older table is no news")
        .isEqualTo(7);
  }

  @Test
  void aProbeThatKnowsNoGatewayWaitsForOne() throws WireException {
    UplinkMachine uplink =
        UplinkMachine.inMemory(
            "n", UplinkSettings.DEFAULT, List.of(), new SplittableRandom(1), () -> 7);
    assertThat(uplink.on(read(1))).get().isInstanceOf(Effect.Wait.class);
    assertThat(uplink.trouble()).contains("no gateway is known yet");
    assertThat(uplink.on(new Event.WaitOver())).get().isInstanceOf(Effect.Wait.class);
    assertThat(uplink.on(new Event.Gateways(List.of(G2)))).isEmpty();
    Effect.Post post = post(uplink.on(new Event.WaitOver()));
    assertThat(post.gateway()).isEqualTo(G2);
    uplink.on(kept(post));
    assertThat(uplink.trouble()).isEmpty();
    assertThat(uplink.counts().kept()).isEqualTo(1);
  }

  @Test
  void otherGatewaysAreTriedWhenTheOneInUseFails() {
    UplinkMachine uplink =
        UplinkMachine.inMemory(
            "n", UplinkSettings.DEFAULT, List.of(G1), new SplittableRandom(1), () -> 7);
    Effect.Post first = post(uplink.on(read(1)));
    assertThat(first.gateway()).isEqualTo(G1);
    assertThat(uplink.on(new Event.Gateways(List.of(G2, G3)))).isEmpty();
    assertThat(post(uplink.on(new Event.Answered(new IntakeAnswer.Moved(G1, 7)))).gateway())
        .as("it answers, so it stays")
        .isEqualTo(G1);
    List<URI> tried = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      uplink.on(new Event.Failed("gone"));
      tried.add(post(uplink.on(new Event.WaitOver())).gateway());
    }
    assertThat(tried).containsExactly(G2, G3, G1);
    uplink.on(new Event.Gateways(List.of(G3)));
    uplink.on(new Event.Failed("gone"));
    assertThat(post(uplink.on(new Event.WaitOver())).gateway()).isEqualTo(G3);
  }

  @Test
  void ownersAreRememberedBesidesManyGatewaysToBeginWith() {
    List<URI> seeds = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      seeds.add(URI.create("http://seed" + i + ":1"));
    }
    UplinkMachine uplink =
        UplinkMachine.inMemory(
            "n", UplinkSettings.DEFAULT, seeds, new SplittableRandom(1), () -> 7);
    uplink.on(read(1));
    uplink.on(new Event.Answered(new IntakeAnswer.Moved(G1, 7)));
    List<URI> tried = new ArrayList<>();
    for (int i = 0; i < 101; i++) {
      uplink.on(new Event.Failed("gone"));
      tried.add(post(uplink.on(new Event.WaitOver())).gateway());
    }
    assertThat(tried).doesNotHaveDuplicates().contains(G1).containsAll(seeds);
  }

  @Test
  void gatewaysThatSendAProbeInACircleAreGivenTimeToAgree() {
    UplinkMachine uplink = machine(100, 1);
    Optional<Effect> effect = uplink.on(read(1));
    int posts = 0;
    for (int i = 0; effect.get() instanceof Effect.Post; i++) {
      posts++;
      assertThat(posts).isLessThan(20);
      effect = uplink.on(new Event.Answered(new IntakeAnswer.Moved(i % 2 == 0 ? G1 : G2, 1)));
    }
    assertThat(posts).isEqualTo(UplinkMachine.MAX_MOVES_IN_A_ROW + 1);
  }

  @Test
  void aGatewayThatDoesNotKnowTheRunIsSentItsDictionary() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post first = post(uplink.on(read(1)));
    long run = ticks(first).getFirst().run();
    Effect.Post again = post(uplink.on(new Event.Answered(new IntakeAnswer.NeedsDictionary(run))));
    assertThat(frames(again)).hasSize(2).first().isInstanceOf(Frame.Dictionary.class);
    Effect.Post next = post(after(uplink, again, 2));
    assertThat(frames(next)).hasSize(1);
  }

  @Test
  void slowDownIsObeyedAndTicksWaitMeanwhile() {
    UplinkMachine uplink = machine(100, 1);
    uplink.on(read(1));
    assertThat(uplink.on(new Event.Answered(new IntakeAnswer.SlowDown(321))))
        .contains(new Effect.Wait(321));
    assertThat(uplink.on(read(2))).isEmpty();
    assertThat(uplink.on(new Event.WaitOver())).get().isInstanceOf(Effect.Post.class);
  }

  @Test
  void aProbeWhoseHostIsOneTooManyKeepsItsTicksAndAsksAgainEachMinute() {
    UplinkMachine uplink = machine(100, 1);
    uplink.on(read(1));
    IntakeAnswer over = new IntakeAnswer.OverLimit(0, "tenant red has 2 hosts");
    assertThat(uplink.on(new Event.Answered(over))).contains(new Effect.Wait(60_000));
    assertThat(uplink.trouble()).hasValue("frames are not accepted: tenant red has 2 hosts");
    assertThat(uplink.counts().queued()).isEqualTo(1);
    assertThat(uplink.on(new Event.WaitOver())).get().isInstanceOf(Effect.Post.class);
  }

  @Test
  void aFrameThatIsRefusedIsFoundAndGivenUpAndTheOthersArrive() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post post = post(uplink.on(read(1)));
    for (int i = 2; i <= 5; i++) {
      uplink.on(read(i));
    }
    Optional<Effect> effect = uplink.on(kept(post));
    List<Long> arrived = new ArrayList<>();
    while (effect.isPresent()) {
      Effect.Post next = post(effect);
      List<Long> sequences = sequences(next);
      if (sequences.contains(3L)) {
        effect = uplink.on(new Event.Answered(new IntakeAnswer.Refused("sequence 3 is bad")));
      } else {
        arrived.addAll(sequences);
        effect = uplink.on(kept(next));
      }
    }
    assertThat(arrived).containsExactly(2L, 4L, 5L);
    assertThat(uplink.counts().refused()).isEqualTo(1);
    assertThat(uplink.counts().kept()).isEqualTo(4);
  }

  @Test
  void aSmallRequestThatIsKeptMakesTheNextOnesLargeAgain() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post post = post(uplink.on(read(1)));
    for (int i = 2; i <= 5; i++) {
      uplink.on(read(i));
    }
    assertThat(sequences(post(uplink.on(kept(post))))).containsExactly(2L, 3L, 4L, 5L);
    post = post(uplink.on(new Event.Answered(new IntakeAnswer.Refused("one of them is bad"))));
    assertThat(sequences(post)).containsExactly(2L);
    assertThat(sequences(post(uplink.on(kept(post))))).containsExactly(3L, 4L, 5L);
  }

  @Test
  void aTickThatCannotBeEncodedIsCountedAndTheNextOnesGoOut() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Labels twice = Labels.of(Labels.NAME, "m", "x", "y");
    assertThat(uplink.on(new Event.Read(new Tick.Builder().add(twice, 1).add(twice, 2).at(1))))
        .isEmpty();
    assertThat(uplink.trouble()).get().asString().contains("occurs twice");
    Effect.Post next = post(uplink.on(read(2)));
    assertThat(ticks(next).getFirst().additions().knownSeries()).isZero();
    uplink.on(kept(next));
    UplinkCounts counts = uplink.counts();
    assertThat(counts.read()).isEqualTo(3);
    assertThat(counts.refused()).isEqualTo(2);
    assertThat(counts.kept()).isEqualTo(1);
  }

  @Test
  void aFullQueueDropsTheOldestAndCountsThem() throws WireException {
    UplinkMachine uplink = machine(3, 1);
    uplink.on(read(1));
    for (int i = 2; i <= 10; i++) {
      uplink.on(read(i));
    }
    UplinkCounts counts = uplink.counts();
    assertThat(counts.dropped()).isEqualTo(7);
    assertThat(counts.queuedFrames()).isEqualTo(3);
    assertThat(counts.queuedBytes()).isPositive();
    uplink.on(new Event.Failed("gone"));
    assertThat(sequences(post(uplink.on(new Event.WaitOver())))).containsExactly(8L, 9L, 10L);
  }

  @Test
  void aGatewayIsToldUpToWhereTheRunWasAcknowledged() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post first = post(uplink.on(read(1)));
    assertThat(first.acknowledged()).isZero();
    uplink.on(kept(first));
    assertThat(post(uplink.on(read(2))).acknowledged()).isEqualTo(1);
  }

  @Test
  void failuresTurnToTheNextGatewayAndWaitLongerEachTime() {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post post = post(uplink.on(read(1)));
    List<URI> asked = new ArrayList<>();
    long longest = 0;
    for (int i = 0; i < 30; i++) {
      asked.add(post.gateway());
      Effect.Wait pause = (Effect.Wait) uplink.on(new Event.Failed("refused")).orElseThrow();
      longest = Math.max(longest, pause.millis());
      assertThat(pause.millis()).isBetween(50L, UplinkMachine.LONGEST_BACK_OFF_MILLIS);
      post = post(uplink.on(new Event.WaitOver()));
    }
    assertThat(asked.subList(0, 3)).containsExactlyInAnyOrder(G1, G2, G3);
    assertThat(longest).isGreaterThan(UplinkMachine.LONGEST_BACK_OFF_MILLIS / 2);
  }

  @Test
  void eachReasonOfAFailureIsToldOnceUntilAGatewayAnswers() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post post = post(uplink.on(read(1)));
    uplink.on(new Event.Failed("no connection"));
    assertThat(uplink.trouble())
        .contains("frames cannot be sent to " + post.gateway() + ": no connection");
    post = post(uplink.on(new Event.WaitOver()));
    uplink.on(new Event.Failed("status 403, no right"));
    String second = "frames cannot be sent to " + post.gateway() + ": status 403, no right";
    assertThat(uplink.trouble()).contains(second);
    for (int i = 0; i < 30; i++) {
      post = post(uplink.on(new Event.WaitOver()));
      uplink.on(new Event.Failed("no connection"));
      second = uplink.trouble().orElseThrow();
    }
    post = post(uplink.on(new Event.WaitOver()));
    uplink.on(new Event.Failed("no connection"));
    assertThat(uplink.trouble()).as("told before").contains(second);
    uplink.on(kept(post(uplink.on(new Event.WaitOver()))));
    assertThat(uplink.trouble()).isEmpty();
    post = post(uplink.on(read(2)));
    uplink.on(new Event.Failed("no connection"));
    assertThat(uplink.trouble()).as("told anew").isPresent();
  }

  /** The pause before the n-th retry is drawn from [half, whole] of 100 ms times 2^(n-1). */
  @Test
  void anAnswerResetsTheBackOff() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    uplink.on(read(1));
    for (int i = 0; i < 10; i++) {
      uplink.on(new Event.Failed("refused"));
      uplink.on(new Event.WaitOver());
    }
    assertThat(wait(uplink.on(new Event.Failed("refused"))))
        .isGreaterThanOrEqualTo(UplinkMachine.LONGEST_BACK_OFF_MILLIS / 2);
    Effect.Post post = post(uplink.on(new Event.WaitOver()));
    uplink.on(kept(post));
    uplink.on(read(2));
    assertThat(wait(uplink.on(new Event.Failed("refused"))))
        .as("the first pause of a new series of failures")
        .isBetween(UplinkMachine.FIRST_BACK_OFF_MILLIS / 2, UplinkMachine.FIRST_BACK_OFF_MILLIS);
  }

  @Test
  void theBackOffDoublesWithEveryFailureUpToItsLimit() {
    UplinkMachine uplink = machine(100, 3);
    uplink.on(read(1));
    long expected = UplinkMachine.FIRST_BACK_OFF_MILLIS;
    for (int i = 0; i < 70; i++) {
      assertThat(wait(uplink.on(new Event.Failed("refused")))).isBetween(expected / 2, expected);
      uplink.on(new Event.WaitOver());
      expected = Math.min(2 * expected, UplinkMachine.LONGEST_BACK_OFF_MILLIS);
    }
  }

  @Test
  void anAnswerResetsTheCountOfMoves() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post post = post(uplink.on(read(1)));
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < UplinkMachine.MAX_MOVES_IN_A_ROW; i++) {
        post = post(uplink.on(new Event.Answered(new IntakeAnswer.Moved(G2, i))));
      }
      uplink.on(kept(post));
      post = post(uplink.on(read(round + 2)));
    }
    assertThat(uplink.counts().kept()).isEqualTo(3);
  }

  @Test
  void theEpochThatIsSentDoesNotGoBackToThatOfAnOlderAnswer() {
    UplinkMachine uplink = machine(100, 1);
    assertThat(post(uplink.on(read(1))).epoch()).isZero();
    assertThat(post(uplink.on(new Event.Answered(new IntakeAnswer.Moved(G2, 7)))).epoch())
        .isEqualTo(7);
    assertThat(post(uplink.on(new Event.Answered(new IntakeAnswer.Moved(G3, 5)))).epoch())
        .isEqualTo(7);
  }

  @Test
  void theEpochIsForgottenWhenNothingWasTakenForSeconds() {
    UplinkMachine uplink = machine(100, 1);
    uplink.on(read(1));
    uplink.on(new Event.Answered(new IntakeAnswer.Moved(G2, 7)));
    long paused = 0;
    while (paused + 200 < UplinkMachine.EPOCH_FORGOTTEN_MILLIS) {
      paused += wait(uplink.on(new Event.Answered(new IntakeAnswer.SlowDown(200))));
      assertThat(post(uplink.on(new Event.WaitOver())).epoch()).as("after %d", paused).isEqualTo(7);
    }
    uplink.on(new Event.Answered(new IntakeAnswer.SlowDown(200)));
    assertThat(post(uplink.on(new Event.WaitOver())).epoch()).isZero();
    assertThat(post(uplink.on(new Event.Answered(new IntakeAnswer.Moved(G3, 5)))).epoch())
        .isEqualTo(5);
  }

  @Test
  void anOwnerThatIsLearnedIsAskedAgainWhenOthersFail() {
    UplinkMachine uplink = machine(100, 1);
    URI owner = URI.create("http://g9:9");
    uplink.on(read(1));
    uplink.on(new Event.Answered(new IntakeAnswer.Moved(owner, 1)));
    List<URI> asked = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      uplink.on(new Event.Failed("refused"));
      asked.add(post(uplink.on(new Event.WaitOver())).gateway());
    }
    assertThat(asked).containsExactlyInAnyOrder(G1, G2, G3, owner);
  }

  @Test
  void slowDownPausesForAsLongAsTheGatewaySaysAndAtLeastAMillisecond() {
    UplinkMachine uplink = machine(100, 1);
    uplink.on(read(1));
    assertThat(wait(uplink.on(new Event.Answered(new IntakeAnswer.SlowDown(750))))).isEqualTo(750);
    uplink.on(new Event.WaitOver());
    assertThat(wait(uplink.on(new Event.Answered(new IntakeAnswer.SlowDown(0))))).isEqualTo(1);
  }

  @Test
  void aGatewayThatAsksTwiceForTheSameDictionaryCountsAsFailed() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post post = post(uplink.on(read(1)));
    long run = ticks(post).getFirst().run();
    post = post(uplink.on(new Event.Answered(new IntakeAnswer.NeedsDictionary(run))));
    assertThat(frames(post).getFirst()).isInstanceOf(Frame.Dictionary.class);
    assertThat(uplink.on(new Event.Answered(new IntakeAnswer.NeedsDictionary(run))))
        .get()
        .isInstanceOf(Effect.Wait.class);
    assertThat(uplink.trouble())
        .hasValueSatisfying(text -> assertThat(text).contains("dictionary"));
  }

  @Test
  void aBodyThatIsTooLargeIsSentInQuartersAndASingleFrameIsRefused() throws WireException {
    UplinkMachine uplink = machine(1_000, 1);
    uplink.on(read(1));
    for (int i = 2; i <= 400; i++) {
      uplink.on(read(i));
    }
    uplink.on(new Event.Failed("refused"));
    Effect.Post post = post(uplink.on(new Event.WaitOver()));
    assertThat(ticks(post)).hasSize(400);
    int before = 400;
    while (ticks(post).size() > 1) {
      post = post(uplink.on(new Event.TooLarge()));
      assertThat(ticks(post).size()).isLessThanOrEqualTo(before);
      before = ticks(post).size();
    }
    assertThat(sequences(post)).containsExactly(1L);
    uplink.on(new Event.TooLarge());
    assertThat(uplink.counts().refused()).isEqualTo(1);
    assertThat(uplink.trouble()).hasValue("a frame is too large for the gateway");
  }

  @Test
  void troubleIsReportedWhenItBeginsAndGoneWhenAGatewayAnswers() throws WireException {
    UplinkMachine uplink = machine(100, 1);
    Effect.Post post = post(uplink.on(read(1)));
    assertThat(uplink.trouble()).isEmpty();
    uplink.on(new Event.Failed("connection refused"));
    assertThat(uplink.trouble())
        .hasValueSatisfying(
            text -> assertThat(text).contains(post.gateway().toString(), "connection refused"));
    Effect.Post again = post(uplink.on(new Event.WaitOver()));
    uplink.on(kept(again));
    assertThat(uplink.trouble()).isEmpty();
  }

  /** Random ticks, answers and failures; the law between the counters holds after each. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void readIsKeptAndQueuedAndDroppedAndRefusedAtEveryMoment(long seed) throws WireException {
    SplittableRandom random = new SplittableRandom(seed);
    UplinkMachine uplink = machine(20, seed);
    Optional<Effect> pending = Optional.empty();
    long read = 0;
    long lastKept = 0;
    for (int i = 0; i < 20_000; i++) {
      if (pending.isEmpty() || random.nextInt(3) == 0) {
        read++;
        Optional<Effect> effect = uplink.on(read(i));
        if (pending.isEmpty()) {
          pending = effect;
        } else {
          assertThat(effect).as("one thing at a time").isEmpty();
        }
      } else if (pending.get() instanceof Effect.Wait) {
        pending = uplink.on(new Event.WaitOver());
      } else {
        pending = uplink.on(answer(random, (Effect.Post) pending.get()));
      }
      UplinkCounts counts = uplink.counts();
      assertThat(counts.read()).isEqualTo(read);
      assertThat(counts.kept() + counts.queued() + counts.dropped() + counts.refused())
          .isEqualTo(read);
      assertThat(counts.queuedFrames()).isLessThanOrEqualTo(20);
      assertThat(counts.kept()).isGreaterThanOrEqualTo(lastKept);
      lastKept = counts.kept();
    }
    assertThat(lastKept).isPositive();
  }

  private static Event answer(SplittableRandom random, Effect.Post post) throws WireException {
    Frame.Tick last = ticks(post).getLast();
    return switch (random.nextInt(8)) {
      case 0 -> new Event.Failed("chance");
      case 1 -> new Event.Answered(new IntakeAnswer.SlowDown(5));
      case 2 -> new Event.Answered(new IntakeAnswer.Moved(G2, random.nextInt(9)));
      case 3 -> new Event.Answered(new IntakeAnswer.NeedsDictionary(last.run()));
      case 4 -> new Event.Answered(new IntakeAnswer.Refused("chance"));
      case 5 -> new Event.TooLarge();
      default -> {
        long acknowledged = last.sequence() - random.nextInt(2);
        yield new Event.Answered(new IntakeAnswer.Kept(last.run(), acknowledged));
      }
    };
  }

  private static Optional<Effect> after(UplinkMachine uplink, Effect.Post post, int tick)
      throws WireException {
    assertThat(uplink.on(kept(post))).isEmpty();
    return uplink.on(read(tick));
  }

  private static UplinkMachine machine(int maxFrames, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    // Ticks are a millisecond apart.
    UplinkSettings settings =
        new UplinkSettings(Duration.ofMillis(maxFrames - 1), 1 << 20, Duration.ofDays(1), 0);
    return UplinkMachine.inMemory(
        "n1", settings, List.of(G1, G2, G3), random, () -> random.nextLong() | 1);
  }

  private static Event read(int i) {
    return new Event.Read(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), i).at(i));
  }

  private static Event kept(Effect.Post post) throws WireException {
    Frame.Tick last = ticks(post).getLast();
    return new Event.Answered(new IntakeAnswer.Kept(last.run(), last.sequence()));
  }

  private static Event refused(Effect.Post post, long samples, String reason) throws WireException {
    Frame.Tick last = ticks(post).getLast();
    return new Event.Answered(
        new IntakeAnswer.Kept(last.run(), last.sequence(), samples, 0, reason));
  }

  private static long wait(Optional<Effect> effect) {
    assertThat(effect).get().isInstanceOf(Effect.Wait.class);
    return ((Effect.Wait) effect.get()).millis();
  }

  private static Effect.Post post(Optional<Effect> effect) {
    assertThat(effect).get().isInstanceOf(Effect.Post.class);
    return (Effect.Post) effect.get();
  }

  private static List<Frame> frames(Effect.Post post) throws WireException {
    FrameDecoder decoder = new FrameDecoder(post.body());
    List<Frame> frames = new ArrayList<>();
    while (decoder.hasNext()) {
      frames.add(decoder.next());
    }
    return frames;
  }

  private static List<Frame.Tick> ticks(Effect.Post post) throws WireException {
    return frames(post).stream()
        .filter(Frame.Tick.class::isInstance)
        .map(Frame.Tick.class::cast)
        .toList();
  }

  private static List<Long> sequences(Effect.Post post) throws WireException {
    return ticks(post).stream().map(Frame.Tick::sequence).toList();
  }
}
