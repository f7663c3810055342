package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.body;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.copy;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.sample.frame.FrameEncoder;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The hosts that one thread of gateway g1 serves. */
class LaneHostsTest {
  private final ManualEnvironment environment = new ManualEnvironment("g1", 2);
  private final LaneHosts hosts =
      new LaneHosts(environment, environment::lane, host -> !host.equals("of-another-thread"));

  @Test
  void aHostThatTheTableGivesToThisGatewayIsServedBeforeSamplesOfItCome() {
    environment.tables(
        3,
        Map.of(
            "owned", holders("g1", 3),
            "copied", holders("g2", 3, copy("g1", 3)),
            "elsewhere", holders("g2", 3, copy("g3", 3)),
            "of-another-thread", holders("g1", 3)),
        "g1",
        "g2");
    hosts.timePassed();
    assertThat(hosts.names()).containsExactlyInAnyOrder("owned", "copied");
    assertThat(hosts.find("elsewhere")).isEmpty();
    assertThat(environment.reports).as("the owner reports on it").hasSize(1);
  }

  @Test
  void aHostThatIsRemovedIsMadeAnewIfTheTableGivesItToThisGateway() {
    environment.table(3, holders("g1", 3));
    hosts.timePassed();
    HostIntake before = hosts.host(HOST);
    hosts.remove(HOST);
    hosts.timePassed();
    assertThat(hosts.find(HOST)).isPresent().get().isNotSameAs(before);
    environment.table(4, holders("g2", 4));
    hosts.remove(HOST);
    hosts.timePassed();
    assertThat(hosts.names()).isEmpty();
  }

  @Test
  void aHostIsMadeOnce() {
    HostIntake host = hosts.host(HOST);
    assertThat(hosts.host(HOST)).isSameAs(host);
    assertThat(hosts.find(HOST)).containsSame(host);
    assertThat(hosts.all()).containsExactly(host);
  }

  @Test
  void ticksWaitUntilWhatWasKeptBeforeTheStartHasBeenRead() {
    environment.table(3, holders("g1", 3));
    hosts.host(HOST).take(body(new FrameEncoder(HOST, 7), 2_000), 0, answer -> {});
    assertThat(hosts.host(HOST).state().whole()).isFalse();
    assertThat(hosts.host(HOST).state().before()).isEqualTo(1_999);
    assertThat(environment.lane(HOST).newest()).isEqualTo(Long.MIN_VALUE);
    hosts.recovered();
    assertThat(hosts.host(HOST).state().whole()).isTrue();
    assertThat(environment.lane(HOST).newest()).isEqualTo(2_000);
    assertThat(hosts.host("n2").state().whole()).as("hosts that come later").isTrue();
  }

  @Test
  void aHostThatIsHeldElsewhereAndWasTakenOverIsNeededHereNoMore() {
    hosts.recovered();
    environment.table(3, holders("g1", 3));
    hosts.host(HOST).take(body(new FrameEncoder(HOST, 7), 2_000), 0, answer -> {});
    Holders.Copy synced = new Holders.Copy("g3", 4, true);
    environment.table(4, new Holders("g2", 4, Set.of(), List.of(synced), Optional.empty()));
    assertThat(hosts.timePassed()).isEmpty();
    environment.offers.remove().merged().accept(true);
    environment.runLane();
    environment.pass(600_001);
    assertThat(hosts.timePassed()).containsExactly(HOST);
  }
}
