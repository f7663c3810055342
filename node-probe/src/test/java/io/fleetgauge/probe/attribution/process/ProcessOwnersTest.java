package io.fleetgauge.probe.attribution.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.attribution.Claim;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class ProcessOwnersTest {
  private static final String C = "1f".repeat(32);
  private static final String POD = "0a1b2c3d-1111-2222-3333-4444deadbeef";
  private static final int PID = 4_000;

  @TempDir private Path folder;
  private FakeProc proc;
  private long nanos;
  private ProcessOwners owners;

  @BeforeEach
  void begin() throws IOException {
    proc = new FakeProc(folder.resolve("proc"));
    Files.createDirectories(folder.resolve("etc"));
    Files.writeString(
        folder.resolve("etc/passwd"),
        "root:x:0:0:root:/root:/bin/bash\nalice:x:1000:1000::/home/alice:/bin/sh\nbroken\n::\n");
    owners = new ProcessOwners(proc.folder, folder, ContainerNames.none(), () -> nanos);
  }

  @Test
  void aProcessInTheRootGroupIsOfItsUser() throws IOException {
    proc.process(PID, "0::/\n");
    assertThat(follow(PID).owner()).isEqualTo(Labels.of("user", "alice"));
    proc.process(PID, 'S', 7, "a.out", 4_711, "0::/\n");
    assertThat(follow(PID).owner())
        .as("a user that the node does not know by name")
        .isEqualTo(Labels.of("user", "4711"));
  }

  @Test
  void aServiceAndASessionNameTheirUnitAndTheirUser() throws IOException {
    proc.process(PID, 'S', 7, "ollama", 0, "0::/system.slice/ollama.service\n");
    assertThat(follow(PID).owner()).isEqualTo(Labels.of("user", "root", "unit", "ollama.service"));
    proc.process(PID, 'S', 7, "sudo", 0, "0::/user.slice/user-1000.slice/session-3.scope\n");
    assertThat(follow(PID).owner())
        .as("whoever logged in, also with sudo")
        .isEqualTo(Labels.of("user", "alice", "unit", "session-3.scope"));
  }

  @Test
  void aJobIsThatOfTheControlGroupAndTheEnvironmentTellsMoreOfThisJobOnly() throws IOException {
    proc.process(PID, "0::/system.slice/slurmstepd.scope/job_17/step_0/user/task_0\n");
    proc.environment(
        PID, "A==", "SLURM_JOB_ID=17", "SLURM_JOB_PARTITION=gpu", "SLURM_ARRAY_JOB_ID=16");
    assertThat(follow(PID).owner())
        .isEqualTo(
            Labels.of("hpc_job", "17", "user", "alice", "partition", "gpu", "array_job", "16"));
    proc.process(PID, 'S', 8, "python3", 1000, "4:memory:/slurm/uid_1000/job_17/step_0\n");
    proc.environment(PID, "SLURM_JOB_ID=18", "SLURM_JOB_PARTITION=secret");
    assertThat(follow(PID).owner()).isEqualTo(Labels.of("hpc_job", "17", "user", "alice"));
  }

  @Test
  void theEnvironmentNeverTellsATenantAnAccountAUserOrAPod() throws IOException {
    proc.process(PID, "0::/docker/" + C + "\n");
    proc.environment(
        PID,
        "SLURM_JOB_ID=17",
        "SLURM_JOB_ACCOUNT=physics",
        "SLURM_JOB_USER=root",
        "tenant=lab",
        "POD_NAME=p",
        "SLURM_JOB_PARTITION=a=b");
    OwnedProcess owned = follow(PID);
    assertThat(owned.owner())
        .as("a container that a job has started")
        .isEqualTo(Labels.of("container_id", "1f1f1f1f1f1f", "hpc_job", "17", "partition", "a=b"));
    assertThat(owned.proven()).as("anybody may say so").isNotEqualTo(owned.owner());
    assertThat(owned.proven().value("hpc_job")).isEmpty();
  }

  @Test
  void aJobThatAPodsEnvironmentNamesIsNotBelieved() throws IOException {
    proc.process(PID, "0::/kubepods/pod" + POD + "/" + C + "\n");
    proc.environment(PID, "SLURM_JOB_ID=17");
    assertThat(follow(PID).owner())
        .isEqualTo(Labels.of("container_id", "1f1f1f1f1f1f", "pod_uid", POD));
  }

  @Test
  void aProcessThatHasGoneHasNoOwner() {
    assertThat(follow(PID).unowned()).isEqualTo("gone");
    assertThat(owners.newest().claims()).isEmpty();
    assertThat(owners.newest().isUp()).isTrue();
  }

  @Test
  void aZombieIsOfItsContainerWhileItsGroupIsThereAndOfNobodyAfterwards() throws IOException {
    proc.process(PID, 'Z', 7, "python3", 0, "0::/docker/" + C + "\n");
    assertThat(follow(PID).owner()).isEqualTo(Labels.of("container_id", "1f1f1f1f1f1f"));
    proc.process(PID, 'Z', 7, "python3", 0, "0::/\n");
    assertThat(follow(PID).unowned()).isEqualTo("zombie");
    assertThat(follow(PID).program()).isEqualTo("python3");
  }

  @Test
  void theServerOfMpsOwnsNothingAndAProgramThatOnlyHasItsNameDoes() throws IOException {
    proc.process(PID, 'S', 7, "nvidia-cuda-mps", 0, "0::/system.slice/mps.service\n");
    proc.program(PID, "/usr/bin/nvidia-cuda-mps-server");
    assertThat(follow(PID).unowned()).isEqualTo("mps_server");
    proc.program(PID, "/home/eve/miner");
    assertThat(follow(PID).owner().value("unit")).isEqualTo("mps.service");
  }

  @Test
  void namesOfProgramsMayContainParenthesesAndBlanks() throws IOException {
    proc.process(PID, 'S', 7, "a) Z 1 (b", 0, "0::/\n");
    assertThat(follow(PID).program()).isEqualTo("a) Z 1 (b");
  }

  /** A control group that is a pipe holds up the reading until the test has changed the rest. */
  @Test
  @Timeout(600)
  void aProcessThatGetsTheNumberOfAnotherWhileItIsReadIsReadAgain() throws Exception {
    proc.process(PID, "0::/system.slice/old.service\n");
    Path cgroup = proc.folder.resolve(PID + "/cgroup");
    Files.delete(cgroup);
    assertThat(new ProcessBuilder("mkfifo", cgroup.toString()).start().waitFor()).isZero();
    Thread kernel =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (OutputStream pipe = Files.newOutputStream(cgroup)) {
                    proc.stat(PID, 'S', 9_999, "new");
                    Path next = Files.writeString(folder.resolve("next"), "0::/docker/" + C);
                    Files.move(next, cgroup, StandardCopyOption.REPLACE_EXISTING);
                    pipe.write("0::/system.slice/old.service\n".getBytes());
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                });
    OwnedProcess owned = follow(PID);
    kernel.join();
    assertThat(owned.container()).isEqualTo(C);
    assertThat(owned.program()).isEqualTo("new");
  }

  @Test
  void theEnvironmentOfABlockedProcessIsLeftAloneUntilItGoesOn() throws IOException {
    String job = "0::/system.slice/slurmstepd.scope/job_17/step_0/user/task_0\n";
    proc.process(PID, 'D', 7, "python3", 1000, job);
    proc.environment(PID, "SLURM_JOB_ID=17", "SLURM_JOB_PARTITION=gpu");
    assertThat(follow(PID).owner()).isEqualTo(Labels.of("hpc_job", "17", "user", "alice"));
    proc.stat(PID, 'R', 7, "python3");
    assertThat(follow(PID).owner().value("partition")).isEqualTo("gpu");
    proc.stat(PID, 'D', 7, "python3");
    assertThat(follow(PID).owner().value("partition")).as("it was read").isEqualTo("gpu");
    proc.stat(PID, 'D', 8, "python3");
    assertThat(follow(PID).owner().value("partition")).as("another process").isEmpty();
  }

  @Test
  void whatCannotBeReadIsCountedAndLeavesTheOwnerUnknown() throws IOException {
    proc.process(PID, "0::/docker/" + C + "\n");
    Files.delete(proc.folder.resolve(PID + "/environ"));
    Files.createDirectory(proc.folder.resolve(PID + "/environ"));
    assertThat(follow(PID).owner()).isEqualTo(Labels.of("container_id", "1f1f1f1f1f1f"));
    assertThat(owners.newest().errors()).isEqualTo(1);
    Files.writeString(proc.folder.resolve(PID + "/stat"), "nonsense");
    assertThat(follow(PID).unowned()).isEqualTo("unreadable");
    assertThat(owners.newest().errors()).isEqualTo(2);
  }

  @Test
  void processesOfOneOwnerAreOneClaimThatKnowsWhatAnyOfThemTells() throws IOException {
    String job = "0::/system.slice/slurmstepd.scope/job_17/step_%d/user/task_0\n";
    proc.process(PID, job.formatted(0)).process(PID + 1, job.formatted(1));
    proc.environment(PID + 1, "SLURM_JOB_ID=17", "SLURM_JOB_PARTITION=gpu");
    follow(PID, PID + 1);
    assertThat(owners.newest().claims().stream().map(Claim::owner))
        .containsExactly(Labels.of("hpc_job", "17", "user", "alice", "partition", "gpu"));
  }

  @Test
  void whatWasFoundIsForgottenAMinuteAfterTheLastReading() throws IOException {
    assertThat(owners.newest().isUp()).as("before the first").isFalse();
    proc.process(PID, "0::/\n");
    follow(PID);
    nanos += 60_000_000_000L;
    OwnerSource.Knowledge last = owners.newest();
    assertThat(last.isUp()).isTrue();
    assertThat(last.ageMillis()).hasValue(60_000);
    nanos += 1;
    assertThat(owners.newest().isUp()).isFalse();
    assertThat(owners.newest().claims()).isEmpty();
    owners.follow(List.of());
    assertThat(owners.newest().isUp()).as("no list of any GPU").isFalse();
    follow();
    assertThat(owners.newest().isUp()).as("nobody uses it").isTrue();
  }

  @Test
  void theRealProcOfThisTestIsRead() {
    ProcessOwners real =
        new ProcessOwners(Path.of("/proc"), Path.of("/"), ContainerNames.none(), () -> 0);
    int self = (int) ProcessHandle.current().pid();
    OwnedProcess owned = real.follow(List.of(gpu(self))).get(self);
    assertThat(owned.isOwned()).isTrue();
    assertThat(owned.program()).isEqualTo("java");
    assertThat(real.newest().errors()).isZero();
  }

  private OwnedProcess follow(int... pids) {
    return owners.follow(List.of(gpu(pids))).get(pids.length == 0 ? 0 : pids[0]);
  }

  private static GpuProcesses gpu(int... pids) {
    List<GpuProcess> processes = new ArrayList<>();
    for (int pid : pids) {
      processes.add(new GpuProcess(pid, OptionalLong.of(1), OptionalDouble.empty()));
    }
    return new GpuProcesses(Labels.of("gpu", "0", "UUID", "GPU-a"), processes);
  }
}
