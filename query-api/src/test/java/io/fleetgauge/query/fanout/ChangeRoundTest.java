package io.fleetgauge.query.fanout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.promql.fragment.ChangesQuestion;
import io.fleetgauge.query.fleet.Changes;
import io.fleetgauge.query.fleet.MemoryFleet;
import io.vertx.core.Future;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What gateways report as changed, made one report. */
class ChangeRoundTest {
  private static final URI G1 = URI.create("http://g1:1");
  private static final URI G2 = URI.create("http://g2:1");
  private static final Map<String, URI> ADDRESSES = Map.of("g1", G1, "g2", G2);

  private final MemoryFleet fleet = new MemoryFleet().host("n1", "g1", "g2").host("n2", "g2", "g1");
  private final Map<URI, ChangesQuestion.Answer> answers = new HashMap<>();
  private final Map<URI, ChangesQuestion.Since> asked = new HashMap<>();
  private final ChangeRound round =
      new ChangeRound(
          (gateway, since) -> {
            asked.put(gateway, since);
            ChangesQuestion.Answer answer = answers.get(gateway);
            return answer == null ? Future.failedFuture("down") : Future.succeededFuture(answer);
          });
  private ClusterView view = fleet.view(ADDRESSES);
  private Optional<Changes> last = Optional.empty();

  private void answers(URI gateway, long cursor, long watermark, ChangesQuestion.OfHost... hosts) {
    answers.put(gateway, new ChangesQuestion.Answer(7, cursor, watermark, List.of(hosts)));
  }

  private Changes look() {
    last = Optional.of(round.look(view, last).result());
    return last.get();
  }

  private static ChangesQuestion.OfHost changed(String host, Long... buckets) {
    return new ChangesQuestion.OfHost(host, false, List.of(buckets));
  }

  @Test
  void theWatermarkIsThatOfTheGatewayThatIsFurthestBehind() {
    answers(G1, 1, 9_000);
    answers(G2, 1, 8_000);
    assertThat(look().watermark()).isEqualTo(8_000);
    answers(G1, 1, 7_000);
    assertThat(look().watermark()).isEqualTo(7_000);
  }

  @Test
  void aGatewayWhoseHostsAllHaveStoppedDoesNotHoldTheWatermarkBack() {
    answers(G1, 1, 1_000_000);
    answers(G2, 1, 700_001);
    assertThat(look().watermark()).isEqualTo(700_001);
    answers(G1, 2, 1_000_001);
    answers(G2, 2, 700_001);
    assertThat(look().watermark()).isEqualTo(1_000_001);
  }

  @Test
  void aGatewayToWhichNoHostSendsTicksHasNoWatermark() {
    answers(G1, 1, Long.MIN_VALUE);
    answers(G2, 1, 8_000);
    assertThat(look().watermark()).isEqualTo(8_000);
    answers(G2, 1, Long.MIN_VALUE);
    assertThat(look().watermark()).as("it is not known").isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void aHostsChangesAreThoseThatItsFirstReaderReports() {
    answers(G1, 1, 0);
    answers(G2, 1, 0);
    look();
    answers(G1, 2, 0, changed("n1", 10L, 11L), changed("n2", 20L));
    answers(G2, 2, 0, changed("n1", 30L), changed("n2", 40L));
    Changes second = look();
    assertThat(second.all()).isFalse();
    assertThat(second.buckets()).containsExactlyInAnyOrder(10L, 11L, 40L);
  }

  @Test
  void aHostOfWhichAnythingMayHaveChangedCountsAtItsFirstReaderOnly() {
    answers(G1, 1, 0);
    answers(G2, 1, 0);
    look();
    ChangesQuestion.OfHost all = new ChangesQuestion.OfHost("n1", true, List.of());
    answers(G2, 2, 0, all);
    assertThat(look().all()).isFalse();
    answers(G1, 2, 0, all);
    assertThat(look().all()).isTrue();
  }

  @Test
  void aGatewayIsAskedFromWhereItsLastReportEnded() {
    answers(G1, 41, 0);
    answers(G2, 42, 0);
    look();
    assertThat(asked)
        .containsEntry(G1, ChangesQuestion.Since.START)
        .containsEntry(G2, ChangesQuestion.Since.START);
    look();
    assertThat(asked)
        .containsEntry(G1, new ChangesQuestion.Since(7, 41))
        .containsEntry(G2, new ChangesQuestion.Since(7, 42));
  }

  @Test
  void aGatewayThatDidNotAnswerMayHaveChangedAnythingUntilItHasAnsweredOnce() {
    answers(G1, 1, 0);
    answers(G2, 1, 0);
    look();
    assertThat(look().all()).isFalse();
    answers.remove(G2);
    assertThat(look().all()).isTrue();
    answers(G2, 2, 0);
    assertThat(look().all()).as("what changed meanwhile was not reported").isTrue();
    assertThat(asked).containsEntry(G2, ChangesQuestion.Since.START);
    assertThat(look().all()).isFalse();
  }

  private Changes readOf(URI gateway) {
    last =
        Optional.of(
            ChangeRound.report(view, Map.of(gateway, answers.get(gateway)), List.of(), last));
    return last.get();
  }

  @Test
  void aLookThatAskedOneGatewayLeavesTheOthersWhereTheyWere() {
    answers(G1, 1, 9_000);
    answers(G2, 1, 8_000);
    look();
    answers(G1, 2, 12_000, changed("n1", 10L), changed("n2", 20L));
    Changes second = readOf(G1);
    assertThat(second.all()).isFalse();
    assertThat(second.buckets()).containsExactly(10L);
    assertThat(second.watermark()).as("what G2 said before").isEqualTo(8_000);
    answers(G2, 5, 11_000, changed("n2", 40L));
    assertThat(look().buckets()).containsExactlyInAnyOrder(10L, 40L);
    assertThat(asked)
        .containsEntry(G1, new ChangesQuestion.Since(7, 2))
        .containsEntry(G2, new ChangesQuestion.Since(7, 1));
  }

  @Test
  void aGatewayThatWasNotAskedForLongMayHaveChangedAnythingByAnotherTable() {
    answers(G1, 1, 0);
    answers(G2, 1, 0);
    look();
    fleet.host("n1", "g2", "g1");
    view = fleet.view(ADDRESSES);
    assertThat(readOf(G1).all()).isTrue();
    answers(G2, 2, 0, changed("n1", 30L));
    Changes third = readOf(G2);
    assertThat(third.all()).isFalse();
    assertThat(third.buckets()).containsExactly(30L);
  }

  @Test
  void aNewTableThatLeavesTheFirstReadersAsTheyWereChangesNothing() {
    answers(G1, 1, 0);
    answers(G2, 1, 0);
    look();
    fleet.host("n1", "g1");
    view = fleet.view(ADDRESSES);
    Changes second = look();
    assertThat(second.all()).isFalse();
    assertThat(second.epoch()).isEqualTo(fleet.epoch());
  }
}
