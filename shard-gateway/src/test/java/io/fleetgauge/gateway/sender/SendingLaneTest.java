package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.sender.Receiver.Outcome;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SendingLaneTest {
  private final SendingLane lane = new SendingLane();

  /** Series with two samples each, of the times 1 and 2. */
  private static List<Series> series(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(
            i ->
                new Series(Labels.of(Labels.NAME, "m" + i), new long[] {1, 2}, new double[] {i, i}))
        .toList();
  }

  /** Sends all to a receiver that refuses requests with bad series whole; counts the refused. */
  private int sendAll(Predicate<Series> isBad, List<String> accepted) {
    int refused = 0;
    while (!lane.isEmpty()) {
      List<Series> request = lane.begin();
      boolean isRefused = request.stream().anyMatch(isBad);
      if (!isRefused) {
        request.forEach(
            each -> {
              for (long time : each.times()) {
                accepted.add(each.labels().metric() + "@" + time);
              }
            });
      }
      refused += lane.answered(isRefused ? Outcome.refused("bad") : Outcome.ACCEPTED, 0);
    }
    return refused;
  }

  @Test
  void oneBadSampleCostsItselfOnly() {
    lane.take(series(0, 100), 100);
    List<String> accepted = new ArrayList<>();
    int refused =
        sendAll(
            each -> each.labels().metric().equals("m7") && each.times()[each.size() - 1] == 2,
            accepted);
    assertThat(refused).isEqualTo(1);
    assertThat(accepted).hasSize(199).doesNotHaveDuplicates().contains("m7@1", "m99@2");
  }

  @Test
  void eachRequestHasSplitsOfItsOwn() {
    lane.take(series(0, 100), 100);
    List<String> accepted = new ArrayList<>();
    int refused =
        sendAll(each -> Integer.parseInt(each.labels().metric().substring(1)) < 51, accepted);
    assertThat(refused).as("all of the first, and the two samples of m50").isEqualTo(102);
    assertThat(accepted).hasSize(98);
  }

  @Test
  void seriesThatWereRefusedLatelyDoNotStopOthers() {
    lane.take(series(0, 50), 100);
    sendAll(each -> each.labels().metric().equals("m7"), new ArrayList<>());
    lane.take(series(0, 50), 100);
    List<Series> request = lane.begin();
    assertThat(request).hasSize(49);
    lane.answered(Outcome.ACCEPTED, 0);
    assertThat(lane.begin()).extracting(each -> each.labels().metric()).containsExactly("m7");
    lane.answered(Outcome.ACCEPTED, 0);
    lane.take(series(0, 50), 100);
    assertThat(lane.begin()).as("it was accepted again").hasSize(50);
  }

  @Test
  void aRequestThatHasToWaitIsSentAgainAfterLongerAndLongerTimesUpToFiveSeconds() {
    lane.take(series(0, 1), 100);
    long now = 0;
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      lane.begin();
      lane.answered(Outcome.again(0, "away"), now);
      long at = now;
      while (!lane.isReady(at)) {
        at += 100;
      }
      waits.add(at - now);
      now = at;
    }
    assertThat(waits).containsExactly(500L, 1_000L, 2_000L, 4_000L, 5_000L, 5_000L);
    lane.begin();
    lane.answered(Outcome.again(60_000, "slow down"), now);
    assertThat(lane.isReady(now + 59_999)).isFalse();
    assertThat(lane.isReady(now + 60_000)).isTrue();
  }
}
