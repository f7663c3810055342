package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real Slurm: a controller and two nodes on this machine, of which the first has a probe. */
@Tag("slow")
class RealSlurmTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Path CONTROLLER = Path.of("/usr/sbin/slurmctld");
  private static final Path NODE = Path.of("/usr/sbin/slurmd");

  @TempDir private Path folder;
  private final Map<String, String> environment = new HashMap<>();
  private final List<Process> running = new ArrayList<>();

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
  void stop() throws InterruptedException {
    for (Process process : running.reversed()) {
      process.destroy();
      process.waitFor();
    }
  }

  @Test
  void fromTheBeginOfAJobToItsEndTheSeriesOfItsGpuCarryIt() throws Exception {
    startSlurm();
    try (SlurmNode node =
        new SlurmNode(
            Files.createDirectory(folder.resolve("n1")),
            ", jobs: {enabled: true, every: 10s, command: %s}"
                .formatted(script("squeue", "exec /usr/bin/squeue \"$@\"")))) {
      await()
          .atMost(SOON)
          .until(() -> command("sinfo", "-h", "-t", "idle", "-N").lines().count() == 2);
      String first = submit("n1", "a");
      String second = submit("n1", "b");
      String without = submit("n2", "c");
      await().atMost(SOON).until(() -> started("a") && started("b") && started("c"));
      await()
          .atMost(SOON)
          .until(() -> List.of(node.job(0), node.job(1)).containsAll(List.of(first, second)));
      String gpus = Files.readString(folder.resolve("a.started")).strip();
      int index = gpus.equals("0") ? 1 : 0;
      assertThat(node.job(index)).as("by the number of the device file").isEqualTo(first);
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(node.metrics())
                      .containsPattern(
                          "slurm_job_info\\{.*hpc_job=\""
                              + without
                              + "\".*name=\"c\".*nodes=\"n2\""));
      Files.createFile(folder.resolve("a.end"));
      await().atMost(SOON).until(() -> node.job(index).isEmpty());
      assertThat(node.job(1 - index)).isEqualTo(second);
      Files.createFile(folder.resolve("b.end"));
      Files.createFile(folder.resolve("c.end"));
      await().atMost(SOON).until(() -> node.job(1 - index).isEmpty());
      await().atMost(SOON).until(() -> command("squeue", "-h").isEmpty());
      assertThat(command("sinfo", "-h", "-N", "-o", "%t").lines().distinct())
          .as("no prolog drained a node")
          .containsExactly("idle");
    }
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

  private void startSlurm() throws Exception {
    String host = InetAddress.getLocalHost().getHostName();
    for (String name : List.of("state", "spooln1", "spooln2")) {
      Files.createDirectory(folder.resolve(name));
    }
    // Slurm wants devices, and numbers them by their names.
    Files.createSymbolicLink(folder.resolve("nvidia0"), Path.of("/dev/null"));
    Files.createSymbolicLink(folder.resolve("nvidia1"), Path.of("/dev/zero"));
    String socket =
        "export FLEETGAUGE_SOCKET=%s/$SLURMD_NODENAME/run/probe.sock\n".formatted(folder);
    script("prolog", socket + "exec " + SlurmNode.SCRIPTS.resolve("prolog.sh"));
    script("epilog", socket + "exec " + SlurmNode.SCRIPTS.resolve("epilog.sh"));
    int[] ports = freePorts();
    Files.writeString(
        folder.resolve("gres.conf"),
        "AutoDetect=off\nNodeName=n1,n2 Name=gpu File=%s/nvidia[0-1]\n".formatted(folder));
    Files.writeString(
        folder.resolve("slurm.conf"),
        """
        ClusterName=test
        SlurmctldHost=%1$s(127.0.0.1)
        SlurmUser=root
        SlurmdUser=root
        AuthType=auth/none
        CredType=cred/none
        ProctrackType=proctrack/pgid
        TaskPlugin=task/none
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
        PrologFlags=Alloc
        JobAcctGatherType=jobacct_gather/none
        AccountingStorageType=accounting_storage/none
        NodeName=n1 NodeHostname=%1$s NodeAddr=127.0.0.1 Port=%4$d CPUs=2 Gres=gpu:2
        NodeName=n2 NodeHostname=%1$s NodeAddr=127.0.0.1 Port=%5$d CPUs=2 Gres=gpu:2
        PartitionName=p Nodes=n1,n2 Default=YES State=UP MaxTime=10
        """
            .formatted(host, folder, ports[0], ports[1], ports[2]));
    environment.put("SLURM_CONF", folder.resolve("slurm.conf").toString());
    start(CONTROLLER.toString(), "-D");
    start(NODE.toString(), "-D", "-N", "n1");
    start(NODE.toString(), "-D", "-N", "n2");
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
