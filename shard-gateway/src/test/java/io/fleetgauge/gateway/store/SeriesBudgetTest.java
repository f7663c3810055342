package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import org.junit.jupiter.api.Test;

class SeriesBudgetTest {
  private static final Labels NONE = Labels.of("i", "1");
  private static final Labels BLUE = Labels.of("i", "1", "tenant", "blue");
  private static final Labels RED = Labels.of("i", "1", "tenant", "red");

  private final SeriesBudget budget = new SeriesBudget(limits(4, 2, 5));

  private static StoreLimits limits(int host, int tenant, int all) {
    StoreLimits limits = HostWriter.limits(1);
    return new StoreLimits(
        limits.retention(),
        limits.maxBlockBytes(),
        limits.memoryTime(),
        limits.outOfOrder(),
        limits.future(),
        host,
        tenant,
        all);
  }

  @Test
  void aHostHasAtMostItsSeries() {
    assertThat(budget.take("n1", 3, NONE)).isEmpty();
    assertThat(budget.take("n1", 4, NONE))
        .contains(
            "the host n1 has the 4 series that store.maxSeriesPerHost allows; " + NONE + " is new");
    assertThat(budget.count()).isEqualTo(1);
  }

  @Test
  void aTenantHasAtMostItsSeriesOnAllHosts() {
    assertThat(budget.take("n1", 0, BLUE)).isEmpty();
    assertThat(budget.take("n2", 0, BLUE)).isEmpty();
    assertThat(budget.take("n3", 0, BLUE).orElseThrow())
        .startsWith("the tenant blue has the 2 series that store.maxSeriesPerTenant allows");
    assertThat(budget.take("n3", 0, RED)).isEmpty();
    assertThat(budget.take("n3", 0, NONE)).isEmpty();
    assertThat(budget.count()).isEqualTo(4);
  }

  @Test
  void aGatewayHasAtMostItsSeries() {
    for (int i = 0; i < 5; i++) {
      assertThat(budget.take("n" + i, 0, NONE)).isEmpty();
    }
    assertThat(budget.take("n9", 0, NONE).orElseThrow())
        .startsWith("this gateway has the 5 series that store.maxSeries allows");
    budget.release(NONE);
    assertThat(budget.take("n9", 0, NONE)).isEmpty();
  }

  @Test
  void ofTenantsWhoseSeriesAreRefusedNothingIsRemembered() {
    for (int i = 0; i < 5; i++) {
      budget.add(NONE);
    }
    assertThat(budget.take("n1", 0, BLUE)).isPresent();
    assertThat(budget.take("n1", 4, RED)).isPresent();
    assertThat(budget.byTenant()).isEmpty();
    budget.release(NONE);
    assertThat(budget.take("n1", 0, BLUE)).isEmpty();
    assertThat(budget.byTenant()).containsOnlyKeys("blue");
  }

  @Test
  void whatWasAcceptedBeforeCountsWhateverTheLimitsAre() {
    for (int i = 0; i < 7; i++) {
      budget.add(BLUE);
    }
    assertThat(budget.count()).isEqualTo(7);
    assertThat(budget.byTenant().get("blue")).hasValue(7);
    assertThat(budget.take("n1", 0, NONE)).isPresent();
  }

  @Test
  void aChangeOfTenantMovesTheSeriesFromOneToTheOther() {
    budget.take("n1", 0, BLUE);
    budget.take("n1", 0, BLUE);
    budget.pass(BLUE, RED);
    assertThat(budget.count()).isEqualTo(2);
    assertThat(budget.byTenant().get("blue")).hasValue(1);
    assertThat(budget.byTenant().get("red")).hasValue(1);
    assertThat(budget.take("n1", 0, BLUE)).isEmpty();
    budget.pass(RED, NONE);
    assertThat(budget.byTenant()).doesNotContainKey("red");
    budget.pass(NONE, RED);
    budget.pass(RED, RED);
    assertThat(budget.byTenant().get("red")).hasValue(1);
  }

  @Test
  void aTenantWithoutSeriesIsForgotten() {
    budget.take("n1", 0, BLUE);
    budget.take("n1", 0, BLUE);
    budget.release(BLUE);
    assertThat(budget.byTenant()).containsKey("blue");
    budget.release(BLUE);
    assertThat(budget.byTenant()).isEmpty();
    assertThat(budget.count()).isZero();
  }
}
