package io.fleetgauge.query.clusters;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.lookup.HostState;
import java.util.List;
import org.junit.jupiter.api.Test;

class HostChoiceTest {
  private static final long TICK = 1_000;
  private static final long LEAD = 15_000;
  private static final long NOW = 1_000_000;

  private final HostChoice hosts = new HostChoice(List.of("a", "b", "c"));

  private void heard(String cluster, long newest, String... names) {
    hosts.heard(
        cluster,
        7,
        List.of(names).stream().map(name -> new HostState(name, newest, TICK, 1)).toList(),
        List.of(),
        NOW);
  }

  private String winner(String host) {
    return hosts.choice().winners().get(host);
  }

  @Test
  void aHostOfOneClusterIsReadThere() {
    heard("a", 100_000, "n1");
    heard("b", 200_000, "n2");
    assertThat(hosts.choice().winners()).isEmpty();
    assertThat(hosts.choice().without("a")).isEmpty();
    assertThat(hosts.hosts("b")).containsExactly("n2");
    assertThat(hosts.epoch("b")).isEqualTo(7);
    assertThat(hosts.epoch("c")).isEqualTo(-1);
  }

  @Test
  void ofTwoClustersThatHaveAHostTheOneWithNewerSamplesAnswers() {
    heard("a", 100_000, "n1", "n2");
    heard("b", 100_000 + LEAD + 1, "n1", "n3");
    assertThat(winner("n1")).isEqualTo("b");
    assertThat(hosts.choice().without("a")).containsExactly("n1");
    assertThat(hosts.choice().without("b")).isEmpty();
    assertThat(hosts.hosts("a")).containsExactly("n2");
  }

  @Test
  void aSmallLeadDecidesNothingSoThatAChoiceStays() {
    heard("b", 100_000, "n1");
    heard("a", 100_000, "n1");
    assertThat(winner("n1")).isEqualTo("a");
    long number = hosts.choice().number();
    heard("b", 100_000 + LEAD, "n1");
    assertThat(winner("n1")).isEqualTo("a");
    assertThat(hosts.choice().number()).isEqualTo(number);
    heard("b", 100_001 + LEAD, "n1");
    assertThat(winner("n1")).isEqualTo("b");
    assertThat(hosts.choice().number()).isEqualTo(number + 1);
    // The first one has to lead as far to take it back.
    heard("a", 100_001 + 2 * LEAD, "n1");
    assertThat(winner("n1")).isEqualTo("b");
  }

  @Test
  void aHostThatTicksSeldomNeedsALongerLead() {
    hosts.heard("a", 1, List.of(new HostState("n1", 0, 60_000, 1)), List.of(), NOW);
    hosts.heard("b", 1, List.of(new HostState("n1", 180_000, 60_000, 1)), List.of(), NOW);
    assertThat(winner("n1")).isEqualTo("a");
    hosts.heard("b", 1, List.of(new HostState("n1", 180_001, 60_000, 1)), List.of(), NOW);
    assertThat(winner("n1")).isEqualTo("b");
  }

  @Test
  void aHostThatIsSilentForAMomentIsNotForgotten() {
    heard("a", 100_000, "n1");
    heard("b", 200_000, "n1");
    hosts.heard("b", 8, List.of(), List.of("n1"), NOW);
    assertThat(winner("n1")).isEqualTo("b");
    hosts.heard("b", 9, List.of(), List.of(), NOW);
    assertThat(hosts.choice().winners()).isEmpty();
  }

  @Test
  void seriesWithoutAHostAreReadInEveryCluster() {
    heard("a", 100_000, "no-host-0");
    heard("b", 200_000, "no-host-0");
    assertThat(hosts.choice().winners()).isEmpty();
    assertThat(hosts.hosts("a")).isEmpty();
  }

  @Test
  void aClusterThatPretendsToHaveSamplesOfTheFutureTakesNoHostOver() {
    heard("a", NOW - 5_000, "n1");
    heard("b", Long.MAX_VALUE, "n1", "n2");
    assertThat(winner("n1")).isEqualTo("a");
    // Once nobody else has newer samples, it may.
    heard("a", NOW - LEAD - 1, "n1");
    assertThat(winner("n1")).isEqualTo("b");
  }
}
