package io.fleetgauge.gateway.ingest.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How many hosts the samples of a tenant make known, at two gateways. */
class NewHostsTest {
  private static final long NOW = 1_000_000_000;
  private static final Sender RED = new Sender("red", 10, 4);
  private static final Sender BLUE = new Sender("blue", 10, 4);
  private static final Map<String, URI> GATEWAYS =
      Map.of("g1", URI.create("http://g1:9500"), "g2", URI.create("http://g2:9500"));

  private final NewHosts here = new NewHosts();
  private final NewHosts there = new NewHosts();
  private final TreeMap<String, Holders> holders = new TreeMap<>();
  private ClusterView view = new ClusterView(OwnershipTable.EMPTY, GATEWAYS, false);
  private long epoch;
  private long now = NOW;

  @Test
  void aTenantMakesAsManyHostsKnownWithinAnHourAsItsLimitOnAllGatewaysTogether() {
    for (int i = 0; i < 4; i++) {
      admitted(i % 2 == 0 ? here : there, "h" + i, RED);
    }
    for (NewHosts gateway : List.of(here, there)) {
      assertThat(gateway.refusal("one-more", RED, view, now))
          .contains(
              new IntakeAnswer.OverLimit(
                  NewHosts.MOST_RETRY_MILLIS,
                  "tenant red has 4 new hosts within an hour, and tenants.red.limits.newHosts is 4:"
                      + " host one-more is not accepted; send it again later, send labels that name"
                      + " hosts (ingest.hostLabels) with fewer values, or raise the limit"));
    }
    admitted(here, "of-blue", BLUE);
    now += NewHosts.HOUR_MILLIS - 5_000;
    assertThat(((IntakeAnswer.OverLimit) refusal("one-more", RED)).millis()).isEqualTo(5_000);
    now += 5_000;
    admitted(here, "one-more", RED);
  }

  @Test
  void aTenantHasAsManyHostsAsItsLimit() {
    for (int i = 0; i < 10; i++) {
      now += NewHosts.HOUR_MILLIS;
      admitted(here, "h" + i, RED);
    }
    now += NewHosts.HOUR_MILLIS;
    IntakeAnswer.OverLimit over = (IntakeAnswer.OverLimit) refusal("h10", RED);
    assertThat(over.millis()).as("waiting does not help").isZero();
    assertThat(over.reason())
        .startsWith("tenant red has 10 hosts, and tenants.red.limits.hosts is 10: host h10 is not");
    holders.remove("h3");
    table();
    admitted(here, "h10", RED);
  }

  @Test
  void twoGatewaysTogetherExceedALimitByLessThanOneHostEach() {
    admitted(here, "first", RED);
    List<String> admitted = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      for (NewHosts gateway : List.of(here, there)) {
        String host = (gateway == here ? "here-" : "there-") + i;
        Optional<IntakeAnswer> refusal = gateway.refusal(host, RED, view, now);
        if (refusal.isEmpty()) {
          admitted.add(host);
        } else {
          assertThat(refusal)
              .contains(new IntakeAnswer.SlowDown(AdmissionControl.UNKNOWN_RETRY_MILLIS));
        }
      }
    }
    assertThat(admitted).as("before the next table").hasSize(2);
    admitted.forEach(host -> holders.put(host, holders(RED)));
    table();
    assertThat(here.refusal("here-next", RED, view, now)).isEmpty();
    assertThat(there.refusal("there-next", RED, view, now)).isEmpty();
    holders.put("here-next", holders(RED));
    holders.put("there-next", holders(RED));
    table();
    assertThat(holders).as("one more than the limit").hasSize(5);
    assertThat(refusal("h", RED)).isInstanceOf(IntakeAnswer.OverLimit.class);
  }

  @Test
  void aHostThatWasMadeKnownIsNotCountedAgainWhileItsSenderTries() {
    assertThat(here.refusal("h", new Sender("red", 1, 1), view, now)).isEmpty();
    assertThat(here.refusal("h", new Sender("red", 1, 1), view, now)).isEmpty();
    assertThat(here.refusal("i", new Sender("red", 1, 1), view, now)).isPresent();
    now += NewHosts.PENDING_MILLIS;
    assertThat(here.refusal("i", new Sender("red", 1, 1), view, now))
        .as("the first one has come into no table")
        .isEmpty();
  }

  @Test
  void hostsOfUnknownSendersHaveNoLimitAndCountForNobody() {
    for (int i = 0; i < 100; i++) {
      assertThat(here.refusal("h" + i, Sender.UNLIMITED, view, now)).isEmpty();
      holders.put("h" + i, holders(Sender.UNLIMITED));
    }
    table();
    admitted(here, "h", RED);
  }

  private IntakeAnswer refusal(String host, Sender sender) {
    return here.refusal(host, sender, view, now).orElseThrow();
  }

  /** The host comes into the table, as the registry has it. */
  private void admitted(NewHosts gateway, String host, Sender sender) {
    assertThat(gateway.refusal(host, sender, view, now)).as(host).isEmpty();
    holders.put(host, holders(sender));
    table();
  }

  private Holders holders(Sender sender) {
    return new Holders(
        "g1",
        1,
        Set.of(),
        List.of(),
        Optional.empty(),
        Holders.Stay.KEPT,
        new Admission(sender.tenant(), now));
  }

  private void table() {
    view =
        new ClusterView(
            new OwnershipTable(1, ++epoch, List.of("g1", "g2"), holders), GATEWAYS, false);
  }
}
