package io.fleetgauge.probe.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceIdsTest {
  private static final DeviceIds IDS =
      new DeviceIds(
          List.of(
              gpu(0, 3, "GPU-aaaa0000-1111-2222-3333-444444444444"),
              gpu(1, 0, "GPU-bbbb0000-1111-2222-3333-444444444444", "7", "MIG-cccc", "9", "")));

  static GpuIdentity gpu(int index, int minor, String uuid, String... instancesAndMigUuids) {
    Labels labels = Labels.of("gpu", Integer.toString(index), "UUID", uuid);
    List<GpuIdentity.Instance> instances = new ArrayList<>();
    for (int i = 0; i < instancesAndMigUuids.length; i += 2) {
      instances.add(
          new GpuIdentity.Instance(
              labels.with("GPU_I_ID", instancesAndMigUuids[i]), instancesAndMigUuids[i + 1]));
    }
    return new GpuIdentity(labels, minor, instances);
  }

  @ParameterizedTest
  @CsvSource({
    "GPU-aaaa0000-1111-2222-3333-444444444444,      aaaa, ''",
    "GPU-aaaa0000-1111-2222-3333-444444444444::0,   aaaa, ''",
    "GPU-aaaa0000-1111-2222-3333-444444444444::11,  aaaa, ''",
    "MIG-cccc,                                      bbbb, 7",
    "MIG-cccc::3,                                   bbbb, 7",
    "MIG-GPU-bbbb0000-1111-2222-3333-444444444444/9/0, bbbb, 9",
    "nvidia0,                                       bbbb, ''",
    "nvidia3,                                       aaaa, ''",
    "nvidia0/gi9,                                   bbbb, 9",
    "nvidia3/vgpu1,                                 aaaa, ''",
    "nvidia0/gi7/vgpu0,                             bbbb, 7",
    "0,                                             aaaa, ''",
    "1::2,                                          bbbb, ''",
    "nvidia.com/gpu=GPU-aaaa0000-1111-2222-3333-444444444444, aaaa, ''",
    "nvidia.com/gpu=MIG-cccc,                       bbbb, 7",
    "nvidia.com/gpu=1,                              bbbb, ''",
  })
  void eachFormOfAnIdNamesItsGpuAndItsInstance(String id, String gpu, String instance) {
    assertThat(IDS.find(id))
        .contains(new GpuOwners.Gpu("GPU-" + gpu + "0000-1111-2222-3333-444444444444", instance));
  }

  @ParameterizedTest
  @CsvSource({
    "''",
    "GPU-unknown",
    "MIG-unknown",
    "MIG-GPU-bbbb0000-1111-2222-3333-444444444444/8/0",
    "nvidia1",
    "nvidia0/gi8",
    "nvidia99999999999999999999",
    "7",
    "::1",
    "0x0",
    "0:1",
    "nvidia.com/gpu=all",
    "nvidia.com/gpu=",
    "gpu-0",
    "gpu-9"
  })
  void anIdOfNoGpuOfTheNodeNamesNone(String id) {
    assertThat(IDS.find(id)).isEmpty();
  }

  @Test
  void withoutNumbersOfDeviceFilesTheIndexCounts() {
    DeviceIds ids = new DeviceIds(List.of(gpu(0, -1, "GPU-a"), gpu(1, -1, "GPU-b")));
    assertThat(ids.find("nvidia1")).isEqualTo(Optional.of(GpuOwners.Gpu.whole("GPU-b")));
  }

  @ParameterizedTest
  @CsvSource({
    "gpu-0,                                          a, ''",
    "gpu-1,                                          b, ''",
    "gpu-1-mig-1g10gb-19-4,                          b, 9",
    "gpu-1-mig-1g.10gb-4,                            b, 9",
    "gpu-0-mig-9-4-4,                                a, 5",
    "k8s.gpu.nvidia.com/device=gpu-1,                b, ''",
    "k8s.gpu.nvidia.com/claim=0123abcd-0000-1111-2222-333344445555-gpu-1, b, ''",
    "k8s.gpu.nvidia.com/claim=0123abcd-gpu-1-mig-1g10gb-19-4, b, 9",
  })
  void aDeviceOfDraIsFoundByItsNumberAndAnInstanceByAProfileThatOnlyItHas(
      String id, String gpu, String instance) {
    assertThat(dynamic().find(id)).contains(new GpuOwners.Gpu("GPU-" + gpu, instance));
  }

  @ParameterizedTest
  @CsvSource({
    "gpu-2", // by the file it is d, by the index c
    "gpu-3",
    "gpu-1-mig-3g40gb-9-0", // which of two
    "gpu-1-mig-9-0-4",
    "gpu-1-mig-7g80gb-0-0",
    "gpu-0-mig-",
    "gpu-vfio-0",
    "channel-0",
    "k8s.gpu.nvidia.com/claim=0123abcd-0000-1111-2222-333344445555",
  })
  void aDeviceOfDraThatCanBeSeveralIsNone(String id) {
    assertThat(dynamic().find(id)).isEmpty();
  }

  private static DeviceIds dynamic() {
    GpuIdentity b = gpu(1, 1, "GPU-b", "7", "", "8", "", "9", "");
    List<GpuIdentity.Instance> instances = new ArrayList<>();
    for (GpuIdentity.Instance each : b.instances()) {
      String profile = each.labels().value("GPU_I_ID").equals("9") ? "1g.10gb" : "3g.40gb";
      instances.add(new GpuIdentity.Instance(each.labels().with("GPU_I_PROFILE", profile), ""));
    }
    return new DeviceIds(
        List.of(
            gpu(0, 0, "GPU-a", "5", ""),
            new GpuIdentity(b.labels(), 1, instances),
            gpu(2, 3, "GPU-c"),
            gpu(3, 2, "GPU-d")));
  }
}
