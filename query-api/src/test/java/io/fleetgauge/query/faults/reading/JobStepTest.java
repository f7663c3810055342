package io.fleetgauge.query.faults.reading;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.reading.JobStep.JobGpu;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class JobStepTest {
  private static final Labels OWNER = Labels.of("job", "train", "tenant", "a");

  private static JobStep step(Labels... places) {
    List<JobGpu> gpus = new ArrayList<>();
    for (Labels place : places) {
      HostTick host =
          new HostTick(
              place.value("Hostname"),
              0,
              place,
              new Readings(Entity.HOST),
              List.of(),
              new TreeMap<>());
      gpus.add(new JobGpu(host, null, true));
    }
    return new JobStep("train", OWNER, 0, gpus);
  }

  @Test
  void aJobHasTheLabelsOfItsOwnerAndOfThePlaceThatItsHostsShare() {
    Labels one = Labels.of("Hostname", "n1", "region", "north", "rack", "r1");
    Labels other = Labels.of("Hostname", "n2", "region", "north", "rack", "r2");
    assertThat(step(one, other).labels()).isEqualTo(OWNER.with("region", "north"));
    assertThat(step(one).labels()).isEqualTo(one.with(OWNER));
    assertThat(step().labels()).isEqualTo(OWNER);
  }
}
