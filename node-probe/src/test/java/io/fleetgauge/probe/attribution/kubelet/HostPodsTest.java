package io.fleetgauge.probe.attribution.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPodsTest {
  private static final Pod P = new Pod("ns", "p");
  private static final String UID = "0123abcd-0000-1111-2222-333344445555";
  private static final String OTHER = "kubepods/pod99999999-0000-1111-2222-333344445555";

  @TempDir private Path folder;
  private HostPods pods;

  @BeforeEach
  void aPodWithLogs() throws IOException {
    Files.createDirectories(folder.resolve("logs/ns_p_" + UID));
    pods = new HostPods(folder.resolve("logs"), folder.resolve("cgroup"), Duration.ofSeconds(60));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kubepods/burstable/pod" + UID,
        "kubepods/pod" + UID,
        "memory/kubepods/besteffort/pod" + UID,
        "systemd/kubepods/burstable/pod" + UID,
        "kubepods.slice/kubepods-pod0123abcd_0000_1111_2222_333344445555.slice",
        "kubepods.slice/kubepods-burstable.slice/"
            + "kubepods-burstable-pod0123abcd_0000_1111_2222_333344445555.slice",
        "kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/"
            + "kubelet-kubepods-burstable-pod0123abcd_0000_1111_2222_333344445555.slice",
        "kubelet/kubepods/pod" + UID,
      })
  void aPodWithACgroupInAnyLayoutRuns(String cgroup) throws IOException {
    has(OTHER);
    has(cgroup);
    assertThat(finishedAt(0)).isEmpty();
    assertThat(finishedAt(3_600)).isEmpty();
  }

  @Test
  void aPodWithoutACgroupHasFinishedAfterAWhile() throws IOException {
    has(OTHER);
    assertThat(finishedAt(0)).isEmpty();
    assertThat(finishedAt(59)).isEmpty();
    assertThat(finishedAt(60)).containsExactly(P);
    has("kubepods/pod" + UID);
    assertThat(finishedAt(61)).isEmpty();
    Files.delete(folder.resolve("cgroup/kubepods/pod" + UID));
    assertThat(finishedAt(62)).as("the time begins anew").isEmpty();
  }

  @Test
  void aPodOfTheSameNameThatRunsCounts() throws IOException {
    has(OTHER);
    String again = "aaaabbbb-0000-1111-2222-333344445555";
    Files.createDirectories(folder.resolve("logs/ns_p_" + again));
    has("kubepods/pod" + again);
    finishedAt(0);
    assertThat(finishedAt(600)).isEmpty();
    assertThat(pods.look(Set.of(P), 0).uids()).containsEntry(P, again);
    has("kubepods/pod" + UID);
    assertThat(pods.look(Set.of(P), 0).uids()).as("both run").isEmpty();
  }

  @Test
  void aFolderOfLogsTellsTheUidOfItsPodWhetherOrNotCgroupsAreSeen() throws IOException {
    Pod other = new Pod("ns", "other");
    Files.createDirectories(folder.resolve("logs/ns_other_no-uid"));
    Files.createDirectories(folder.resolve("logs/ns_foreign_" + UID));
    assertThat(pods.look(Set.of(P, other), 0).uids()).containsExactly(Map.entry(P, UID));
  }

  @Test
  void aStaticPodHasAnIdWithoutDashes() throws IOException {
    Path logs = folder.resolve("logs/kube-system_static-node_0123456789abcdef0123456789abcdef");
    Files.createDirectories(logs);
    Pod pod = new Pod("kube-system", "static-node");
    has("kubepods/pod0123456789abcdef0123456789abcdef");
    pods.look(Set.of(pod), 0);
    HostPods.Seen seen = pods.look(Set.of(pod), 600_000);
    assertThat(seen.finished()).isEmpty();
    assertThat(seen.uids()).containsEntry(pod, "0123456789abcdef0123456789abcdef");
  }

  @Test
  void withoutTheCgroupsOfTheNodeOrTheLogsNothingIsConcluded() throws IOException {
    finishedAt(0);
    assertThat(finishedAt(600)).as("no cgroups").isEmpty();
    has("system.slice/x.service");
    finishedAt(700);
    assertThat(finishedAt(1_400)).as("cgroups of no pod").isEmpty();
    has(OTHER);
    Files.delete(folder.resolve("logs/ns_p_" + UID));
    finishedAt(1_500);
    assertThat(finishedAt(2_500)).as("no logs").isEmpty();
  }

  private Set<Pod> finishedAt(long seconds) {
    return pods.look(Set.of(P), 1_000 * seconds).finished();
  }

  private void has(String cgroup) throws IOException {
    Files.createDirectories(folder.resolve("cgroup").resolve(cgroup));
  }
}
