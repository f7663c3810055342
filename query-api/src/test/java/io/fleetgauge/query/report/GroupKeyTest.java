package io.fleetgauge.query.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupKeyTest {
  private static List<String> of(Labels series, Labels device, String by) throws QueryFailure {
    return GroupKey.parse(List.of(by)).stream().map(key -> key.of(series, device)).toList();
  }

  @Test
  void anOwnerIsThatOfTheSeriesAndADeviceOfASeriesOrElseOfItsGpu() throws Exception {
    Labels gpu =
        Labels.of(
            "UUID",
            "GPU-1",
            "Hostname",
            "n1",
            "rack",
            "r1",
            "modelName",
            "H100",
            "tenant",
            "a",
            "GPU_I_ID",
            "3",
            "GPU_I_PROFILE",
            "1g.10gb");
    Labels process = Labels.of("pod", "own", "exported_pod", "p", "hpc_job", "7", "job", "scrape");
    assertThat(of(process, gpu, "pod,container,namespace,job,user,account,tenant,rack,host"))
        .containsExactly("p", "", "", "7", "", "", "", "r1", "n1");
    assertThat(of(process, gpu, "gpu, mig,profile,model,label:job,label:rack"))
        .containsExactly("GPU-1", "3", "1g.10gb", "H100", "scrape", "");
    assertThat(of(gpu, gpu, "tenant,user,gpu,rack")).containsExactly("a", "", "GPU-1", "r1");
    Labels other = Labels.of("uuid", "GPU-2", "hostname", "n2", "instance", "n3");
    assertThat(of(process.with(other), gpu, "gpu,host")).containsExactly("GPU-2", "n2");
  }

  @Test
  void aNameThatIsNotKnownOrNamedTwiceIsRefusedAndSoAreMoreThanTen() throws Exception {
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      many.add("label:l" + i);
    }
    assertThat(GroupKey.parse(many)).extracting(GroupKey::name).isEqualTo(many);
    many.add("pod");
    assertThatThrownBy(() -> GroupKey.parse(many))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("11 names are more than the 10 that are allowed");
    for (String wrong : List.of("contaner", "", "label:", "label:a-b", "label:1", "LABEL:a")) {
      assertThatThrownBy(() -> GroupKey.parse(List.of(wrong)))
          .isInstanceOf(QueryFailure.class)
          .hasMessageContaining(
              "\""
                  + wrong
                  + "\" is none of account, container, gpu, host, job, mig, model, namespace, pod,"
                  + " profile, rack, tenant, user; for a label of another name write label:NAME");
    }
    assertThatThrownBy(() -> GroupKey.parse(List.of("pod, gpu", " pod")))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("\"pod\" is named twice");
  }
}
