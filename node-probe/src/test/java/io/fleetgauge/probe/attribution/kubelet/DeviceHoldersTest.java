package io.fleetgauge.probe.attribution.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DeviceHoldersTest {
  private static final Pod P = new Pod("ns", "p");
  private static final Pod Q = new Pod("ns", "q");

  private final DeviceHolders holders = new DeviceHolders();

  @Test
  void sharesOfAGpuAreHeldBySeveralPodsAtOnce() {
    List<PodDevice> devices = List.of(device(P, "GPU-1::0"), device(Q, "GPU-1::1"));
    assertThat(DeviceHolders.contested(devices)).isEmpty();
    assertThat(holders.settle(devices, Set.of()))
        .isEqualTo(new DeviceHolders.Settled(devices, Set.of(), 0));
  }

  @Test
  void aWholeGpuAndAShareOfItCannotBeHeldByTwo() {
    List<PodDevice> devices = List.of(device(P, "GPU-1"), device(Q, "GPU-1::1"));
    assertThat(DeviceHolders.contested(devices)).containsExactly(P, Q);
    assertThat(holders.settle(devices, Set.of()))
        .isEqualTo(new DeviceHolders.Settled(List.of(), Set.of(), 1));
  }

  @Test
  void severalContainersOfOnePodMayHaveADevice() {
    List<PodDevice> devices =
        List.of(device(P, "GPU-1"), new PodDevice(P, "other", "gpu", List.of("GPU-1"), false));
    assertThat(holders.settle(devices, Set.of()).devices()).isEqualTo(devices);
  }

  @Test
  void podsMayShareAClaimOfADynamicResource() {
    List<PodDevice> devices =
        List.of(
            new PodDevice(P, "c", "gpu.nvidia.com", List.of("gpu-0"), true),
            new PodDevice(Q, "c", "gpu.nvidia.com", List.of("gpu-0"), true));
    assertThat(holders.settle(devices, Set.of()).devices()).isEqualTo(devices);
  }

  @Test
  void theOneThatWasListedLaterHasADeviceAndTheOtherKeepsWhatItAloneHas() {
    List<PodDevice> before = List.of(device(P, "GPU-1"), device(P, "GPU-2"));
    holders.settle(before, Set.of());
    List<PodDevice> after = List.of(device(P, "GPU-1"), device(P, "GPU-2"), device(Q, "GPU-1"));
    assertThat(holders.settle(after, Set.of()))
        .isEqualTo(
            new DeviceHolders.Settled(
                List.of(device(P, "GPU-2"), device(Q, "GPU-1")), Set.of(), 0));
  }

  @Test
  void aPodThatHasFinishedHoldsNothing() {
    assertThat(
            holders.settle(
                List.of(device(P, "GPU-1"), device(Q, "GPU-1")),
                Set.of(P, new Pod("ns", "unlisted"))))
        .isEqualTo(new DeviceHolders.Settled(List.of(device(Q, "GPU-1")), Set.of(P), 0));
  }

  private static PodDevice device(Pod pod, String id) {
    return new PodDevice(pod, "c", "gpu", List.of(id), false);
  }
}
