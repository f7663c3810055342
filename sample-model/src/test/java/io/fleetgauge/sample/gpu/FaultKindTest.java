package io.fleetgauge.sample.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FaultKindTest {
  @ParameterizedTest
  @EnumSource
  void eachKindIsOnThePageOfFaultsWithItsSeverityMeaningAndAction(FaultKind kind)
      throws IOException {
    Path page = Path.of(System.getProperty("fleetgauge.root"), "docs", "faults.md");
    assertThat(Files.readString(page))
        .contains(
            "| `%s` | %s | %s | %s |\n"
                .formatted(kind.text(), kind.severity().text(), kind.meaning(), kind.action()));
  }

  @Test
  void aKindIsFoundByItsTextOnly() {
    for (FaultKind each : FaultKind.values()) {
      assertThat(FaultKind.find(each.text())).contains(each);
    }
    assertThat(FaultKind.find("HANG")).isEmpty();
    assertThat(FaultKind.find("")).isEmpty();
  }
}
