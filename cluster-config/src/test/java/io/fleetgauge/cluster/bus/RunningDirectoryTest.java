package io.fleetgauge.cluster.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.bus.BusMessage.CancelAsked;
import io.fleetgauge.cluster.bus.BusMessage.CancelTold;
import io.fleetgauge.cluster.bus.BusMessage.QueriesAsked;
import io.fleetgauge.cluster.bus.BusMessage.QueriesTold;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunningDirectoryTest {
  private static final long NOW = 1_000;
  private static final Peer B = new Peer("b", 2, 2);
  private static final Peer C = new Peer("c", 3, 3);

  private final PeerDirectory peers = new PeerDirectory(new Peer("a", 1, 1));
  private final RunningDirectory directory = new RunningDirectory(peers);

  private static RemoteQuery query(long id) {
    return new RemoteQuery(id, "t", "up", "running", 1, 2, 3);
  }

  @BeforeEach
  void hear() {
    peers.heard(B, NOW);
    peers.heard(C, NOW);
  }

  @Test
  void aListIsCompleteWhenEveryLiveQueryApiHasAnswered() {
    QueriesAsked asked = directory.list(NOW);
    directory.heard(B, new QueriesTold(asked.request(), List.of(query(1))));
    assertThat(directory.done(NOW)).isEmpty();
    directory.heard(B, new QueriesTold(asked.request(), List.of(query(9)))); // again
    directory.heard(C, new QueriesTold(asked.request(), List.of(query(2))));
    assertThat(directory.done(NOW))
        .containsExactly(
            new RunningDirectory.Result(
                asked.request(), List.of(query(1), query(2)), false, List.of()));
    assertThat(directory.done(NOW + 10_000)).isEmpty();
  }

  @Test
  void whoDoesNotAnswerInTimeIsNamed() {
    QueriesAsked asked = directory.list(NOW);
    directory.heard(C, new QueriesTold(asked.request(), List.of(query(2))));
    long deadline = NOW + RunningDirectory.WAIT_MILLIS;
    assertThat(directory.done(deadline - 1)).isEmpty();
    assertThat(directory.done(deadline))
        .containsExactly(
            new RunningDirectory.Result(asked.request(), List.of(query(2)), false, List.of("b")));
  }

  @Test
  void aCancelEndsWithTheFirstQueryApiThatRanTheQuery() {
    CancelAsked asked = directory.cancel(7, "ops", NOW);
    assertThat(asked.query()).isEqualTo(7);
    assertThat(asked.askedBy()).isEqualTo("ops");
    directory.heard(B, new CancelTold(asked.request(), true));
    assertThat(directory.done(NOW))
        .containsExactly(new RunningDirectory.Result(asked.request(), List.of(), true, List.of()));
    CancelAsked other = directory.cancel(8, "ops", NOW);
    directory.heard(B, new CancelTold(other.request(), false));
    directory.heard(C, new CancelTold(other.request(), false));
    assertThat(directory.done(NOW).getFirst().isFound()).isFalse();
  }

  @Test
  void answersThatNobodyWaitsForChangeNothing() {
    QueriesAsked asked = directory.list(NOW);
    directory.heard(B, new QueriesTold(asked.request() + 1, List.of(query(1))));
    directory.heard(new Peer("d", 4, 4), new QueriesTold(asked.request(), List.of(query(1))));
    directory.heard(new Peer("d", 4, 4), new CancelTold(asked.request(), true));
    directory.heard(B, asked);
    assertThat(directory.done(NOW)).isEmpty();
  }

  @Test
  void whoIsAloneIsAnsweredAtOnce() {
    RunningDirectory alone = new RunningDirectory(new PeerDirectory(new Peer("a", 1, 1)));
    alone.list(NOW);
    assertThat(alone.done(NOW)).hasSize(1);
  }

  @Test
  void questionsOfTwoQueryApisHaveDifferentNumbers() {
    RunningDirectory other =
        new RunningDirectory(new PeerDirectory(new Peer("b", 1, 0x1234_5678_9abc_def0L)));
    assertThat(other.list(NOW).request()).isNotEqualTo(directory.list(NOW).request());
  }

  @Test
  void soManyQuestionsWaitAndNoMore() {
    for (int i = 0; i < RunningDirectory.MAX_QUESTIONS; i++) {
      assertThat(directory.isFull()).isFalse();
      directory.list(NOW);
    }
    assertThat(directory.isFull()).isTrue();
    directory.done(NOW + RunningDirectory.WAIT_MILLIS);
    assertThat(directory.isFull()).isFalse();
  }
}
