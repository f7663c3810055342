package io.fleetgauge.probe.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fleetgauge.probe.config.NcclSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuProcess;
import io.fleetgauge.probe.gpu.snapshot.GpuProcesses;
import io.fleetgauge.probe.host.reading.Libc;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Readings of jobs that stand-ins answer for. It has more than 600 lines, because all of its tests
 * need the same proc file system of processes that hold GPUs.
 */
@Timeout(600)
class RasThreadTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final TickClass CORE = new TickClass(Duration.ofSeconds(15));
  private static final String HERE = "10.0.0.1";

  @TempDir private Path proc;
  private final List<GpuProcesses> gpus = new ArrayList<>();
  private final Map<Integer, String> owners = new HashMap<>();
  private Duration timeout = LIMIT;

  @BeforeEach
  void begin() throws IOException {
    network("self", 0, 0);
  }

  /** A network namespace in which so many sockets listen at a port. */
  private void network(String name, int port, int listeners) throws IOException {
    Path net = Files.createDirectories(proc.resolve(name + "/net"));
    StringBuilder rows = new StringBuilder("  sl  local_address rem_address   st tx_queue\n");
    for (int i = 0; i < listeners; i++) {
      rows.append(
          "   %d: 0100007F:%04X 00000000:0000 0A 00000000:00000000 00:00000000\n"
              .formatted(i, port));
    }
    rows.append("   9: 0100007F:0001 00000000:0000 01 00000000:00000000 00:00000000\n");
    Files.writeString(net.resolve("tcp"), rows);
    Files.writeString(
        net.resolve("fib_trie"),
        """
        Local:
          +-- 10.0.0.0/24 2 0 2
             |-- 10.0.0.1
                /32 host LOCAL
             |-- 10.0.0.255
                /32 link BROADCAST
        """);
  }

  /** A process that holds a GPU of the node, in the network of another process or of the probe. */
  private void process(int pid, int innerPid, String owner, String network, int... indices)
      throws IOException {
    Path of = Files.createDirectories(proc.resolve(Integer.toString(pid)));
    Files.createSymbolicLink(of.resolve("net"), proc.resolve(network + "/net"));
    Files.writeString(
        of.resolve("status"),
        "Name:\tpython3\nNSpid:\t%d\t%d\nThreads:\t1\n".formatted(pid, innerPid));
    owners.put(pid, owner);
    for (int index : indices) {
      gpus.add(
          new GpuProcesses(
              Labels.of("gpu", Integer.toString(index), "UUID", "GPU-" + index),
              List.of(new GpuProcess(pid, OptionalLong.empty(), OptionalDouble.empty()))));
    }
  }

  private RasThread thread(RasServer server) {
    return new RasThread(
        new NcclSettings(
            true,
            List.of("127.0.0.1:" + server.address.getPort()),
            Duration.ofMinutes(1),
            timeout,
            true,
            2),
        proc,
        () -> Optional.of(gpus),
        owners::get);
  }

  private Map<String, Double> read(RasServer server) {
    RasThread thread = thread(server);
    thread.read();
    return series(thread);
  }

  private static Map<String, Double> series(RasThread thread) {
    Readings out = new Readings();
    RasSampling.of(thread, CORE).read(java.util.Set.of(CORE), out);
    Tick tick = out.of(CORE).at(0);
    Map<String, Double> series = new TreeMap<>();
    for (int i = 0; i < tick.size(); i++) {
      Labels of = tick.series().get(i);
      String name = of.metric().replace("gpu_nccl_", "");
      String place = of.value("UUID") + " " + of.value("communicator");
      String more = of.value("reason") + of.value("event");
      series.put((name + " " + (more.isEmpty() ? place : more)).strip(), tick.values()[i]);
    }
    return series;
  }

  private static RasStatus world(int hash, long... operations) {
    RasStatus status = new RasStatus().communicator(hash);
    for (int rank = 0; rank < operations.length; rank++) {
      status.rank(rank, HERE, 101 + rank, rank, operations[rank]);
    }
    return status;
  }

  @Test
  void eachRankOfThisNodeHasItsOperations() throws IOException {
    process(101, 101, "a", "self", 0);
    process(102, 102, "a", "self", 1);
    try (RasServer server = new RasServer(RasServer.json(world(0xab, 500, 499).json("2.28.7")))) {
      network("self", server.address.getPort(), 2);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 00000000000000ab", 500.0)
          .containsEntry("operations_total GPU-1 00000000000000ab", 499.0)
          .containsEntry("rank GPU-1 00000000000000ab", 1.0)
          .containsEntry("ranks GPU-1 00000000000000ab", 2.0)
          .containsEntry("ranks_missing GPU-1 00000000000000ab", 0.0)
          .containsEntry("ras_up", 1.0)
          .containsEntry("ras_jobs_unseen", 0.0);
      assertThat(server.connections).hasValue(1);
      assertThat(server.commands).startsWith("CLIENT PROTOCOL 2").contains("SET FORMAT json");
    }
  }

  @Test
  void theTextOfBefore228NamesThoseThatDiffer() throws IOException {
    process(101, 101, "a", "self", 0);
    process(102, 102, "a", "self", 1);
    String text =
        RasStatus.text("2.24.3+cuda12.8", 1, 2, 2, "MISMATCH")
            + """
            #0-0 (00000000000000ab) MISMATCH
              Communicator ranks have different collective operation counts
              Rank 0 has launched up to operation 10 -- GPU 0 managed by process 101 on node 10.0.0.1
              Rank 1 has launched up to operation 9 -- GPU 1 managed by process 102 on node 10.0.0.1
            """;
    try (RasServer server = new RasServer(RasServer.text(text))) {
      network("self", server.address.getPort(), 2);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 00000000000000ab", 10.0)
          .containsEntry("operations_total GPU-1 00000000000000ab", 9.0)
          .containsEntry("ras_up", 1.0)
          .containsEntry("ras_jobs_unseen", 0.0);
    }
  }

  @Test
  void gpusThatATextDoesNotNameHaveDoneWhatMostHave() throws IOException {
    process(101, 101, "a", "self", 0);
    process(102, 102, "a", "self", 1);
    String text =
        RasStatus.text("2.24.3+cuda12.8", 4, 2, 8, "MISMATCH")
            + """
            #0-0 (00000000000000ab) MISMATCH
              Communicator ranks have different collective operation counts
              7 ranks have launched up to operation 10
              Rank 7 has launched up to operation 9 -- GPU 1 managed by process 9 on node 10.0.0.4
            """;
    try (RasServer server = new RasServer(RasServer.text(text))) {
      network("self", server.address.getPort(), 2);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 00000000000000ab", 10.0)
          .containsEntry("operations_total GPU-1 00000000000000ab", 10.0)
          .doesNotContainKey("rank GPU-0 00000000000000ab");
    }
  }

  @Test
  void theBrokenJsonOf228IsRead() throws IOException {
    process(101, 101, "a", "self", 0);
    process(102, 102, "a", "self", 1);
    String status = world(0xab, 500).missing(1, HERE, 102, 1).broken().json("2.28.9");
    try (RasServer server = new RasServer(RasServer.json(status))) {
      network("self", server.address.getPort(), 2);
      assertThat(read(server))
          .containsEntry("ranks_missing GPU-0 00000000000000ab", 1.0)
          .containsEntry("rank GPU-1 00000000000000ab", 1.0)
          .doesNotContainKey("operations_total GPU-1 00000000000000ab");
    }
  }

  @Test
  void jobsThatShareAPortAreAllSeen() throws IOException {
    process(101, 101, "a", "self", 0);
    process(102, 102, "a", "self", 1);
    process(201, 201, "b", "self", 2);
    String a = world(0xa, 5, 5).json("2.28.7");
    String b = new RasStatus().communicator(0xb).rank(0, HERE, 201, 2, 7).json("2.28.7");
    try (RasServer server =
        new RasServer(RasServer.json(a), RasServer.json(a), RasServer.json(a), RasServer.json(b))) {
      network("self", server.address.getPort(), 3);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 000000000000000a", 5.0)
          .containsEntry("operations_total GPU-2 000000000000000b", 7.0)
          .containsEntry("ras_jobs_unseen", 0.0);
      assertThat(server.connections).hasValue(4);
    }
  }

  @Test
  void socketsOfOnePortAreChosenByTheKernelUntilAllWereSeen() throws IOException {
    process(101, 101, "a", "self", 0);
    process(201, 201, "b", "self", 2);
    String a = world(0xa, 5).json("2.28.7");
    String b = new RasStatus().communicator(0xb).rank(0, HERE, 201, 2, 7).json("2.28.7");
    try (RasServer first = new RasServer(RasServer.json(a));
        RasServer second = new RasServer(first.address.getPort(), RasServer.json(b))) {
      network("self", first.address.getPort(), 2);
      Map<String, Double> series = read(first);
      int connections = first.connections.get() + second.connections.get();
      assertThat(connections).isLessThanOrEqualTo(RasRound.MOST_CONNECTIONS);
      double unseen = series.get("ras_jobs_unseen");
      assertThat(series.keySet().stream().filter(name -> name.startsWith("operations")).count())
          .isEqualTo(2 - (long) unseen);
      assertThat(unseen == 0 || connections >= 24).isTrue();
    }
  }

  @Test
  void jobsOfOneOwnerAreAllSeenAlsoBesideAProcessThatHasStopped() throws IOException {
    process(101, 101, "a", "self", 0);
    process(102, 102, "a", "self", 1);
    process(201, 201, "a", "self", 2);
    timeout = Duration.ofSeconds(12);
    String a = world(0xa, 5).missing(1, HERE, 102, 1).json("2.28.7");
    String b = new RasStatus().communicator(0xb).rank(0, HERE, 201, 2, 7).json("2.28.7");
    RasServer.Job stopped = RasServer.stopped();
    try (RasServer server =
        new RasServer(RasServer.json(a), stopped, stopped, stopped, RasServer.json(b))) {
      network("self", server.address.getPort(), 3);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 000000000000000a", 5.0)
          .containsEntry("ranks_missing GPU-1 000000000000000a", 1.0)
          .containsEntry("operations_total GPU-2 000000000000000b", 7.0)
          .containsEntry("ras_errors_total timeout", 3.0)
          .containsEntry("ras_jobs_unseen", 0.0);
    }
  }

  @Test
  void socketsOfJobsOfOneOwnerAreChosenByTheKernelUntilAllWereSeen() throws IOException {
    process(101, 101, "a", "self", 0);
    process(102, 102, "a", "self", 1);
    process(201, 201, "a", "self", 2);
    timeout = Duration.ofSeconds(8);
    String a = world(0xa, 5).missing(1, HERE, 102, 1).json("2.28.7");
    String b = new RasStatus().communicator(0xb).rank(0, HERE, 201, 2, 7).json("2.28.7");
    try (RasServer first = new RasServer(RasServer.json(a));
        RasServer stopped = new RasServer(first.address.getPort());
        RasServer second = new RasServer(first.address.getPort(), RasServer.json(b))) {
      network("self", first.address.getPort(), 3);
      Map<String, Double> series = read(first);
      long seen = series.keySet().stream().filter(name -> name.startsWith("operations")).count();
      assertThat(series.get("ras_jobs_unseen") == 0).isEqualTo(seen == 2);
      int connections =
          first.connections.get() + stopped.connections.get() + second.connections.get();
      assertThat(connections).isLessThanOrEqualTo(RasRound.MOST_CONNECTIONS);
    }
  }

  @Test
  void aReadingThatMissesAJobSaysSoAndTwoOfThemDoNotEndItsSeries() throws IOException {
    process(101, 101, "a", "self", 0);
    process(201, 201, "a", "self", 2);
    RasServer.Job a = RasServer.json(world(0xa, 5).json("2.28.7"));
    RasServer.Job b =
        RasServer.json(new RasStatus().communicator(0xb).rank(0, HERE, 201, 2, 7).json("2.28.7"));
    RasServer.Job[] jobs = new RasServer.Job[2 + 3 * RasRound.MOST_CONNECTIONS];
    Arrays.fill(jobs, a);
    jobs[1] = b;
    try (RasServer server = new RasServer(jobs)) {
      network("self", server.address.getPort(), 2);
      RasThread thread = thread(server);
      thread.read();
      assertThat(series(thread)).containsEntry("ras_jobs_unseen", 0.0);
      for (int missed = 1; missed <= 2; missed++) {
        thread.read();
        assertThat(series(thread))
            .containsEntry("operations_total GPU-2 000000000000000b", 7.0)
            .containsEntry("ras_jobs_unseen", 1.0);
      }
      thread.read();
      assertThat(series(thread))
          .containsEntry("operations_total GPU-0 000000000000000a", 5.0)
          .doesNotContainKey("operations_total GPU-2 000000000000000b")
          .containsEntry("ras_jobs_unseen", 1.0);
    }
  }

  @Test
  void aJobThatAnswersAgainIsOfTheSameProcesses() throws IOException {
    process(40_101, 7, "a", "self", 0);
    process(40_102, 7, "b", "self", 1);
    RasServer.Job a =
        RasServer.json(new RasStatus().communicator(0xa).rank(0, HERE, 7, 0, 5).json("2.28.7"));
    RasServer.Job b =
        RasServer.json(new RasStatus().communicator(0xb).rank(0, HERE, 7, 1, 7).json("2.28.7"));
    try (RasServer server = new RasServer(a, a, b)) {
      network("self", server.address.getPort(), 2);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 000000000000000a", 5.0)
          .containsEntry("operations_total GPU-1 000000000000000b", 7.0)
          .doesNotContainKey("operations_total GPU-1 000000000000000a")
          .containsEntry("ras_jobs_unseen", 0.0);
    }
  }

  @Test
  void containersOfOneJobWithTheSameNumbersAreNotAnotherJob() throws IOException {
    for (int i = 0; i < 4; i++) {
      process(40_101 + i, 7, "a", "self", i);
    }
    RasStatus status = new RasStatus().communicator(0xa);
    for (int i = 0; i < 4; i++) {
      status.rank(i, HERE, 7, 0, 50); // each container shows its GPU as 0
    }
    try (RasServer server = new RasServer(RasServer.json(status.json("2.28.7")))) {
      network("self", server.address.getPort(), 4);
      assertThat(read(server)).containsEntry("ras_jobs_unseen", 0.0);
      assertThat(server.connections).hasValue(1);
    }
  }

  @Test
  void aTextOfFewerProcessesThanListenLeavesAJobUnseen() throws IOException {
    process(101, 101, "a", "self", 0);
    process(102, 102, "a", "self", 1);
    process(201, 201, "a", "self", 2);
    String text = RasStatus.text("2.24.3+cuda12.8", 1, 2, 2, "OK");
    try (RasServer server = new RasServer(RasServer.text(text))) {
      network("self", server.address.getPort(), 3);
      assertThat(read(server)).containsEntry("ras_jobs_unseen", 1.0);
      network("self", server.address.getPort(), 2);
      assertThat(read(server)).containsEntry("ras_jobs_unseen", 0.0);
    }
  }

  /** Recorded where four ranks shared a GPU. */
  @Test
  void ofSeveralRanksOfAGpuTheOneFurthestBehindIsShown() throws IOException {
    for (int pid = 477; pid <= 480; pid++) {
      process(pid, pid, "a", "self", 0);
    }
    RasServer.Job real =
        RasServer.json(RealRasTest.answer("stall.json").replace("127.0.0.1", HERE));
    try (RasServer server = new RasServer(real)) {
      network("self", server.address.getPort(), 4);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 eeaea4e249238330", 1782.0)
          .containsEntry("rank GPU-0 eeaea4e249238330", 2.0)
          .containsEntry("ranks_missing GPU-0 eeaea4e249238330", 0.0)
          .containsEntry("ras_jobs_unseen", 0.0);
    }
  }

  @Test
  void aJobThatIsNeverChosenIsCountedAsUnseenAfterSomeConnections() throws IOException {
    process(101, 101, "a", "self", 0);
    process(201, 201, "b", "self", 2);
    try (RasServer server = new RasServer(RasServer.json(world(0xa, 5).json("2.28.7")))) {
      network("self", server.address.getPort(), 2);
      assertThat(read(server)).containsEntry("ras_jobs_unseen", 1.0);
      assertThat(server.connections.get()).isLessThanOrEqualTo(RasRound.MOST_CONNECTIONS);
    }
  }

  @Test
  void processesOfContainersAreFoundByTheirOwnNumbers() throws IOException {
    process(40_101, 7, "a", "self", 4);
    process(40_102, 8, "a", "self", 5);
    String status =
        new RasStatus()
            .communicator(0xa)
            .rank(0, HERE, 7, 0, 50) // its container shows it GPU 4 as 0
            .rank(1, HERE, 8, 1, 51)
            .json("2.28.7");
    try (RasServer server = new RasServer(RasServer.json(status))) {
      network("self", server.address.getPort(), 2);
      assertThat(read(server))
          .containsEntry("operations_total GPU-4 000000000000000a", 50.0)
          .containsEntry("operations_total GPU-5 000000000000000a", 51.0);
    }
  }

  @Test
  void aProcessOfAnotherNodeWithTheSameNumberIsNotOfThisOne() throws IOException {
    process(101, 101, "a", "self", 0);
    String status =
        new RasStatus()
            .communicator(0xa)
            .rank(0, "10.0.0.2", 101, 0, 50)
            .rank(1, HERE, 101, 0, 49)
            .json("2.28.7");
    try (RasServer server = new RasServer(RasServer.json(status))) {
      network("self", server.address.getPort(), 1);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 000000000000000a", 49.0)
          .containsEntry("rank GPU-0 000000000000000a", 1.0);
    }
  }

  @Test
  void aProcessWithSeveralGpusHasARankOnEach() throws IOException {
    process(101, 101, "a", "self", 0, 1);
    String status =
        new RasStatus()
            .communicator(0xa)
            .rank(0, HERE, 101, 0, 50)
            .rank(1, HERE, 101, 1, 49)
            .json("2.28.7");
    try (RasServer server = new RasServer(RasServer.json(status))) {
      network("self", server.address.getPort(), 1);
      assertThat(read(server))
          .containsEntry("operations_total GPU-0 000000000000000a", 50.0)
          .containsEntry("operations_total GPU-1 000000000000000a", 49.0);
    }
  }

  @Test
  void theCommunicatorsWithMostRanksComeFirst() throws IOException {
    process(101, 101, "a", "self", 0);
    RasStatus status = new RasStatus();
    for (int hash = 1; hash <= 5; hash++) {
      status.communicator(hash);
      for (int rank = 0; rank < hash; rank++) {
        status.rank(rank, rank == 0 ? HERE : "10.0.0.2", 101, 0, 50);
      }
    }
    try (RasServer server = new RasServer(RasServer.json(status.json("2.28.7")))) {
      network("self", server.address.getPort(), 1);
      assertThat(read(server))
          .containsKeys("ranks GPU-0 0000000000000005", "ranks GPU-0 0000000000000004", "ras_up")
          .doesNotContainKey("ranks GPU-0 0000000000000003");
    }
  }

  @Test
  void nobodyIsAskedWhereNobodyListens() throws IOException {
    process(101, 101, "a", "self", 0);
    try (RasServer server = new RasServer(RasServer.json(world(0xa, 5).json("2.28.7")))) {
      network("self", 1, 1);
      assertThat(read(server)).isEmpty();
      assertThat(server.connections).hasValue(0);
    }
  }

  @Test
  void aServerThatNeverAnswersIsGivenUp() throws IOException {
    process(101, 101, "a", "self", 0);
    timeout = Duration.ofSeconds(1);
    try (RasServer server = new RasServer()) {
      network("self", server.address.getPort(), 1);
      Map<String, Double> series = read(server);
      assertThat(series)
          .containsEntry("ras_up", 0.0)
          .containsEntry("ras_jobs_unseen", 1.0)
          .containsKey("ras_errors_total timeout");
      assertThat(series.get("ras_errors_total timeout")).isBetween(1.0, 3.0);
    }
  }

  @Test
  void aGigabyteIsCutAndCounted() throws IOException {
    process(101, 101, "a", "self", 0);
    String whole = world(0xa, 5).json("2.28.7");
    int begin = whole.indexOf("    {\n");
    String communicator = whole.substring(begin, whole.indexOf("\n  ],\n  \"ras\""));
    try (RasServer server =
        new RasServer(RasServer.gigabyte(whole.substring(0, begin), communicator + ",\n"))) {
      network("self", server.address.getPort(), 1);
      assertThat(read(server))
          .containsEntry("ras_up", 0.0)
          .containsEntry("ras_errors_total too_large", 3.0)
          .doesNotContainKey("operations_total GPU-0 000000000000000a");
    }
  }

  @Test
  void aProgramThatIsNoJobIsAnError() throws IOException {
    process(101, 101, "a", "self", 0);
    try (RasServer server = new RasServer(RasServer.json("<html></html>\n"))) {
      network("self", server.address.getPort(), 1);
      assertThat(read(server)).containsKey("ras_errors_total damaged").containsEntry("ras_up", 0.0);
    }
  }

  @Test
  void aJobInANetworkThatCannotBeEnteredIsUnseen() throws IOException {
    try (RasServer server = new RasServer(RasServer.json(world(0xa, 5).json("2.28.7")))) {
      network("pod", server.address.getPort(), 1);
      process(101, 101, "a", "pod", 0);
      assertThat(read(server))
          .containsEntry("ras_jobs_unseen", 1.0)
          .containsEntry("ras_up", 0.0)
          .containsEntry("ras_errors_total denied", 1.0);
      assertThat(server.connections).hasValue(0);
    }
  }

  /** With the rights for it, and with the commands unshare and ip. */
  @Test
  void aJobInANetworkOfItsOwnIsReadFromWithin() throws Exception {
    Process pod;
    try {
      pod =
          new ProcessBuilder("unshare", "-n", "sh", "-c", "ip link set lo up && echo up && cat")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      assumeTrue(false, "there is no unshare");
      return;
    }
    try {
      int up = pod.getInputStream().read();
      Path real = Path.of("/proc", Long.toString(pod.pid()));
      assumeTrue(up == 'u', "this user cannot make a network namespace");
      RasServer[] server = {null};
      Thread inside =
          Thread.ofPlatform()
              .start(
                  () -> {
                    if (Libc.enterNetwork(real.resolve("ns/net").toString()) == 0) {
                      try {
                        String status =
                            new RasStatus()
                                .communicator(0xa)
                                .rank(0, "127.0.0.1", (int) pod.pid(), 0, 5)
                                .json("2.28.7");
                        server[0] = new RasServer(RasServer.json(status));
                      } catch (IOException e) {
                        throw new AssertionError(e);
                      }
                    }
                  });
      inside.join();
      assumeTrue(server[0] != null, "this user cannot enter it");
      Files.createSymbolicLink(proc.resolve(Long.toString(pod.pid())), real);
      owners.put((int) pod.pid(), "pod");
      gpus.add(
          new GpuProcesses(
              Labels.of("gpu", "0", "UUID", "GPU-0"),
              List.of(
                  new GpuProcess((int) pod.pid(), OptionalLong.empty(), OptionalDouble.empty()))));
      try (RasServer closed = server[0]) {
        assertThat(read(closed))
            .containsEntry("operations_total GPU-0 000000000000000a", 5.0)
            .containsEntry("ras_jobs_unseen", 0.0);
      }
    } finally {
      pod.destroy();
    }
  }

  @Test
  void aDeadProcessIsToldByTheMonitorBeforeTheNextReading() throws Exception {
    process(101, 101, "a", "self", 0);
    String events =
        """
        {
          "timestamp": "2026-11-27 10:00:00",
          "group": "LIFECYCLE",
          "event": "PEER_DEAD",
          "peer": {
            "addr": "10.0.0.2<4711>"
          },
          "details": ""
        }
        """;
    String status = world(0xa, 5).json("2.30.7");
    try (RasServer server = new RasServer(RasServer.monitored(status, events))) {
      network("self", server.address.getPort(), 1);
      try (RasThread thread = thread(server).start()) {
        await()
            .atMost(LIMIT)
            .untilAsserted(
                () -> assertThat(series(thread)).containsEntry("ras_events_total PEER_DEAD", 1.0));
        await()
            .atMost(LIMIT)
            .until(() -> server.commands.stream().filter("VERBOSE STATUS"::equals).count() > 1);
      }
    }
  }
}
