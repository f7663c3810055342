package io.fleetgauge.query.slow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlowQueriesTest {
  private final SlowQueries slow = new SlowQueries();

  private static EndedQuery ended(String tenant, String text, long millis) {
    return new EndedQuery(
        tenant, text, millis, "", false, 10, 100, 0, millis, 0, "g1", millis, List.of());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "up{host=\"a\"} | up{host=\"?\"}",
        "up{host='a\\'b',rack=`\\`} | up{host=\"?\",rack=\"?\"}",
        "rate(x[5m] @ 1795300000.5) | rate(x[5m] @ ?)",
        "rate(x[5m] @ end()) | rate(x[5m] @ end())",
        "topk(5,  sum( x )) # five | topk(5, sum( x ))",
        "up{host=\"a | up{host=\"?\"",
        "'' | \"?\""
      })
  void queriesThatDifferInLabelValuesTimesAndBlanksAreOneKind(String query, String kind) {
    assertThat(Fingerprint.of(query)).isEqualTo(kind);
  }

  @Test
  void aKindHasCountQuantilesAndTheReasonsOfItsSlowest() {
    for (int i = 1; i <= 100; i++) {
      slow.ended(ended("a", "up{host=\"n" + i + "\"}", i));
    }
    SlowQueries.Kind kind = slow.kinds().getFirst();
    assertThat(slow.kinds()).hasSize(1);
    assertThat(kind.count()).isEqualTo(100);
    assertThat(kind.totalMillis()).isEqualTo(5_050);
    assertThat(kind.p50Millis()).isEqualTo(50);
    assertThat(kind.p99Millis()).isEqualTo(99);
    assertThat(kind.slowest().text()).isEqualTo("up{host=\"n100\"}");
    assertThat(kind.slowest().why())
        .containsExactly("gateways took 100 ms; the slowest, g1, 100 ms", "it read 10 samples");
  }

  @Test
  void quantilesAreOfTheLastQueries() {
    slow.ended(ended("a", "up", 90_000));
    for (int i = 0; i < RecentDurations.KEPT; i++) {
      slow.ended(ended("a", "up", 7));
    }
    assertThat(slow.kinds().getFirst().p99Millis()).isEqualTo(7);
    assertThat(slow.kinds().getFirst().slowest().millis()).isEqualTo(90_000);
  }

  @Test
  void failuresAndRefusalsAreCountedByTenant() {
    slow.ended(ended("a", "up", 3));
    slow.ended(EndedQuery.failed("a", "up", 4, "it is over a limit", true));
    slow.ended(EndedQuery.failed("a", "down", 5, "it timed out", false));
    assertThat(slow.uses()).containsExactly(new SlowQueries.Use("a", 3, 12, 10, 1, 2));
    assertThat(slow.kinds().getFirst().slowest().why())
        .containsExactly("it failed: it is over a limit");
  }

  @Test
  void cheapKindsMakeRoomAndCostlyOnesStay() {
    slow.ended(ended("a", "costly", 60_000));
    for (int i = 0; i < 10 * SlowQueries.MAX_OF_TENANT; i++) {
      slow.ended(ended("a", "metric_" + i, 1));
    }
    assertThat(slow.kinds()).hasSize(SlowQueries.MAX_OF_TENANT);
    assertThat(slow.kinds().getFirst().fingerprint()).isEqualTo("costly");
    assertThat(slow.forgotten()).isEqualTo(9 * SlowQueries.MAX_OF_TENANT + 1);
  }

  @Test
  void whateverIsAskedMemoryIsBounded() {
    for (int tenant = 0; tenant < 2 * SlowQueries.MAX_TENANTS; tenant++) {
      for (int i = 0; i < 3; i++) {
        slow.ended(ended("tenant-" + tenant, "metric_" + i + "x".repeat(5_000), 1));
      }
    }
    assertThat(slow.kinds()).hasSizeLessThanOrEqualTo(SlowQueries.MAX_KINDS);
    assertThat(slow.uses()).hasSize(SlowQueries.MAX_TENANTS + 1);
    assertThat(slow.uses().getFirst().tenant()).isEqualTo(SlowQueries.OTHERS);
    assertThat(slow.kinds())
        .allMatch(kind -> kind.fingerprint().length() <= Fingerprint.MAX_LENGTH)
        .allMatch(kind -> kind.slowest().text().length() <= Fingerprint.MAX_LENGTH + 3);
  }
}
