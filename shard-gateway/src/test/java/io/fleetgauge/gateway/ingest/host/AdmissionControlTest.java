package io.fleetgauge.gateway.ingest.host;

import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.HOST;
import static io.fleetgauge.gateway.ingest.host.ManualEnvironment.holders;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What gateway g1 answers before a request reaches its host. */
class AdmissionControlTest {
  private final ManualEnvironment environment = new ManualEnvironment("g1", 2);
  private final IngestCounts counts = environment.counts();
  private boolean isMemoryShort;
  private final AdmissionControl admission =
      new AdmissionControl(environment.cluster(), () -> isMemoryShort, counts, environment::clock);

  @BeforeEach
  void begin() {
    environment.table(3, holders("g1", 3));
  }

  @Test
  void aHostOfThisGatewayIsTaken() {
    assertThat(admission.refusal(HOST, Sender.UNLIMITED, 0)).isEmpty();
    assertThat(admission.refusal(HOST, Sender.UNLIMITED, 3))
        .as("the sender knows the same table")
        .isEmpty();
    assertThat(counts.unsettled.sum() + counts.moved.sum() + counts.memoryShort.sum()).isZero();
  }

  @Test
  void aHostOfThisGatewayHasToWaitWhileMemoryIsShort() {
    isMemoryShort = true;
    assertThat(admission.refusal(HOST, Sender.UNLIMITED, 0))
        .contains(new IntakeAnswer.SlowDown(AdmissionControl.TROUBLE_RETRY_MILLIS));
    assertThat(counts.memoryShort.sum()).isEqualTo(1);
    assertThat(admission.takesCopies()).isFalse();
    isMemoryShort = false;
    assertThat(admission.refusal(HOST, Sender.UNLIMITED, 0)).isEmpty();
    assertThat(admission.takesCopies()).isTrue();
  }

  @Test
  void aHostOfAnotherGatewayIsSentThereEvenWhileMemoryIsShort() {
    environment.table(4, holders("g2", 4));
    isMemoryShort = true;
    assertThat(admission.refusal(HOST, Sender.UNLIMITED, 0))
        .contains(new IntakeAnswer.Moved(ManualEnvironment.address("g2"), 4));
    assertThat(counts.moved.sum()).isEqualTo(1);
    assertThat(counts.memoryShort.sum()).isZero();
  }

  @Test
  void aHostWithoutAnOwnerIsMadeKnownAndHasToWait() {
    assertThat(admission.refusal("n2", Sender.UNLIMITED, 0))
        .contains(new IntakeAnswer.SlowDown(AdmissionControl.UNKNOWN_RETRY_MILLIS));
    assertThat(environment.registered).containsExactly("n2");
    assertThat(counts.unsettled.sum()).isEqualTo(1);
  }

  @Test
  void aHostThatIsOneTooManyForItsTenantIsNotMadeKnown() {
    Sender red = new Sender("red", 1, 1);
    assertThat(admission.refusal("n2", red, 0))
        .contains(new IntakeAnswer.SlowDown(AdmissionControl.UNKNOWN_RETRY_MILLIS));
    assertThat(environment.admissions)
        .containsExactly(new Holders.Admission("red", environment.clock()));
    Holders admitted =
        new Holders(
            "g1",
            3,
            Set.of(),
            List.of(),
            Optional.empty(),
            Holders.Stay.KEPT,
            environment.admissions.getFirst());
    environment.tables(4, Map.of("n2", admitted), "g1");
    assertThat(admission.refusal("n3", red, 0)).get().isInstanceOf(IntakeAnswer.OverLimit.class);
    assertThat(admission.refusal("n2", red, 0)).as("one that is known").isEmpty();
    assertThat(environment.registered).containsExactly("n2");
    assertThat(counts.overHosts.sum()).isEqualTo(1);
    assertThat(counts.unsettled.sum()).isEqualTo(1);
  }

  @Test
  void aHostThatIsOneTooManyForTheClusterIsRefusedWithTheReasonWhoeverSendsIt() {
    Map<String, Holders> all = new HashMap<>();
    while (all.size() < OwnershipTable.MAX_HOSTS) {
      all.put("h" + all.size(), holders("g1", 3));
    }
    environment.tables(4, all, "g1");
    for (Sender sender : List.of(Sender.UNLIMITED, new Sender("red", 10, 10))) {
      IntakeAnswer answer = admission.refusal("one-more", sender, 0).orElseThrow();
      assertThat(answer).isInstanceOf(IntakeAnswer.OverLimit.class);
      assertThat(answer.toString())
          .startsWith(
              "over-limit 0 the cluster has 20000 hosts, the maximum: host one-more is not"
                  + " accepted; ")
          .contains("--remove-host");
      assertThat(admission.refusal("h7", sender, 0)).as("one that is known").isEmpty();
    }
    assertThat(environment.registered).isEmpty();
    assertThat(counts.overCluster.sum()).isEqualTo(2);
    all.remove("h7");
    environment.tables(5, all, "g1");
    assertThat(admission.refusal("one-more", Sender.UNLIMITED, 0))
        .contains(new IntakeAnswer.SlowDown(AdmissionControl.UNKNOWN_RETRY_MILLIS));
    assertThat(environment.registered).containsExactly("one-more");
  }

  @Test
  void aSenderThatKnowsANewerTableHasToWaitForItToArrive() {
    assertThat(admission.refusal(HOST, Sender.UNLIMITED, 4))
        .contains(new IntakeAnswer.SlowDown(AdmissionControl.UNSETTLED_RETRY_MILLIS));
    assertThat(admission.refusal("n2", Sender.UNLIMITED, 4)).isPresent();
    assertThat(environment.registered).as("the newer table may have it").isEmpty();
    assertThat(counts.unsettled.sum()).isEqualTo(2);
  }

  @Test
  void aHostWhoseOwnerIsOutOfSightHasToWait() {
    environment.table(4, holders("g2", 4), "g1", "g3");
    assertThat(admission.refusal(HOST, Sender.UNLIMITED, 0))
        .contains(new IntakeAnswer.SlowDown(AdmissionControl.UNSETTLED_RETRY_MILLIS));
    assertThat(counts.unsettled.sum()).isEqualTo(1);
    assertThat(counts.moved.sum()).isZero();
  }
}
