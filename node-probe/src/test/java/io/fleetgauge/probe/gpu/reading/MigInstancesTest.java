package io.fleetgauge.probe.gpu.reading;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MigInstancesTest {
  @ParameterizedTest
  @CsvSource({
    "1, 9856, 81559, 1g.10gb",
    "2, 20096, 81559, 2g.20gb",
    "3, 40448, 81559, 3g.40gb",
    "7, 81008, 81559, 7g.80gb",
    "1, 4864, 40536, 1g.5gb",
    "1, 16384, 143771, 1g.18gb",
    "3, 71424, 143771, 3g.71gb",
    "1, 9856, 0, 1g.10gb"
  })
  void aProfileIsNamedAsTheDriverNamesIt(int slices, long mib, long total, String name) {
    assertThat(MigInstances.profile(slices, mib, total << 20)).isEqualTo(name);
  }
}
