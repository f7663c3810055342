package io.fleetgauge.gateway.store.owner;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.sample.Labels;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private static final Labels A = Labels.of("job", "a");
  private static final Labels B = Labels.of("job", "b");
  private static final Labels C = Labels.of("job", "c");

  private final Timeline first = Timeline.first(A);
  private final Timeline second = new Timeline(100, B, Timeline.NOT_ENDED, first);
  private final Timeline third = new Timeline(200, C, 200, second);

  @Test
  void aTimeIsInTheIntervalThatBeganLastBeforeIt() {
    assertThat(third.at(Long.MAX_VALUE)).isSameAs(third);
    assertThat(third.at(200)).isSameAs(third);
    assertThat(third.at(199)).isSameAs(second);
    assertThat(third.at(100)).isSameAs(second);
    assertThat(third.at(99)).isSameAs(first);
    assertThat(third.at(Long.MIN_VALUE)).isSameAs(first);
  }

  @Test
  void ownersOfAllIntervalsAreKnown() {
    assertThat(third.hasOwner(A)).isTrue();
    assertThat(third.hasOwner(C)).isTrue();
    assertThat(second.hasOwner(C)).isFalse();
    assertThat(third.hasOwner(Labels.EMPTY)).isFalse();
  }

  @Test
  void intervalsThatEndedBeforeATimeAreForgottenAndTheOneOfTheTimeIsKept() {
    third.forgetBefore(150);
    assertThat(third.before()).isSameAs(second);
    assertThat(second.before()).isNull();
    assertThat(third.at(0)).as("what is left answers for earlier times").isSameAs(second);
    third.forgetBefore(200);
    assertThat(third.before()).isNull();
    assertThat(third.hasOwner(B)).isFalse();
  }

  @Test
  void theFirstOwnerHasNoBeginning() {
    assertThat(first.from).isEqualTo(Timeline.ALWAYS);
    assertThat(first.before()).isNull();
    assertThat(first.endedBefore).isEqualTo(Timeline.NOT_ENDED);
    first.forgetBefore(1_000);
    assertThat(first.at(0)).isSameAs(first);
  }

  @Test
  void onlySeriesOfAGpuHaveDimensions() {
    Dimensions dimensions = new Dimensions("UUID", Set.of("job", "tenant"));
    assertThat(dimensions.apply(Labels.of("UUID", "G1"))).isTrue();
    assertThat(dimensions.apply(Labels.of("job", "a"))).isFalse();
    Labels gpu = Labels.of("UUID", "G1", "job", "a", "rack", "r1");
    assertThat(dimensions.identity(gpu)).isEqualTo(Labels.of("UUID", "G1", "rack", "r1"));
    assertThat(dimensions.owner(gpu)).isEqualTo(A);
    assertThat(dimensions.owner(Labels.of("UUID", "G1"))).isEqualTo(Labels.EMPTY);
    assertThat(dimensions.identity(gpu).with(dimensions.owner(gpu))).isEqualTo(gpu);
  }

  @Test
  void theDefaultDimensionsAreThoseOfSchedulersAndKubernetes() {
    assertThat(Dimensions.DEFAULT.identifier()).isEqualTo("UUID");
    assertThat(Dimensions.DEFAULT.names())
        .containsExactlyInAnyOrder(
            "job",
            "tenant",
            "pod",
            "namespace",
            "container",
            "pod_uid",
            "hpc_job",
            "user",
            "account",
            "exported_pod",
            "exported_namespace",
            "exported_container",
            "shared",
            "partition",
            "array_job",
            "array_task",
            "unit",
            "container_id",
            "container_name",
            "pid",
            "process_name");
  }
}
