package io.fleetgauge.query.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GroupKeyTest {
  private static List<String> of(Labels owner, Labels device, String by) throws QueryFailure {
    UsageRow row = UsageRows.of(device, owner, 0).row();
    return GroupKey.parse(List.of(by)).stream().map(key -> key.of(row)).toList();
  }

  @Test
  void aKeyIsTheFirstOfItsLabelsThatTheOwnerHasOrElseTheDevice() throws Exception {
    Labels gpu =
        Labels.of("UUID", "GPU-1", "Hostname", "n1", "rack", "r1", "cluster", "c")
            .with(Labels.of("modelName", "H100", "GPU_I_ID", "3", "GPU_I_PROFILE", "1g.10gb"));
    Labels owner =
        Labels.of("pod", "own", "exported_pod", "p", "hpc_job", "7", "job", "scrape")
            .with("job_name", "train");
    assertThat(of(owner, gpu, "pod,container,namespace,job,job_name,user,account,tenant,rack,host"))
        .containsExactly("p", "", "", "7", "train", "", "", "", "r1", "n1");
    assertThat(of(owner, gpu, "gpu, mig,profile,model,cluster,label:job,label:rack"))
        .containsExactly("GPU-1", "3", "1g.10gb", "H100", "c", "scrape", "r1");
    assertThat(of(Labels.EMPTY, gpu, "tenant,gpu")).containsExactly("", "GPU-1");
    Labels other = Labels.of("uuid", "GPU-2", "hostname", "n2", "instance", "n3");
    assertThat(of(owner, other, "gpu,host")).containsExactly("GPU-2", "n2");
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
                  + "\" is none of account, cluster, container, gpu, host, job, job_name, mig,"
                  + " model, namespace, pod, profile, rack, tenant, user; for a label of another"
                  + " name write label:NAME");
    }
    assertThatThrownBy(() -> GroupKey.parse(List.of("pod, gpu", " pod")))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("\"pod\" is named twice");
  }
}
