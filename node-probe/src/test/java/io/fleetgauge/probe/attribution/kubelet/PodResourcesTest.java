package io.fleetgauge.probe.attribution.kubelet;

import static io.fleetgauge.probe.attribution.kubelet.Messages.container;
import static io.fleetgauge.probe.attribution.kubelet.Messages.devices;
import static io.fleetgauge.probe.attribution.kubelet.Messages.dynamic;
import static io.fleetgauge.probe.attribution.kubelet.Messages.message;
import static io.fleetgauge.probe.attribution.kubelet.Messages.nested;
import static io.fleetgauge.probe.attribution.kubelet.Messages.pod;
import static io.fleetgauge.probe.attribution.kubelet.Messages.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.DeviceIds;
import io.fleetgauge.probe.config.KubeletSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.sample.relabel.Relabelling;
import io.fleetgauge.sample.wire.WireException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PodResourcesTest {
  private static final GpuResources GPUS =
      GpuResources.of(KubeletSettings.GPU_RESOURCES, List.of("gpu.nvidia.com"));
  private static final String GPU = "nvidia.com/gpu";

  @Test
  void devicesOfAllContainersAreReadAndEverythingElseIsSkipped() throws WireException {
    byte[] answer =
        message(
            pod(
                "ns",
                "p",
                container("a", devices("example.com/x", "1"), devices(GPU, "GPU-1", "GPU-2")),
                container("b", dynamic("gpu.nvidia.com", "node", "gpu-3", "x.io/gpu=GPU-3")),
                container("c", dynamic("other.com", "node", "gpu-4"))),
            nested(77, text(1, "of a version to come")));
    Pod pod = new Pod("ns", "p");
    assertThat(PodResources.pods(answer, GPUS).all())
        .containsExactly(
            new PodDevice(pod, "a", GPU, List.of("GPU-1"), false),
            new PodDevice(pod, "a", GPU, List.of("GPU-2"), false),
            new PodDevice(pod, "b", "gpu.nvidia.com", List.of("gpu-3", "x.io/gpu=GPU-3"), true));
  }

  @Test
  void theOrderOfFieldsIsNotPartOfTheFormat() throws WireException {
    byte[] answer =
        message(
            nested(
                1,
                nested(3, nested(2, text(2, "GPU-1"), text(1, GPU)), text(1, "c")),
                text(2, "ns"),
                text(1, "p")));
    assertThat(PodResources.pods(answer, GPUS).all())
        .containsExactly(new PodDevice(new Pod("ns", "p"), "c", GPU, List.of("GPU-1"), false));
  }

  @Test
  void anEmptyAnswerListsNothing() throws WireException {
    assertThat(PodResources.pods(new byte[0], GPUS).all()).isEmpty();
    assertThat(PodResources.allocatable(new byte[0], GPUS).all()).isEmpty();
  }

  @Test
  void theSameDeviceIsOfferedOnce() throws WireException {
    byte[] answer =
        message(Messages.allocatable(GPU, "GPU-1", "GPU-2"), Messages.allocatable(GPU, "GPU-1"));
    assertThat(PodResources.allocatable(answer, GPUS).all())
        .containsExactly(
            new PodResources.Offered(GPU, "GPU-1"), new PodResources.Offered(GPU, "GPU-2"));
  }

  @Test
  void aRequestForAPodNamesIt() {
    String longName = "p".repeat(253);
    assertThat(PodResources.request(new Pod("ns", longName)))
        .isEqualTo(message(text(1, longName), text(2, "ns")));
  }

  private static void assertLeftOut(String why, Messages.Field... odd) throws WireException {
    List<Messages.Field> fields = new ArrayList<>(List.of(odd));
    fields.add(pod("ns", "good", container("c", devices(GPU, "GPU-9"))));
    PodResources.Listed<PodDevice> listed = PodResources.pods(message(fields), GPUS);
    assertThat(listed.all()).extracting(PodDevice::names).contains(List.of("GPU-9"));
    assertThat(listed.leftOut()).singleElement().asString().contains(why);
  }

  @Test
  void aPodThatKubernetesDoesNotAllowIsLeftOutNamedAndCostsNoOther() throws WireException {
    assertLeftOut("the name of a pod is P", pod("ns", "P"));
    assertLeftOut("the name of a pod is -p", pod("ns", "-p"));
    assertLeftOut("no name or no namespace", nested(1, text(2, "ns")));
    assertLeftOut("no name or no namespace", nested(1, text(1, "p")));
    assertLeftOut("which Kubernetes does not allow", pod("n".repeat(64), "p"));
    assertLeftOut("has no name", pod("ns", "p", nested(3, devices(GPU, "GPU-1"))));
    Messages.Field p = pod("ns", "p", container("c", devices(GPU, "GPU-1")));
    assertLeftOut("the pod ns/p is listed twice", p, p);
    assertThat(PodResources.pods(message(p, p), GPUS).all()).as("neither is believed").isEmpty();
    assertLeftOut("twice: p and q", nested(1, text(1, "p"), text(1, "q"), text(2, "ns")));
    assertLeftOut("but GPU 1", pod("ns", "p", container("c", devices(GPU, "GPU 1"))));
    assertLeftOut("printable", pod("ns", "p", container("c", devices(GPU, "x".repeat(513)))));
    assertLeftOut(
        "the name of a device of gpu.nvidia.com",
        pod("ns", "p", container("c", dynamic("gpu.nvidia.com", "node", "gpu\n0"))));
  }

  @Test
  void devicesThatAreNoGpusMayHaveAnyName() throws WireException {
    byte[] answer =
        message(
            pod(
                "ns",
                "p",
                container(
                    "c",
                    devices("example.com/serial port", "/dev/tty S0", "ü"),
                    dynamic("nic.example.com", "node", "eth 0"),
                    devices(GPU, "GPU-1"))));
    PodResources.Listed<PodDevice> listed = PodResources.pods(answer, GPUS);
    assertThat(listed.all()).extracting(PodDevice::names).containsExactly(List.of("GPU-1"));
    assertThat(listed.leftOut()).isEmpty();
  }

  @Test
  void offeredDevicesOfAnOddNameAreLeftOut() throws WireException {
    byte[] answer = message(Messages.allocatable(GPU, "GPU 1"), Messages.allocatable(GPU, "GPU-2"));
    PodResources.Listed<PodResources.Offered> listed = PodResources.allocatable(answer, GPUS);
    assertThat(listed.all()).containsExactly(new PodResources.Offered(GPU, "GPU-2"));
    assertThat(listed.leftOut()).hasSize(1);
  }

  @Test
  void eachListHasALimit() {
    List<Messages.Field> pods = new ArrayList<>();
    for (int i = 0; i <= PodResources.MOST_PODS; i++) {
      pods.add(pod("ns", "p" + i));
    }
    assertThatThrownBy(() -> PodResources.pods(message(pods), GPUS))
        .hasMessage("the response has more than 10000 pods");
    String[] ids = new String[PodResources.MOST_DEVICES + 1];
    Arrays.setAll(ids, i -> "GPU-" + i);
    assertRejects("more than 100000 GPUs", pod("ns", "p", container("c", devices(GPU, ids))));
    List<Messages.Field> containers = new ArrayList<>();
    for (int i = 0; i <= PodResources.MOST_CONTAINERS; i++) {
      containers.add(nested(3, text(1, "c" + i)));
    }
    containers.add(text(1, "p"));
    assertRejects("more than 100000 containers", nested(1, containers));
  }

  @Test
  void damagedAnswersNeverGiveAGpuToAPodThatDoesNotHaveIt() throws WireException {
    noGpuIsGivenToAPodThatDoesNotHaveIt(3, 1_000);
  }

  /**
   * @see #damagedAnswersNeverGiveAGpuToAPodThatDoesNotHaveIt
   */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 20_261_124})
  void manyDamagedAnswersNeverGiveAGpuToAPodThatDoesNotHaveIt(long seed) throws WireException {
    noGpuIsGivenToAPodThatDoesNotHaveIt(seed, 40_000);
  }

  private static void noGpuIsGivenToAPodThatDoesNotHaveIt(long seed, int answers)
      throws WireException {
    List<GpuIdentity> gpus = new ArrayList<>();
    List<Messages.Field> pods = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String uuid = "GPU-%d%d%d%d0000-1111-2222-3333-444444444444".formatted(i, i, i, i);
      gpus.add(KubeletNode.gpu(i, i, uuid));
      pods.add(
          pod(
              "team-" + i % 3,
              "pod-" + (char) ('a' + i) + "-x7f",
              container("sidecar", devices("example.com/nic", "nic-" + i)),
              container("main-" + i, devices(GPU, i % 2 == 0 ? uuid : uuid + "::" + i))));
    }
    byte[] answer = message(pods);
    Set<Claim> truth = new HashSet<>(claims(answer, gpus));
    assertThat(truth).hasSize(8);
    SplittableRandom random = new SplittableRandom(seed);
    int read = 0;
    for (int i = 0; i < answers; i++) {
      byte[] damaged = damage(answer, random);
      try {
        for (Claim claim : claims(damaged, gpus)) {
          assertThat(isOfAnotherPod(claim, truth)).as("answer %d: %s", i, claim).isFalse();
        }
        read++;
      } catch (WireException e) {
        assertThat(e).hasMessageMatching("(?s).{10,}");
      }
    }
    assertThat(read).as("some damage is not visible").isPositive();
  }

  /** A letter of a name that has changed is a pod that there is not, never another one. */
  private static boolean isOfAnotherPod(Claim claim, Set<Claim> truth) {
    return truth.stream()
        .anyMatch(
            one ->
                one.owner().value("pod").equals(claim.owner().value("pod"))
                    && one.owner().value("namespace").equals(claim.owner().value("namespace"))
                    && !one.gpu().equals(claim.gpu()));
  }

  private static List<Claim> claims(byte[] answer, List<GpuIdentity> gpus) throws WireException {
    DeviceHolders.Settled pods =
        new DeviceHolders().settle(PodResources.pods(answer, GPUS).all(), Set.of());
    return PodClaims.of(pods.devices(), Map.of(), Relabelling.NONE, new DeviceIds(gpus)).claims();
  }

  private static byte[] damage(byte[] answer, SplittableRandom random) {
    byte[] damaged = answer.clone();
    int at = random.nextInt(damaged.length);
    switch (random.nextInt(5)) {
      case 0 -> damaged[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> damaged[at] = (byte) random.nextInt(256);
      case 2 -> damaged = Arrays.copyOf(damaged, at);
      case 3 -> {
        byte[] shorter = new byte[damaged.length - 1];
        System.arraycopy(damaged, 0, shorter, 0, at);
        System.arraycopy(damaged, at + 1, shorter, at, shorter.length - at);
        damaged = shorter;
      }
      default -> {
        int length = Math.min(1 + random.nextInt(40), damaged.length - at);
        int from = random.nextInt(damaged.length - length);
        System.arraycopy(answer, from, damaged, at, length);
      }
    }
    return damaged;
  }

  private static void assertRejects(String why, Messages.Field pod) {
    assertThatThrownBy(() -> PodResources.pods(message(Collections.singletonList(pod)), GPUS))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(why);
  }
}
