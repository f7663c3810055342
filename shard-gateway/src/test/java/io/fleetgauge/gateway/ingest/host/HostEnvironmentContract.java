package io.fleetgauge.gateway.ingest.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.journal.Journal.AppendResult;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The laws of {@link HostEnvironment}; each implementation has a test that extends this. */
public abstract class HostEnvironmentContract {
  protected static final String HOST = "n1";

  private final FrameEncoder run = new FrameEncoder(HOST, 7);
  private long ticks;

  /** A gateway that has not read yet what it kept before its start. */
  protected abstract HostEnvironment environment();

  /** Reads what the gateway kept before its start. */
  protected abstract void recover();

  /** From now on the journal cannot be written. */
  protected abstract void failDisk();

  /** Whether queries may read this gateway's copy of a host. */
  protected abstract boolean isWholeCopy(String host, long since);

  /** Starts something and waits until it gives its result. */
  protected abstract <T> T answer(Consumer<Consumer<T>> start);

  // --- the lane ---

  @Test
  protected void workRunsInTheOrderInWhichItIsGiven() {
    List<Integer> ran =
        this.<List<Integer>>answer(
            done -> {
              List<Integer> order = new ArrayList<>();
              for (int i = 0; i < 5; i++) {
                int number = i;
                environment().onLane(() -> order.add(number));
              }
              environment().onLane(() -> done.accept(List.copyOf(order)));
            });
    assertThat(ran).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  protected void workThatIsGivenOnTheLaneRunsAfterTheWorkThatGivesIt() {
    List<String> ran =
        this.<List<String>>answer(
            done -> {
              List<String> order = new ArrayList<>();
              environment()
                  .onLane(
                      () -> {
                        environment()
                            .onLane(
                                () -> {
                                  order.add("given");
                                  done.accept(List.copyOf(order));
                                });
                        order.add("giving");
                      });
            });
    assertThat(ran).containsExactly("giving", "given");
  }

  @Test
  protected void workRunsOnOneThreadWhereverItIsGiven() {
    Set<Thread> threads = ConcurrentHashMap.newKeySet();
    this.<Boolean>answer(
        done -> {
          environment().onLane(() -> threads.add(Thread.currentThread()));
          append(
              false,
              kept ->
                  environment()
                      .onLane(
                          () -> {
                            threads.add(Thread.currentThread());
                            environment()
                                .onLane(
                                    () -> {
                                      threads.add(Thread.currentThread());
                                      done.accept(true);
                                    });
                          }));
        });
    assertThat(threads).hasSize(1);
  }

  // --- the journal ---

  @Test
  protected void recordsAreKeptInTheOrderInWhichTheyAreAppendedAndAnsweredOnce() {
    List<String> answered = new CopyOnWriteArrayList<>();
    assertThat(append(false, kept -> answered.add("first " + kept))).isEqualTo(AppendResult.QUEUED);
    assertThat(append(true, kept -> answered.add("forced " + kept))).isEqualTo(AppendResult.QUEUED);
    assertThat(append(false, kept -> answered.add("third " + kept))).isEqualTo(AppendResult.QUEUED);
    appendAndWait(true);
    assertThat(answered).containsExactly("first true", "forced true", "third true");
  }

  @Test
  protected void aRecordForAnotherSegmentIsNeitherTakenNorAnswered() {
    List<Boolean> answered = new CopyOnWriteArrayList<>();
    long segment = environment().segment();
    for (long other : new long[] {segment - 1, segment + 1}) {
      assertThat(
              environment().append(other, HOST, record(), ticks, false, kept -> answered.add(kept)))
          .isEqualTo(AppendResult.OTHER_SEGMENT);
    }
    appendAndWait(false);
    assertThat(answered).isEmpty();
  }

  @Test
  protected void whileTheDiskFailsRecordsAreRejectedAndNotAnswered() {
    appendAndWait(false);
    assertThat(environment().isDiskFailing()).isFalse();
    failDisk();
    assertThat(environment().isDiskFailing()).isTrue();
    List<Boolean> answered = new CopyOnWriteArrayList<>();
    assertThat(append(false, answered::add)).isEqualTo(AppendResult.REJECTED);
    assertThat(append(true, answered::add)).isEqualTo(AppendResult.REJECTED);
    this.<Boolean>answer(done -> environment().onLane(() -> done.accept(true)));
    assertThat(answered).isEmpty();
  }

  // --- clocks and state ---

  @Test
  protected void samplesMayBeAheadOfTheClock() {
    long clock = environment().clock();
    assertThat(environment().latestTime()).isGreaterThan(clock);
  }

  @Test
  protected void neitherClockGoesBackWhileWorkIsDone() {
    long clock = environment().clock();
    long steady = environment().steadyMillis();
    appendAndWait(true);
    assertThat(environment().clock()).isGreaterThanOrEqualTo(clock);
    assertThat(environment().steadyMillis()).isGreaterThanOrEqualTo(steady);
  }

  @Test
  protected void whatIsCountedIsCountedOnTheSameCounters() {
    environment().counts().framesKept.increment();
    environment().counts().framesKept.increment();
    assertThat(environment().counts().framesKept.sum()).isEqualTo(2);
  }

  @Test
  protected void aGatewayIsRecoveredOnceItHasReadWhatItKept() {
    assertThat(environment().isRecovered()).isFalse();
    recover();
    assertThat(environment().isRecovered()).isTrue();
  }

  @Test
  protected void aCopyIsWholeFromTheStatementThatItIsToTheStatementThatItIsNot() {
    assertThat(isWholeCopy(HOST, 3)).isFalse();
    environment().copyIsWhole(HOST, OptionalLong.empty());
    assertThat(isWholeCopy(HOST, 3)).isFalse();
    environment().copyIsWhole(HOST, OptionalLong.of(3));
    environment().copyIsWhole(HOST, OptionalLong.of(3));
    environment().copyIsWhole("n2", OptionalLong.of(4));
    assertThat(isWholeCopy(HOST, 3)).isTrue();
    assertThat(isWholeCopy(HOST, 4)).as("of a later owner").isFalse();
    environment().copyIsWhole(HOST, OptionalLong.empty());
    assertThat(isWholeCopy(HOST, 3)).isFalse();
    assertThat(isWholeCopy("n2", 4)).isTrue();
  }

  private byte[] record() {
    ticks++;
    return run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), ticks).at(ticks));
  }

  private AppendResult append(boolean forced, Consumer<Boolean> done) {
    return environment().append(environment().segment(), HOST, record(), ticks, forced, done);
  }

  private void appendAndWait(boolean forced) {
    assertThat(
            this.<Boolean>answer(
                done -> assertThat(append(forced, done)).isEqualTo(AppendResult.QUEUED)))
        .isTrue();
  }
}
