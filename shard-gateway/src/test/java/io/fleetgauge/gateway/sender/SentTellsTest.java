package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.sender.SentRecord.Term;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SentTellsTest {
  private final SentTells tells = new SentTells();

  private static SentRecord record(String host, long until) {
    return new SentRecord("r", host, Term.NONE, until, List.of());
  }

  @Test
  void onlyChangesAreTold() {
    SentTells.Tell first = tells.next("g", List.of(record("a", 1), record("b", 1))).orElseThrow();
    assertThat(first.lines()).hasSize(2);
    tells.answered(first, true);
    SentTells.Tell second = tells.next("g", List.of(record("a", 1), record("b", 2))).orElseThrow();
    assertThat(second.body()).asString().isEqualTo("r b 0 0 2\n");
    tells.answered(second, true);
    assertThat(tells.next("g", List.of(record("a", 1), record("b", 2)))).isEmpty();
    tells.repeat();
    assertThat(tells.next("g", List.of(record("a", 1)))).isPresent();
  }

  @Test
  void oneMessageIsInFlightAndIsToldAgainIfItIsNotTaken() {
    SentTells.Tell first = tells.next("g", List.of(record("a", 1))).orElseThrow();
    assertThat(tells.next("g", List.of(record("a", 2)))).isEmpty();
    assertThat(tells.next("other", List.of(record("a", 2)))).isPresent();
    tells.answered(first, false);
    assertThat(tells.isTold("g", record("a", 1))).isFalse();
    assertThat(tells.next("g", List.of(record("a", 1)))).isPresent();
  }

  @Test
  void aMessageIsBounded() {
    List<SentRecord> many = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      many.add(record("h".repeat(10_000) + i, 1));
    }
    int told = 0;
    for (int i = 0; i < 10 && told < many.size(); i++) {
      Optional<SentTells.Tell> next = tells.next("g", many);
      assertThat(next.orElseThrow().body()).hasSizeLessThanOrEqualTo(SentTells.MAX_BYTES);
      told += next.get().lines().size();
      tells.answered(next.get(), true);
    }
    assertThat(told).isEqualTo(300);
  }
}
