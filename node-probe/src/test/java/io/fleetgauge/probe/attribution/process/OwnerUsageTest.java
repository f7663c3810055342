package io.fleetgauge.probe.attribution.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnerUsageTest {
  private static final TickClass CLASS = new TickClass(Duration.ofSeconds(15));
  private static final String POD =
      "/kubepods.slice/kubepods-pod0a1b2c3d_1111_2222_3333_4444deadbeef.slice";
  private static final String C = POD + "/cri-containerd-" + "1f".repeat(32) + ".scope";
  private static final String CPU = "gpu_owner_cpu_seconds_total ";
  private static final String IO = "gpu_owner_io_bytes_total ";
  private static final String MEMORY = "gpu_owner_host_memory_bytes ";
  private static final String UNREAD = "gpu_owner_groups_unread_total ";
  private static final String BLOCKED = "gpu_owner_blocked_processes ";

  @TempDir private Path folder;
  private Path proc;
  private Path cgroups;
  private List<GpuProcesses> gpus = List.of();
  private final Map<Integer, String> owners = new HashMap<>();
  private OwnerUsage usage;
  private long uptime = 1_000;

  @BeforeEach
  void begin() throws IOException {
    proc = Files.createDirectories(folder.resolve("proc"));
    cgroups = Files.createDirectories(folder.resolve("cgroup"));
    usage =
        new OwnerUsage(
            () -> Optional.of(gpus),
            (gpu, pid) -> Labels.of("hpc_job", owners.getOrDefault(pid, "")),
            proc,
            cgroups,
            CLASS);
    pass();
  }

  private void pass() throws IOException {
    uptime += 15;
    Files.writeString(proc.resolve("uptime"), uptime + ".05 4711.11\n");
  }

  /** A process; its CPU time in hundredths of a second. */
  private void process(int pid, int parent, char state, long ticks, long bytes, String group)
      throws IOException {
    process(pid, parent, state, 100, ticks, bytes, group);
  }

  private void process(
      int pid, int parent, char state, long started, long ticks, long bytes, String group)
      throws IOException {
    Path of = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.writeString(
        of.resolve("stat"),
        "%d (pt main) thread) %c %d 1 1 0 -1 4194560 100 0 0 0 %d %d 77 88 20 0 1 0 %d 1 300\n"
            .formatted(pid, state, parent, ticks - ticks / 3, ticks / 3, started));
    Files.writeString(of.resolve("cgroup"), "0::" + group + "\n");
    if (bytes >= 0) {
      Files.writeString(
          of.resolve("io"),
          "rchar: %d\nwchar: %d\nsyscr: 9\nread_bytes: 0\n"
              .formatted(bytes - bytes / 4, bytes / 4));
    }
  }

  private void end(int pid) throws IOException {
    try (var files = Files.walk(proc.resolve(Integer.toString(pid)))) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private void group(String path, Integer... pids) throws IOException {
    Path group = Files.createDirectories(cgroups.resolve(path.substring(1)));
    Files.writeString(
        group.resolve("cgroup.procs"),
        String.join("", Arrays.stream(pids).map(pid -> pid + "\n").toList()));
  }

  private static GpuProcesses gpu(int index, int... pids) {
    return new GpuProcesses(
        Labels.of("gpu", Integer.toString(index), "UUID", "GPU-" + index),
        Arrays.stream(pids)
            .mapToObj(pid -> new GpuProcess(pid, OptionalLong.empty(), OptionalDouble.empty()))
            .toList());
  }

  private Map<String, Double> read() throws IOException {
    Readings out = new Readings();
    usage.read(Set.of(CLASS), out);
    pass();
    Tick tick = out.of(CLASS).at(0);
    Map<String, Double> values = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels of = tick.series().get(i);
      values.put(of.metric() + " " + of.value("gpu") + of.value("hpc_job"), tick.values()[i]);
    }
    return values;
  }

  @Test
  void countersBeginAtTheFirstReadingAndRiseByWhatProcessesDo() throws IOException {
    gpus = List.of(gpu(0, 10));
    process(10, 1, 'S', 50_000, 1_000_000, "/");
    assertThat(read()).containsEntry(CPU + 0, 0.0).containsEntry(IO + 0, 0.0);
    process(10, 1, 'R', 51_500, 1_004_096, "/");
    assertThat(read())
        .containsEntry(CPU + 0, 15.0)
        .containsEntry(IO + 0, 4_096.0)
        .containsEntry(BLOCKED + 0, 0.0);
  }

  @Test
  void countersOnlyRiseWhenProcessesComeAndGo() throws IOException {
    gpus = List.of(gpu(0, 10));
    process(10, 1, 'S', 50_000, 1_000, "/");
    read();
    process(10, 1, 'S', 50_100, 2_000, "/");
    read();
    end(10);
    gpus = List.of(gpu(0, 11));
    process(11, 1, 'S', uptime * 100 - 300, 200, 500, "/"); // began after the last reading
    assertThat(read()).containsEntry(CPU + 0, 3.0).containsEntry(IO + 0, 1_500.0);
    end(11);
    gpus = List.of(gpu(0));
    assertThat(read())
        .as("the counter stays while nobody holds the GPU")
        .containsEntry(CPU + 0, 3.0)
        .containsEntry(IO + 0, 1_500.0);
    gpus = List.of(gpu(0, 11));
    process(11, 1, 'S', 7, 1, 1, "/"); // its number is used again, by one that is older
    assertThat(read()).containsEntry(CPU + 0, 3.0);
  }

  @Test
  void childrenCountForTheGpusOfTheirParentAndTheRestOfTheJobInEqualParts() throws IOException {
    group(C, 5, 10, 11, 20);
    gpus = List.of(gpu(0, 10), gpu(1, 20));
    process(5, 1, 'S', 0, 0, C); // starts the ranks
    process(10, 5, 'S', 0, 0, C);
    process(11, 10, 'S', 0, 0, C); // loads data for rank 0
    process(20, 5, 'S', 0, 0, C);
    read();
    process(5, 1, 'S', 200, 20, C);
    process(10, 5, 'S', 100, 1_000, C);
    process(11, 10, 'D', 400, 0, C);
    process(20, 5, 'S', 300, 3_000, C);
    assertThat(read())
        .containsEntry(CPU + 0, 1.0 + 4.0 + 1.0)
        .containsEntry(CPU + 1, 3.0 + 1.0)
        .containsEntry(IO + 0, 1_010.0)
        .containsEntry(IO + 1, 3_010.0)
        .containsEntry(BLOCKED + 0, 1.0)
        .containsEntry(BLOCKED + 1, 0.0);
  }

  @Test
  void aSessionOfAUserIsNotOfTheJob() throws IOException {
    String session = "/user.slice/user-1000.slice/session-3.scope";
    group(session, 10, 30);
    gpus = List.of(gpu(0, 10));
    process(10, 1, 'S', 0, 0, session);
    process(30, 1, 'S', 0, 0, session);
    read();
    process(30, 1, 'S', 900, 900, session);
    assertThat(read()).containsEntry(CPU + 0, 0.0).containsEntry(IO + 0, 0.0);
  }

  @Test
  void theScopeOfAJobIsItsOwnGroupAndNoSliceAboveIt() {
    assertThat(JobGroup.scope(C + "/sub/group")).isEqualTo(C);
    assertThat(JobGroup.scope("/slurm/uid_1/job_7/step_0/task_3")).isEqualTo("/slurm/uid_1/job_7");
    assertThat(JobGroup.scope("/system.slice/slurmstepd.scope/job_7/step_0/user/task_0"))
        .isEqualTo("/system.slice/slurmstepd.scope/job_7");
    assertThat(JobGroup.scope("/")).isEmpty();
    assertThat(JobGroup.scope("/user.slice/user-1000.slice/session-3.scope")).isEmpty();
    assertThat(JobGroup.scope("/system.slice/ollama.service")).isEmpty();
  }

  @Test
  void aJobOfSlurmHasItsStepsInOneGroup() throws IOException {
    group("/slurm/uid_1/job_7");
    group("/slurm/uid_1/job_7/step_0/task_0", 10);
    group("/slurm/uid_1/job_7/step_extern", 12);
    gpus = List.of(gpu(0, 10));
    process(10, 1, 'S', 0, 0, "/slurm/uid_1/job_7/step_0/task_0");
    process(12, 1, 'S', 0, 0, "/slurm/uid_1/job_7/step_extern");
    read();
    process(12, 1, 'S', 100, 100, "/slurm/uid_1/job_7/step_extern");
    assertThat(read()).containsEntry(CPU + 0, 1.0);
  }

  @Test
  void groupsAreFoundFromWithinAGroupNamespace() throws IOException {
    group(C, 10, 12);
    String seen = "/../../" + C.substring("/kubepods.slice/".length());
    gpus = List.of(gpu(0, 10));
    process(10, 1, 'S', 0, 0, seen);
    process(12, 1, 'S', 0, 0, seen);
    read();
    process(12, 1, 'S', 100, 100, seen);
    assertThat(read()).containsEntry(CPU + 0, 1.0);
  }

  @Test
  void theDisksOfAGroupCountWhereTheIoOfProcessesMayNotBeRead() throws IOException {
    group(C, 10, 20);
    gpus = List.of(gpu(0, 10), gpu(1, 20));
    process(10, 1, 'S', 0, -1, C);
    process(20, 1, 'S', 0, -1, C);
    Path disks = cgroups.resolve(C.substring(1)).resolve("io.stat");
    Files.writeString(disks, "259:0 rbytes=1000 wbytes=10 rios=1 wios=1 dbytes=0 dios=0\n");
    assertThat(read()).containsEntry(IO + 0, 0.0);
    Files.writeString(disks, "259:0 rbytes=3000 wbytes=10 rios=1 wios=1\n8:0 rbytes=8 wbytes=0\n");
    assertThat(read()).containsEntry(IO + 0, 1_004.0).containsEntry(IO + 1, 1_004.0);
  }

  @Test
  void withoutTheFilesOfAProcessThereAreNoSeries() throws IOException {
    gpus = List.of(gpu(0, 10), gpu(1, 20));
    process(20, 1, 'S', 0, -1, "/");
    assertThat(read()).containsOnlyKeys(CPU + 1, BLOCKED + 1, UNREAD);
  }

  @Test
  void aBlockedProcessIsNotAskedForItsIo() throws IOException {
    gpus = List.of(gpu(0, 10));
    process(10, 1, 'S', 0, 100, "/");
    read();
    process(10, 1, 'D', 0, 900, "/");
    assertThat(read()).containsEntry(IO + 0, 0.0).containsEntry(BLOCKED + 0, 1.0);
    process(10, 1, 'S', 0, 1_000, "/");
    assertThat(read()).containsEntry(IO + 0, 900.0);
  }

  @Test
  void damagedFilesAreNoProcesses() throws IOException {
    gpus = List.of(gpu(0, 10));
    process(10, 1, 'S', 0, 0, "/");
    for (String stat : List.of("", "10", "10 (a", "10 (a) S", "10 (a) S 1 1", ")", "\0\0")) {
      Files.writeString(proc.resolve("10/stat"), stat);
      assertThat(read()).as(stat).containsOnlyKeys(UNREAD);
    }
  }

  private void write(String group, String file, String text) throws IOException {
    Files.writeString(Files.createDirectories(cgroups.resolve(group)).resolve(file), text);
  }

  @Test
  void theCpuTimeOfAGroupThatNoProcessShowsCountsInEqualPartsInVersion2() throws Exception {
    group(C, 10, 20);
    String at = C.substring(1);
    gpus = List.of(gpu(0, 10), gpu(1, 20));
    process(10, 1, 'S', 0, 0, C);
    process(20, 1, 'S', 0, 0, C);
    write(at, "cpu.stat", "usage_usec 9000000\nuser_usec 1\nsystem_usec 1\n");
    assertThat(read()).containsEntry(CPU + 0, 0.0);
    process(10, 1, 'S', 200, 0, C);
    write(at, "cpu.stat", "usage_usec 15009999\nuser_usec 1\n"); // 4 s of a shell that has ended
    assertThat(read()).containsEntry(CPU + 0, 2.0 + 2.0).containsEntry(CPU + 1, 2.0);
    process(20, 1, 'S', 100, 0, C);
    write(at, "cpu.stat", "usage_usec 15510000\n"); // read before the process was
    assertThat(read()).containsEntry(CPU + 0, 4.0).containsEntry(CPU + 1, 3.0);
    write(at, "cpu.stat", "usage_usec 16009000\n");
    assertThat(read()).containsEntry(CPU + 0, 4.0).containsEntry(CPU + 1, 3.0);
    write(at, "cpu.stat", "usage_usec 16020000\n");
    assertThat(read())
        .as("the sum is what the group has used")
        .containsEntry(CPU + 0, 4.01)
        .containsEntry(CPU + 1, 3.01);
  }

  @Test
  void eachControllerOfVersion1HasItsOwnFolders() throws Exception {
    String job = "slurm/uid_1/job_7";
    String text =
        "9:freezer:/%1$s/step_0\n4:memory:/%1$s/step_0\n2:cpu,cpuacct:/%1$s/step_0\n0::/\n"
            .formatted(job);
    for (String each : List.of("freezer/", "memory/", "cpu,cpuacct/")) {
      write(each + job, "cgroup.procs", "");
      write(each + job + "/step_0", "cgroup.procs", "10\n");
    }
    write("memory/" + job, "memory.usage_in_bytes", "5000000\n");
    write("memory/" + job, "memory.stat", "inactive_file 7\ntotal_inactive_file 2000000\n");
    write("cpu,cpuacct/" + job, "cpuacct.usage", "1000000000\n");
    gpus = List.of(gpu(0, 10));
    owners.put(10, "7");
    process(10, 1, 'S', 0, 0, "/");
    Files.writeString(proc.resolve("10/cgroup"), text);
    assertThat(read()).containsEntry(MEMORY + 7, 3e6).containsEntry(CPU + 0, 0.0);
    write("cpu,cpuacct/" + job, "cpuacct.usage", "3500000000\n");
    assertThat(read()).containsEntry(CPU + 0, 2.5).containsEntry(UNREAD, 0.0);
  }

  @Test
  void anOwnerHasItsHostMemoryOnceHoweverManyGpusAndProcessesItHas() throws Exception {
    group(C, 10, 20, 21);
    group("/docker/" + "2e".repeat(32), 30);
    write(C.substring(1), "memory.current", "9000\n");
    write(C.substring(1), "memory.stat", "anon 1\ninactive_file 1000\nactive_file 70\n");
    write("docker/" + "2e".repeat(32), "memory.current", "500\n");
    write("docker/" + "2e".repeat(32), "memory.stat", "inactive_file 501\n");
    gpus = List.of(gpu(0, 10, 20), gpu(1, 20, 30));
    owners.putAll(Map.of(10, "7", 20, "7", 30, "8"));
    for (int pid : List.of(10, 20, 21)) {
      process(pid, 1, 'S', 0, 0, C);
    }
    process(30, 1, 'S', 0, 0, "/docker/" + "2e".repeat(32));
    assertThat(read()).containsEntry(MEMORY + 7, 8_000.0).containsEntry(MEMORY + 8, 0.0);
    owners.remove(10);
    owners.remove(20);
    assertThat(read()).as("nobody is known to own it").doesNotContainKey(MEMORY + 7);
  }

  @Test
  void aGroupThatHasEndedTellsNothingAndADamagedFileIsCounted() throws Exception {
    group(C, 10);
    String at = C.substring(1);
    gpus = List.of(gpu(0, 10));
    owners.put(10, "7");
    process(10, 1, 'S', 0, 0, C);
    write(at, "cpu.stat", "usage_usec 1000000\n");
    write(at, "memory.current", "9000\n");
    write(at, "memory.stat", "inactive_file 1000\n");
    assertThat(read()).containsEntry(MEMORY + 7, 8_000.0);
    Files.delete(cgroups.resolve(at).resolve("memory.current"));
    Files.delete(cgroups.resolve(at).resolve("cpu.stat"));
    process(10, 1, 'S', 100, 0, C);
    assertThat(read())
        .as("its processes still count")
        .doesNotContainKey(MEMORY + 7)
        .containsEntry(CPU + 0, 1.0)
        .containsEntry(UNREAD, 0.0);
    double unread = 0;
    for (String odd : List.of("", "x", "-1\n", "max\n", "99999999999999999999\n", "1 2\n")) {
      write(at, "memory.current", odd);
      write(at, "cpu.stat", "usage_usec" + odd);
      assertThat(read())
          .as(odd)
          .doesNotContainKey(MEMORY + 7)
          .containsEntry(CPU + 0, 1.0)
          .containsEntry(UNREAD, unread + 2);
      unread += 2;
    }
    write(at, "memory.current", "9000\n");
    write(at, "memory.stat", "anon 3\n");
    write(at, "cpu.stat", "usage_usec 2000000\n");
    assertThat(read()).doesNotContainKey(MEMORY + 7).containsEntry(UNREAD, unread + 1);
    write(at, "memory.stat", "inactive_file 0");
    write(at, "cpu.stat", "usage_usec 1000000\n"); // made again, under the same name
    assertThat(read()).containsEntry(MEMORY + 7, 9_000.0).containsEntry(CPU + 0, 1.0);
    write(at, "cpu.stat", "usage_usec 1500000\n");
    assertThat(read()).containsEntry(CPU + 0, 1.5);
  }
}
