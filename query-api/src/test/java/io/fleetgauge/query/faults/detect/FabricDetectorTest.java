package io.fleetgauge.query.faults.detect;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.faults.reading.Signal;
import io.fleetgauge.query.faults.reading.Ticks;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FabricDetectorTest {
  private static Ticks gpu(String model, int completed, int success, int clique, int cluster) {
    return Ticks.host("h1")
        .gpu(0)
        .model(model)
        .with(Signal.FABRIC_COMPLETED, completed)
        .with(Signal.FABRIC_SUCCESS, success)
        .with(Signal.FABRIC_CLIQUE, clique)
        .with(Signal.FABRIC_CLUSTER, cluster);
  }

  @ParameterizedTest
  @CsvSource({
    "NVIDIA GB200, 0, 0, 0, 0, completed",
    "NVIDIA GB200, 1, 0, 1, 1, success",
    "NVIDIA GB200, 1, 1, 0, 1, clique",
    "NVIDIA GB300, 1, 1, 1, 0, cluster",
    "NVIDIA H100 80GB HBM3, 0, 0, 0, 0, completed",
    "NVIDIA H100 80GB HBM3, 1, 0, 0, 0, success"
  })
  void aConditionThatIsNotMetIsAFault(
      String model, int completed, int success, int clique, int cluster, String cause) {
    HostWatch watch = new HostWatch(gpu(model, completed, success, clique, cluster));
    assertThat(watch.next()).isEmpty();
    List<Finding> found = watch.next();
    assertThat(HostWatch.kinds(found)).containsExactly(FaultKind.FABRIC);
    assertThat(found.getFirst().cause()).isEqualTo(cause);
    assertThat(found.getFirst().since()).isEqualTo(Ticks.STEP);
  }

  @ParameterizedTest
  @CsvSource({
    "NVIDIA GB200, 1, 1",
    "NVIDIA H100 80GB HBM3, 0, 0",
    "NVIDIA H100 80GB HBM3, 0, 1",
    "NVIDIA H100 80GB HBM3, 1, 1"
  })
  void aFabricOfOneNodeNeedsNeitherCliqueNorCluster(String model, int clique, int cluster) {
    assertThat(new HostWatch(gpu(model, 1, 1, clique, cluster)).all(40)).isEmpty();
  }

  @Test
  void aCliqueThatWasThereBeforeIsMissed() {
    Ticks ticks = gpu("NVIDIA H100 80GB HBM3", 1, 1, 1, 0);
    HostWatch watch = new HostWatch(ticks);
    assertThat(watch.all(10)).isEmpty();
    ticks.with(Signal.FABRIC_CLIQUE, 0);
    assertThat(watch.ticks(3).getFirst().cause()).isEqualTo("clique");
  }

  @Test
  void aGpuWithoutAFabricIsHealthy() {
    assertThat(new HostWatch(Ticks.host("h1").gpu(0).model("NVIDIA L4")).all(10)).isEmpty();
  }
}
