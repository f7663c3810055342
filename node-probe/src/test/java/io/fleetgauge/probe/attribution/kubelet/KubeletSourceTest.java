package io.fleetgauge.probe.attribution.kubelet;

import static io.fleetgauge.probe.attribution.kubelet.KubeletNode.A;
import static io.fleetgauge.probe.attribution.kubelet.KubeletNode.B;
import static io.fleetgauge.probe.attribution.kubelet.KubeletNode.C;
import static io.fleetgauge.probe.attribution.kubelet.KubeletNode.MIG_7;
import static io.fleetgauge.probe.attribution.kubelet.Messages.container;
import static io.fleetgauge.probe.attribution.kubelet.Messages.devices;
import static io.fleetgauge.probe.attribution.kubelet.Messages.dynamic;
import static io.fleetgauge.probe.attribution.kubelet.Messages.pod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.RuntimeSettings;
import io.fleetgauge.sample.relabel.Relabelling;
import io.grpc.Status;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.SocketAddress;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(VertxExtension.class)
class KubeletSourceTest {
  private static final String GPU = "nvidia.com/gpu";
  private static final String UID_1 = "0a1b2c3d-1111-2222-3333-4444deadbee1";
  private static final String UID_2 = "0a1b2c3d-1111-2222-3333-4444deadbee2";
  private static final Messages.Field P1 = pod("ns", "p1", container("main", devices(GPU, A)));

  @TempDir private Path folder;
  private FakeKubelet kubelet;
  private KubeletNode node;

  @BeforeEach
  void start(Vertx vertx) throws Exception {
    kubelet = new FakeKubelet(folder.resolve("kubelet.sock"));
    node = new KubeletNode(vertx, folder);
  }

  @AfterEach
  void stop() throws Exception {
    node.close();
    kubelet.close();
  }

  @Test
  void eachPodOwnsTheDevicesThatTheKubeletListsForItInWhateverForm() throws Exception {
    kubelet.lists(
        pod("kube-system", "no-gpu", container("main", devices("example.com/nic", A))),
        pod("ns", "whole", container("main", devices(GPU, A), devices("example.com/x", "x"))),
        pod("ns", "mig", container("main", devices("nvidia.com/mig-3g.40gb", MIG_7))),
        pod("ns", "old", container("main", devices(GPU, "MIG-" + B + "/9/0"))),
        pod("ns", "gke", container("main", devices(GPU, "nvidia3/vgpu1"))),
        pod("ns", "dra", container("main", dynamic("gpu.nvidia.com", "node", "gpu-0"))),
        pod("ns", "net", container("main", dynamic("nic.example.com", "node", "gpu-1"))),
        pod("ns", "strange", container("main", devices(GPU, "who-knows"))));
    node.after(0);
    assertThat(node.claims())
        .containsExactly(
            "a=ns/dra/main",
            "a=ns/whole/main",
            "b/7=ns/mig/main",
            "b/9=ns/old/main",
            "c=ns/gke/main");
    assertThat(node.knowledge().unresolved()).isEqualTo(1);
    assertThat(node.knowledge().errors()).isZero();
  }

  @Test
  void aPodThatIsLeftOutIsAnErrorThatCostsNoOther() throws Exception {
    kubelet.lists(pod("ns", "odd", container("main", devices(GPU, "a b"))), P1);
    node.after(0);
    assertThat(node.claims()).containsExactly("a=ns/p1/main");
    assertThat(node.knowledge().errors()).isEqualTo(1);
    kubelet.lists(P1);
    node.after(10);
    assertThat(node.claims()).containsExactly("a=ns/p1/main");
    assertThat(node.knowledge().errors()).isEqualTo(1);
  }

  @Test
  void noConnectionIsLeftOpenWhetherThePollSucceedsOrFails() throws Exception {
    kubelet.lists(P1);
    node.after(0).after(10);
    await().until(() -> kubelet.connections() == 0);
    kubelet.fails("List", Status.INTERNAL);
    node.after(10);
    assertThat(kubelet.listCalls()).isEqualTo(3);
    await().until(() -> kubelet.connections() == 0);
  }

  @Test
  void theUuidInACdiNameIsSurerThanTheNumberOfADevice() throws Exception {
    kubelet.lists(
        pod("ns", "p", container("a", dynamic("gpu.nvidia.com", "n", "gpu-0", "x.io/gpu=" + C))),
        pod("ns", "q", container("a", dynamic("gpu.nvidia.com", "n", "gpu-3"))));
    node.after(0);
    assertThat(node.claims()).containsExactly("c=ns/p/a");
    assertThat(node.knowledge().unresolved()).as("3 is C by its file, and no index").isEqualTo(1);
  }

  @Test
  void podsThatShareAGpuHaveAnInfoSeriesEachAndTheGpuOnlyWhatTheyHaveInCommon() throws Exception {
    kubelet.lists(
        pod("ns", "p1", container("main", devices("nvidia.com/gpu.shared", A + "::0"))),
        pod("ns", "p2", container("main", devices("nvidia.com/gpu.shared", A + "::1"))));
    node.after(0);
    assertThat(node.series().keySet().stream().filter(each -> each.contains("aaaa")))
        .satisfiesExactlyInAnyOrder(
            each -> assertThat(each).contains("gpu_allocated", "shared=\"true\"", "\"ns\""),
            each -> assertThat(each).contains("gpu_allocation_info", "p1", "slot=\"0\""),
            each -> assertThat(each).contains("gpu_allocation_info", "p2", "slot=\"1\""))
        .noneMatch(each -> each.contains("gpu_allocated") && each.contains("pod="));
  }

  @Test
  void theUidOfAPodIsThatOfItsFolderOfLogsAndOfItsCgroupWhereThereAreSeveral() throws Exception {
    kubelet.lists(P1, pod("ns", "p2", container("main", devices("nvidia.com/mig-3g.40gb", MIG_7))));
    Files.createDirectories(folder.resolve("logs/ns_p1_" + UID_1));
    node.after(0);
    assertThat(uids()).containsExactlyInAnyOrder("p1=" + UID_1, "p2=");
    Files.createDirectories(folder.resolve("logs/ns_p1_" + UID_2));
    node.after(10);
    assertThat(uids()).as("it was made again, and nothing tells which").contains("p1=");
    Files.createDirectories(folder.resolve("cgroup/kubepods/pod" + UID_2));
    node.after(10);
    assertThat(uids()).contains("p1=" + UID_2);
    assertThat(node.series().keySet())
        .anyMatch(each -> each.contains("gpu_allocation_info") && each.contains(UID_2));
  }

  @Test
  void whereTheNodeDoesNotShowItTheRuntimeTellsTheUidOfAPod(Vertx vertx) throws Exception {
    Path docker = folder.resolve("docker.sock");
    String container =
        "[{\"Id\": \"%s\", \"Names\": [\"/k8s_main_p1_ns_%s_0\"]}]"
            .formatted("0a".repeat(32), UID_1);
    HttpServer server =
        vertx.createHttpServer().requestHandler(request -> request.response().end(container));
    server.listen(SocketAddress.domainSocketAddress(docker.toString())).await();
    RuntimeSettings runtimes =
        new RuntimeSettings(
            List.of(docker), List.of(), Duration.ofSeconds(1), Duration.ofSeconds(5));
    kubelet.lists(P1);
    try (ContainerNames names = ContainerNames.start(vertx, runtimes);
        KubeletNode other =
            new KubeletNode(
                vertx,
                KubeletNode.settings(folder, Duration.ofMinutes(1), 1 << 20, Relabelling.NONE),
                folder,
                names)) {
      other.after(0);
      await()
          .atMost(Duration.ofMinutes(10))
          .untilAsserted(() -> assertThat(uids(other)).containsExactly("p1=" + UID_1));
    }
  }

  private List<String> uids() {
    return uids(node);
  }

  private static List<String> uids(KubeletNode of) {
    return of.knowledge().claims().stream()
        .map(claim -> claim.owner().value("pod") + "=" + claim.owner().value("pod_uid"))
        .toList();
  }

  @Test
  void theKubeletIsAskedAtItsOwnPaceHoweverOftenOneLooks() throws Exception {
    kubelet.lists(P1);
    for (int i = 0; i < 5; i++) {
      node.after(1);
      node.series();
    }
    assertThat(kubelet.calls()).containsExactly("List", "GetAllocatableResources");
    node.after(5);
    node.after(1);
    assertThat(kubelet.listCalls()).isEqualTo(2);
  }

  @Test
  void anAnswerAboveTheLimitOfOtherClientsIsRead() throws Exception {
    List<Messages.Field> pods = new ArrayList<>();
    String[] ids = new String[100];
    Arrays.setAll(ids, i -> "some-device-of-another-plugin-" + i);
    for (int i = 0; i < 2_000; i++) {
      pods.add(pod("ns", "pod-" + i, container("main", devices("example.com/x", ids))));
    }
    pods.add(P1);
    byte[] answer = Messages.message(pods);
    assertThat(answer).hasSizeGreaterThan(5 << 20);
    kubelet.answers("List", answer);
    node.after(0);
    assertThat(node.claims()).containsExactly("a=ns/p1/main");
  }

  @Test
  void anAnswerAboveTheLimitIsAnErrorAndTheOneBeforeHolds(Vertx vertx) throws Exception {
    try (KubeletNode small =
        new KubeletNode(
            vertx,
            KubeletNode.settings(folder, Duration.ofMinutes(1), 2_000, Relabelling.NONE),
            folder)) {
      kubelet.lists(P1);
      small.after(0);
      kubelet.answers("List", new byte[2_001]);
      small.after(10);
      assertThat(small.claims()).containsExactly("a=ns/p1/main");
      assertThat(small.knowledge().errors()).isEqualTo(1);
    }
  }

  @Test
  void aKubeletThatRestartsTakesNoOwnerAwayForAMinuteAndIsFoundAgainAtOnce() throws Exception {
    kubelet.lists(P1);
    node.after(0);
    kubelet.stop();
    node.after(30);
    assertThat(node.claims()).containsExactly("a=ns/p1/main");
    assertThat(node.knowledge().ageMillis()).hasValue(30_000);
    assertThat(node.knowledge().errors()).isEqualTo(1);
    node.after(31);
    assertThat(node.knowledge().isUp()).as("no owner rather than a wrong one").isFalse();
    assertThat(node.claims()).isEmpty();
    assertThat(node.series().keySet()).noneMatch(each -> each.contains("gpu_allocated"));
    kubelet.start();
    node.after(1);
    assertThat(node.claims()).containsExactly("a=ns/p1/main");
    assertThat(node.knowledge().ageMillis()).hasValue(0);
  }

  @Test
  void aPodThatHasGoneOwnsNothingAfterTheNextPoll() throws Exception {
    kubelet.lists(P1);
    node.after(0);
    kubelet.lists();
    node.after(10);
    assertThat(node.claims()).isEmpty();
    assertThat(node.knowledge().isUp()).isTrue();
    assertThat(node.series().toString()).contains("aaaa").contains("gpu_allocated");
  }

  @Test
  void afterErrorsTheKubeletIsAskedLessOftenAndANewSocketEndsThat() throws Exception {
    kubelet.fails("List", Status.RESOURCE_EXHAUSTED.withDescription("rejected by rate limit"));
    for (int i = 0; i < 30; i++) {
      node.after(10);
    }
    assertThat(kubelet.listCalls()).as("at 0, 20, 60, 120 s and then each minute").isEqualTo(6);
    kubelet.lists(P1);
    kubelet.stop();
    kubelet.start();
    node.after(1);
    assertThat(node.claims()).containsExactly("a=ns/p1/main");
  }

  @Test
  void aKubeletThatHangsIsLeftAfterTheDeadline(Vertx vertx) throws Exception {
    try (KubeletNode hasty =
        new KubeletNode(
            vertx,
            KubeletNode.settings(folder, Duration.ofSeconds(3), 1 << 20, Relabelling.NONE),
            folder)) {
      kubelet.lists(P1);
      hasty.after(0);
      kubelet.hangs("GetAllocatableResources");
      hasty.after(10);
      assertThat(hasty.knowledge().errors()).isEqualTo(1);
      assertThat(hasty.claims()).containsExactly("a=ns/p1/main");
      kubelet.fails("GetAllocatableResources", Status.UNIMPLEMENTED).lists();
      hasty.after(20);
      assertThat(hasty.claims()).isEmpty();
      assertThat(hasty.knowledge().isUp()).isTrue();
    }
  }

  @Test
  void aKubeletWithoutTheCallForAllocatableDevicesStillTellsOwners() throws Exception {
    kubelet.lists(P1);
    node.after(0);
    assertThat(node.claims()).hasSize(1);
    assertThat(node.series().keySet()).noneMatch(each -> each.contains("gpu_free_devices"));
    kubelet.fails("GetAllocatableResources", Status.UNKNOWN.withDescription("the API is disabled"));
    node.after(10);
    assertThat(node.knowledge().errors()).isZero();
  }

  @Test
  void freeAndUnhealthyDevicesAreCounted() throws Exception {
    kubelet
        .lists(P1)
        .answers(
            "GetAllocatableResources",
            Messages.message(
                Messages.allocatable("example.com/x", "1"),
                Messages.allocatable(GPU, A, C),
                Messages.allocatable("nvidia.com/mig-3g.40gb", MIG_7)));
    node.after(0);
    assertThat(node.series())
        .containsEntry(series("gpu_allocatable_devices", GPU), 2.0)
        .containsEntry(series("gpu_free_devices", GPU), 1.0)
        .containsEntry(series("gpu_free_devices", "nvidia.com/mig-3g.40gb"), 1.0)
        .as("instance 9 of the second GPU")
        .containsEntry("gpu_unhealthy_devices{}", 1.0);
    kubelet.answers("GetAllocatableResources", new byte[0]);
    node.after(10);
    assertThat(node.series())
        .as("every device is unhealthy")
        .containsEntry(series("gpu_allocatable_devices", GPU), 0.0)
        .containsEntry("gpu_unhealthy_devices{}", 4.0);
    kubelet.answers(
        "GetAllocatableResources", Messages.message(Messages.allocatable(GPU, "own-form")));
    node.after(10);
    assertThat(node.series())
        .as("which GPUs these are is not known")
        .doesNotContainKey("gpu_unhealthy_devices{}");
  }

  @Test
  void ofTwoPodsWithOneDeviceTheOneThatTheKubeletDoesNotKnowHasFinished() throws Exception {
    kubelet
        .lists(P1, pod("ns", "p2", container("main", devices(GPU, A))))
        .gets(
            name ->
                name.equals("p1")
                    ? new FakeKubelet.Reply.Failure(
                        Status.UNKNOWN.withDescription("pod p1 in namespace ns not found"))
                    : new FakeKubelet.Reply.Message(
                        Messages.message(pod("ns", "p2", container("main", devices(GPU, A))))));
    node.after(0);
    assertThat(node.claims()).containsExactly("a=ns/p2/main");
    assertThat(node.series()).containsEntry("gpu_attribution_finished_pods{}", 1.0);
  }

  @Test
  void ofTwoPodsWithOneDeviceTheLaterOneHasItAndOfTwoAtOnceNone() throws Exception {
    Messages.Field p2 = pod("ns", "p2", container("main", devices(GPU, A)));
    kubelet.lists(P1);
    node.after(0);
    kubelet.lists(P1, p2);
    node.after(10);
    assertThat(node.claims()).containsExactly("a=ns/p2/main");
    kubelet.lists(
        P1,
        p2,
        pod("ns", "p3", container("x", devices(GPU, C))),
        pod("ns", "p4", container("x", devices(GPU, C))));
    node.after(10);
    assertThat(node.claims()).containsExactly("a=ns/p2/main");
    assertThat(node.knowledge().unresolved()).isEqualTo(1);
  }

  @Test
  void aPodWhoseCgroupHasBeenGoneForAMinuteHasFinished() throws Exception {
    String uid = "0123abcd-0000-1111-2222-333344445555";
    Files.createDirectories(folder.resolve("logs/ns_p1_" + uid));
    Path slice = folder.resolve("cgroup/kubepods.slice/kubepods-burstable.slice");
    Files.createDirectories(
        slice.resolve("kubepods-burstable-pod99999999_0000_1111_2222_333344445555.slice"));
    kubelet.lists(P1);
    node.after(0);
    node.after(50);
    assertThat(node.claims()).hasSize(1);
    node.after(10);
    assertThat(node.claims()).isEmpty();
    assertThat(node.series()).containsEntry("gpu_attribution_finished_pods{}", 1.0);
    Files.createDirectories(
        slice.resolve("kubepods-burstable-pod" + uid.replace('-', '_') + ".slice"));
    node.after(10);
    assertThat(node.claims()).as("a pod that runs").hasSize(1);
  }

  @Test
  void rulesRewriteIdsOfOtherPluginsDropDevicesAndAddLabels(Vertx vertx) throws Exception {
    Relabelling rules =
        ProbeConfig.read(
                "probe.yaml",
                """
                attribution:
                  kubelet:
                    relabel:
                      - {source_labels: [device], regex: "(GPU-.{36})-[0-9]+", target_label: device}
                      - {source_labels: [namespace], regex: ci, action: drop}
                      - {source_labels: [namespace], regex: team-(.+), target_label: tenant}
                      - {source_labels: [pod], target_label: __tmp}
                """)
            .attribution()
            .kubelet()
            .relabelling();
    try (KubeletNode ruled =
        new KubeletNode(
            vertx, KubeletNode.settings(folder, Duration.ofMinutes(1), 1 << 20, rules), folder)) {
      kubelet.lists(
          pod("team-x", "p", container("m", devices(GPU, A + "-3"))),
          pod("ci", "q", container("m", devices(GPU, B))));
      ruled.after(0);
      assertThat(ruled.claims()).containsExactly("a=team-x/p/m");
      assertThat(ruled.knowledge().claims().getFirst().owner().value("tenant")).isEqualTo("x");
      assertThat(ruled.knowledge().claims().getFirst().owner().size()).isEqualTo(4);
    }
  }

  @Test
  void aGpuThatIsDividedAnewIsFoundWithoutAskingAgain() throws Exception {
    kubelet.lists(pod("ns", "p", container("m", devices(GPU, "MIG-new"))));
    node.after(0);
    assertThat(node.knowledge().unresolved()).isEqualTo(1);
    node.gpus = List.of(KubeletNode.gpu(0, 0, A, "3", "MIG-new"));
    assertThat(node.claims()).containsExactly("a/3=ns/p/m");
  }

  @Test
  void aNodeWithoutAKubeletHasNoSeriesOfOne(Vertx vertx) throws Exception {
    try (KubeletNode bare = new KubeletNode(vertx, folder.resolve("absent"))) {
      bare.after(0);
      assertThat(bare.series()).isNotEmpty();
      assertThat(bare.series().keySet()).noneMatch(each -> each.contains("kubelet"));
      assertThat(bare.knowledge().errors()).isZero();
    }
  }

  /** Frames of HTTP/2: length, type, flags, stream. */
  @ParameterizedTest
  @CsvSource({
    "nothing,                     '',                                                       true",
    "another protocol,            485454502f312e31203430302042616420526571756573740d0a0d0a, true",
    "a connection without answer, SETTINGS,                                                 true",
    "goaway before the request,   SETTINGS 00000807000000000000000000 00000000,             false",
    "a stream that is reset,      SETTINGS 0000040300000000010000000b,                      false",
    "headers and no more,         SETTINGS HEADERS,                                         true",
    "half a message,              SETTINGS HEADERS 000007000000000001 00000000ff0a05,       true",
    "half a message that ends,    SETTINGS HEADERS 000007000100000001 00000000ff0a05,       false",
    "no status,                   SETTINGS HEADERS 000005000100000001 0000000000,           false",
    "bytes that are no frames,    SETTINGS ffffffffffffffffffffffffffffffffffffffff,         false",
    "a message above the limit,   SETTINGS HEADERS 000005000000000001 007fffffff,           false",
    "HTTP status 404,             SETTINGS 000001010500000001 8d,                    false",
  })
  void whateverTheSocketSendsIsAnErrorAndTheOwnersHold(String what, String frames, boolean closes)
      throws Exception {
    kubelet.lists(P1);
    node.after(0);
    kubelet.stop();
    String hex =
        frames
            .replace("SETTINGS", BrokenKubelet.SETTINGS)
            .replace("HEADERS", BrokenKubelet.HEADERS)
            .replace(" ", "");
    try (BrokenKubelet broken = new BrokenKubelet(folder.resolve("kubelet.sock"), hex, closes)) {
      node.after(10);
      assertThat(broken.connections()).isEqualTo(1);
      assertThat(node.knowledge().errors()).isEqualTo(1);
      assertThat(node.claims()).containsExactly("a=ns/p1/main");
    }
    kubelet.start();
    node.after(10);
    assertThat(node.knowledge().errors()).isEqualTo(1);
    assertThat(node.knowledge().ageMillis()).hasValue(0);
  }

  @Test
  void aMessageOfAnotherServiceIsAnErrorAndGivesNobodyAGpu() throws Exception {
    kubelet.answers("List", Messages.message(Messages.text(1, "hello"), Messages.text(2, "x")));
    node.after(0);
    assertThat(node.knowledge().errors()).isEqualTo(1);
    assertThat(node.knowledge().isUp()).isFalse();
  }

  private static String series(String metric, String resource) {
    return metric + "{resource=\"" + resource + "\"}";
  }
}
