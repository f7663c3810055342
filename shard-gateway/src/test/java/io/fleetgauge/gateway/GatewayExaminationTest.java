package io.fleetgauge.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.doctor.ExaminedProcess;
import io.fleetgauge.runtime.doctor.Finding;
import io.fleetgauge.runtime.doctor.Findings;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayExaminationTest {
  @TempDir private Path folder;

  private List<Finding> failures(String id) throws Exception {
    String yaml =
        """
        id: %s
        store: {folder: %s}
        cluster: {members: ["10.0.0.1:5701", "10.0.0.2:5701", "10.0.0.3:5701"]}
        """
            .formatted(id, folder);
    ExaminedProcess examined = new GatewayExamination().read("gateway.yaml", yaml);
    Findings findings = new Findings();
    examined.own().forEach(check -> check.accept(findings));
    return findings.all().stream()
        .filter(each -> each.outcome() == Finding.Outcome.FAILURE)
        .toList();
  }

  @Test
  void aStoreOfAnotherIdIsAFailureThatSaysWhatToDo() throws Exception {
    assertThat(failures("gateway-1")).isEmpty();
    StoreOwner.claim(folder, "gateway-1");
    assertThat(failures("gateway-1")).isEmpty();
    assertThat(failures("gateway-2"))
        .singleElement()
        .satisfies(
            failure -> {
              assertThat(failure.text())
                  .contains("has the samples of the gateway gateway-1", "id is gateway-2");
              assertThat(failure.advice()).startsWith("set id: \"gateway-1\"");
            });
  }
}
