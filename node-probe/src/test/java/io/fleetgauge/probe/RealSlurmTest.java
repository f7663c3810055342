package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.sample.Labels;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real Slurm: a controller and two nodes on this machine, of which the first has a probe. */
@Tag("slow")
class RealSlurmTest {
  private static final Duration SOON = Duration.ofMinutes(10);
  private static final Path CONTROLLER = Path.of("/usr/sbin/slurmctld");
  private static final Path NODE = Path.of("/usr/sbin/slurmd");

  /** Where Slurm's plugin for version 1 makes the groups of jobs. */
  private static final Path FREEZER = Path.of("/sys/fs/cgroup/freezer");

  /** The probe looks for cgroups each second. */
  private static final long TICK_MILLIS = 1_000;

  private static final long PID = ProcessHandle.current().pid();

  @TempDir private Path folder;
  private final Map<String, String> environment = new HashMap<>();
  private final List<Process> running = new ArrayList<>();

  // Another run on this machine has other names, and jobs of other numbers.
  private final String n1 = "a" + PID;
  private final String n2 = "b" + PID;

  @BeforeEach
  void isInstalled() throws Exception {
    assumeTrue(
        Files.isExecutable(CONTROLLER) && Files.isExecutable(NODE),
        "Slurm is not installed; install slurmctld, slurmd and slurm-client");
    assumeTrue(
        SlurmNode.output(List.of("id", "-u"), Map.of()).strip().equals("0"),
        "slurmd runs jobs as root only");
  }

  @AfterEach
  void stop() throws Exception {
    for (Process process : running.reversed()) {
      process.destroy();
      process.waitFor();
    }
    Path shown = folder.resolve(n1 + "/sys/fs/cgroup");
    if (Files.isSymbolicLink(shown)) {
      Files.delete(shown); // nothing below it is to be deleted
    }
    for (String node : List.of(n1, n2)) {
      Files.deleteIfExists(FREEZER.resolve("slurm_" + node)); // empty, or the test has failed
    }
  }

  @Test
  void withinATickAfterTheBeginOfAJobTheSeriesOfItsGpuCarryItAndWithinATickAfterItsEndNoMore()
      throws Exception {
    startSlurm(hasCgroups(), "");
    try (ReceivedTicks gateway = new ReceivedTicks();
        SlurmNode node =
            node(
                gateway,
                ", jobs: {enabled: true, every: 10s, command: %s}"
                    .formatted(script("squeue", "exec /usr/bin/squeue \"$@\"")))) {
      awaitNodes();
      String first = submit(n1, "a");
      String second = submit(n1, "b");
      String without = submit(n2, "c");
      await().atMost(SOON).until(() -> started("a") && started("b") && started("c"));
      String gpus = Files.readString(folder.resolve("a.started")).strip();
      int gpu = gpus.equals("0") ? 1 : 0; // by the number of the device file
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(node.metrics())
                      .containsPattern(
                          "slurm_job_info\\{.*hpc_job=\"%s\".*name=\"c\".*nodes=\"%s\""
                              .formatted(without, n2)));
      long ends = System.currentTimeMillis();
      Files.createFile(folder.resolve("a.end"));
      await().atMost(SOON).until(() -> Files.exists(folder.resolve("epilog." + first)));
      awaitTick(gateway, time("epilog." + first) + 2 * TICK_MILLIS);
      NavigableMap<Long, String> jobs = jobs(gateway, gpu);
      carries(jobs, first, time("prolog." + first), ends, time("epilog." + first));
      assertThat(jobs(gateway, 1 - gpu).tailMap(time("prolog." + second), false).values())
          .as("the other job goes on")
          .isNotEmpty()
          .containsOnly(second);
      Files.createFile(folder.resolve("b.end"));
      Files.createFile(folder.resolve("c.end"));
      await().atMost(SOON).until(() -> node.job(1 - gpu).isEmpty());
      await().atMost(SOON).until(() -> command("squeue", "-h").isEmpty());
      assertThat(command("sinfo", "-h", "-N", "-o", "%t").lines().distinct())
          .as("no prolog drained a node")
          .containsExactly("idle");
    }
  }

  @Test
  void anEpilogThatCrashesLeavesNoOwnerOnceSlurmHasRemovedTheCgroupOfTheJob() throws Exception {
    assumeTrue(
        hasCgroups(),
        "Slurm's plugin for cgroups of version 1 needs a writable " + FREEZER + " to run");
    startSlurm(true, "");
    try (ReceivedTicks gateway = new ReceivedTicks();
        SlurmNode node = node(gateway, "")) {
      awaitNodes();
      String silent = submit(n1, "a");
      String killed = submit(n1, "b");
      Files.writeString(folder.resolve("epilog." + silent + ".does"), "exit 0");
      Files.writeString(folder.resolve("epilog." + killed + ".does"), "kill -9 $$");
      await().atMost(SOON).until(() -> started("a") && started("b"));
      await()
          .atMost(SOON)
          .until(() -> List.of(node.job(0), node.job(1)).containsAll(List.of(silent, killed)));
      for (String job : List.of(silent, killed)) {
        assertThat(cgroup(job)).as("made by Slurm").isDirectory();
      }
      await()
          .atMost(SOON)
          .until(
              () ->
                  Files.readString(folder.resolve(n1 + "/spool/allocations"))
                          .split("\"hadCgroup\":true", -1)
                          .length
                      == 3);
      Files.createFile(folder.resolve("a.end"));
      Files.createFile(folder.resolve("b.end"));
      for (String job : List.of(silent, killed)) {
        await().atMost(SOON).until(() -> !Files.exists(cgroup(job)));
        await().atMost(SOON).until(() -> Files.exists(folder.resolve("epilog." + job)));
      }
      await()
          .atMost(SOON)
          .until(() -> node.metrics().contains("fleetgauge_probe_allocations_ended_total 2.0"));
      long ended = System.currentTimeMillis();
      awaitTick(gateway, ended + 2 * TICK_MILLIS);
      for (int gpu = 0; gpu < 2; gpu++) {
        assertThat(jobs(gateway, gpu).tailMap(ended, false).values()).containsOnly("");
      }
    }
  }

  @Test
  void theControllerWritesWhatAJobHasUsedAndThatAnotherWasShort() throws Exception {
    HttpServer api =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    List<String> queries = new CopyOnWriteArrayList<>();
    api.createContext("/api/v1/query", exchange -> answer(exchange, queries));
    api.start();
    try {
      for (String name : List.of("epilog-slurmctld.sh", "fleetgauge-job.sh")) {
        Files.copy(SlurmNode.SCRIPTS.resolve(name), folder.resolve(name));
      }
      // Accounting needs a database; the controller, its variables and scontrol are real.
      Path programs = Files.createDirectory(folder.resolve("programs"));
      program(programs, "sacctmgr", "echo \"$*\" >>%s/comments");
      program(
          programs,
          "sacct",
          "id=${*##*--jobs=}; sed -n \"s/.*jobid=${id%% *} set AdminComment=//p\" %s/comments");
      Files.writeString(
          folder.resolve("fleetgauge-query.conf"),
          "FLEETGAUGE_QUERY=http://127.0.0.1:%d\nPATH=%s:/usr/bin:/bin\n"
              .formatted(api.getAddress().getPort(), programs));
      script("controller", "exec sh %s/epilog-slurmctld.sh".formatted(folder));
      startSlurm(false, "EpilogSlurmctld=" + folder.resolve("controller.sh"));
      awaitNodes();
      // Of less than 30 s nothing is asked.
      Path job = script("long", "sleep 31");
      String[] batch = {"sbatch", "--parsable", "-N2", "--gres=gpu:1", "-o", "/dev/null"};
      String written =
          command(Stream.concat(Stream.of(batch), Stream.of("" + job)).toArray(String[]::new))
              .strip();
      String quick = submit(n1, "a");
      Files.createFile(folder.resolve("a.end"));
      Path comments = folder.resolve("comments");
      await()
          .atMost(SOON)
          .until(
              () ->
                  Files.exists(comments)
                      && Files.readString(comments).contains("jobid=" + written + " "));
      String all = Files.readString(comments);
      assertThat(all).contains("jobid=" + quick + " set AdminComment=JS1:Short");
      String summary =
          all.replaceAll("(?s).*jobid=" + written + " set AdminComment=JS1:(\\S+).*", "$1");
      try (GZIPInputStream json =
          new GZIPInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(summary)))) {
        JsonObject decoded =
            new JsonObject(new String(json.readAllBytes(), StandardCharsets.UTF_8));
        assertThat(decoded.getInteger("total_time")).isBetween(30, 600);
        assertThat(decoded.getInteger("gpus")).isEqualTo(2);
        for (String node : List.of(n1, n2)) {
          assertThat(decoded.getJsonObject("nodes").getJsonObject(node))
              .isEqualTo(
                  new JsonObject(
                      """
                      {"cpus": 1, "total_time": 7.0, "used_memory": 7, "total_memory": 0,
                       "gpu_total_memory": {"0": 7}, "gpu_used_memory": {"0": 7},
                       "gpu_utilization": {"0": 7.0}}
                      """));
        }
      }
      assertThat(queries).hasSize(5).allMatch(each -> each.contains("hpc_job=\"" + written + "\""));
    } finally {
      api.stop(0);
    }
  }

  private void program(Path at, String name, String text) throws IOException {
    Path file = at.resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + text.formatted(folder) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Both nodes have 7 of everything. */
  private void answer(HttpExchange exchange, List<String> queries) throws IOException {
    String query =
        URLDecoder.decode(exchange.getRequestURI().getRawQuery(), StandardCharsets.UTF_8);
    queries.add(query);
    String gpu = query.contains("gpu)") ? ",\"gpu\":\"0\"" : "";
    String row = "{\"metric\":{\"Hostname\":\"%s\"%s},\"value\":[1,\"7\"]}";
    byte[] body =
        ("{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":["
                + row.formatted(n1, gpu)
                + ","
                + row.formatted(n2, gpu)
                + "]}}")
            .getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  /**
   * Checks the ticks of a GPU.
   *
   * @param began when the prolog had told of the job, ms
   * @param ends before its script was told to end
   * @param ended when the epilog had told of its end
   */
  private static void carries(
      NavigableMap<Long, String> jobs, String job, long began, long ends, long ended) {
    assertThat(jobs.subMap(began, false, ends, true).values())
        .as("ticks of job %s", job)
        .isNotEmpty()
        .containsOnly(job);
    assertThat(jobs.tailMap(ended, false).values())
        .as("ticks after the end of job %s", job)
        .isNotEmpty()
        .doesNotContain(job);
    long first = 0;
    long last = 0;
    for (Map.Entry<Long, String> tick : jobs.entrySet()) {
      if (tick.getValue().equals(job)) {
        first = first == 0 ? tick.getKey() : first;
        last = tick.getKey();
      }
    }
    assertThat(last).isLessThanOrEqualTo(ended);
    System.out.printf(
        "job %s: first tick %d ms after its prolog, last tick %d ms before its epilog%n",
        job, first - began, ended - last);
  }

  /** The job that a GPU has in each tick that was received; empty without one. */
  private static NavigableMap<Long, String> jobs(ReceivedTicks gateway, int gpu) {
    NavigableMap<Long, String> jobs = new TreeMap<>();
    gateway
        .byTime()
        .forEach(
            (time, series) -> {
              for (Labels each : series) {
                if (each.metric().equals("DCGM_FI_DEV_GPU_TEMP")
                    && each.value("gpu").equals(Integer.toString(gpu))) {
                  jobs.put(time, each.value("hpc_job"));
                }
              }
            });
    return jobs;
  }

  private static void awaitTick(ReceivedTicks gateway, long time) {
    await()
        .atMost(SOON)
        .until(() -> !gateway.byTime().isEmpty() && gateway.byTime().lastKey() >= time);
  }

  private static boolean hasCgroups() {
    return Files.isWritable(FREEZER.resolve("cgroup.procs"));
  }

  private Path cgroup(String job) {
    return FREEZER.resolve("slurm_%s/uid_0/job_%s".formatted(n1, job));
  }

  /** The node of the first slurmd, which shows the cgroups of this machine. */
  private SlurmNode node(ReceivedTicks gateway, String more) throws Exception {
    Path of = Files.createDirectories(folder.resolve(n1 + "/sys/fs"));
    if (hasCgroups()) {
      Files.createSymbolicLink(of.resolve("cgroup"), FREEZER.getParent());
    }
    return new SlurmNode(folder.resolve(n1), more, "", gateway.uri());
  }

  private void awaitNodes() {
    await()
        .atMost(SOON)
        .until(() -> command("sinfo", "-h", "-t", "idle", "-N").lines().count() == 2);
  }

  /** Submits a job that has a GPU until a file is there. */
  private String submit(String node, String name) throws Exception {
    Path job =
        script(
            name,
            "echo $SLURM_JOB_GPUS > %1$s/%2$s.started.new; mv %1$s/%2$s.started.new %1$s/%2$s.started\n"
                    .formatted(folder, name)
                + "while [ ! -e %s/%s.end ]; do sleep 0.1; done".formatted(folder, name));
    return command(
            "sbatch",
            "--parsable",
            "-w",
            node,
            "--gres=gpu:1",
            "-J",
            name,
            "-o",
            "/dev/null",
            job.toString())
        .strip();
  }

  private boolean started(String name) {
    return Files.exists(folder.resolve(name + ".started"));
  }

  /** What a script wrote when it had done its work, ms. */
  private long time(String file) throws IOException {
    return Long.parseLong(Files.readString(folder.resolve(file)).strip());
  }

  private String command(String... command) throws Exception {
    return SlurmNode.output(List.of(command), environment);
  }

  private Path script(String name, String text) throws IOException {
    Path file = folder.resolve(name + ".sh");
    Files.writeString(
        file, "#!/bin/sh\nexport SLURM_CONF=%s/slurm.conf\n%s\n".formatted(folder, text));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file;
  }

  /** Calls a script of ours, and writes when it was done: then all of the file is there. */
  private void scriptOfSlurm(String name, String before) throws IOException {
    script(
        name,
        """
        export FLEETGAUGE_SOCKET=%1$s/$SLURMD_NODENAME/run/probe.sock
        done=%1$s/%2$s.$SLURM_JOB_ID
        %3$s
        %4$s
        date +%%s%%3N > $done.new
        mv $done.new $done
        """
            .formatted(folder, name, before, SlurmNode.SCRIPTS.resolve(name + ".sh")));
  }

  private void startSlurm(boolean withCgroups, String more) throws Exception {
    String host = InetAddress.getLocalHost().getHostName();
    for (String name : List.of("state", "spool" + n1, "spool" + n2)) {
      Files.createDirectory(folder.resolve(name));
    }
    // Slurm wants devices, and numbers them by their names.
    Files.createSymbolicLink(folder.resolve("nvidia0"), Path.of("/dev/null"));
    Files.createSymbolicLink(folder.resolve("nvidia1"), Path.of("/dev/zero"));
    scriptOfSlurm("prolog", "");
    scriptOfSlurm("epilog", "[ ! -e $done.does ] || { date +%s%3N > $done; . $done.does; }");
    int[] ports = freePorts();
    Files.writeString(
        folder.resolve("gres.conf"),
        "AutoDetect=off\nNodeName=%s,%s Name=gpu File=%s/nvidia[0-1]\n".formatted(n1, n2, folder));
    Files.writeString(
        folder.resolve("cgroup.conf"),
        """
        CgroupPlugin=cgroup/v1
        CgroupMountpoint=%s
        CgroupAutomount=no
        ConstrainCores=no
        ConstrainRAMSpace=no
        ConstrainDevices=no
        """
            .formatted(FREEZER.getParent()));
    Files.writeString(
        folder.resolve("slurm.conf"),
        """
        ClusterName=test
        SlurmctldHost=%1$s(127.0.0.1)
        SlurmUser=root
        SlurmdUser=root
        AuthType=auth/none
        CredType=cred/none
        ProctrackType=%8$s
        TaskPlugin=task/none
        FirstJobId=%10$d
        SlurmctldPort=%3$d
        StateSaveLocation=%2$s/state
        SlurmdSpoolDir=%2$s/spool%%n
        SlurmctldPidFile=%2$s/controller.pid
        SlurmdPidFile=%2$s/%%n.pid
        SlurmctldLogFile=%2$s/controller.log
        SlurmdLogFile=%2$s/%%n.log
        SwitchType=switch/none
        MpiDefault=none
        GresTypes=gpu
        SelectType=select/cons_tres
        SelectTypeParameters=CR_Core
        SchedulerType=sched/builtin
        ReturnToService=2
        Prolog=%2$s/prolog.sh
        Epilog=%2$s/epilog.sh
        PrologFlags=%9$s
        JobAcctGatherType=jobacct_gather/none
        AccountingStorageType=accounting_storage/none
        %11$s
        NodeName=%6$s NodeHostname=%1$s NodeAddr=127.0.0.1 Port=%4$d CPUs=2 Gres=gpu:2
        NodeName=%7$s NodeHostname=%1$s NodeAddr=127.0.0.1 Port=%5$d CPUs=2 Gres=gpu:2
        PartitionName=p Nodes=%6$s,%7$s Default=YES State=UP MaxTime=10
        """
            .formatted(
                host,
                folder,
                ports[0],
                ports[1],
                ports[2],
                n1,
                n2,
                withCgroups ? "proctrack/cgroup" : "proctrack/pgid",
                withCgroups ? "Alloc,Contain" : "Alloc",
                1 + PID % 60_000_000,
                more));
    environment.put("SLURM_CONF", folder.resolve("slurm.conf").toString());
    start(CONTROLLER.toString(), "-D");
    start(NODE.toString(), "-D", "-N", n1);
    start(NODE.toString(), "-D", "-N", n2);
  }

  private void start(String... command) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().putAll(environment);
    running.add(builder.start());
  }

  private static int[] freePorts() throws IOException {
    try (ServerSocket a = new ServerSocket(0);
        ServerSocket b = new ServerSocket(0);
        ServerSocket c = new ServerSocket(0)) {
      return new int[] {a.getLocalPort(), b.getLocalPort(), c.getLocalPort()};
    }
  }
}
