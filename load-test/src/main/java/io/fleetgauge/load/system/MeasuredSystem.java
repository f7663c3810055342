package io.fleetgauge.load.system;

import io.fleetgauge.load.fleet.ChildProcess;
import io.fleetgauge.load.fleet.Installation;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.load.fleet.PeerPrograms;
import io.fleetgauge.runtime.process.StartFailure;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A system that is measured: our gateways with a query API, each in a process of its own and
 * started as what is installed starts them, or another program.
 *
 * @param name as the table has it
 * @param copies of each sample
 * @param ours whether it is made of gateways
 * @param stores the processes that accept samples
 * @param query the process that answers queries; one of {@code stores} where there is no other
 * @param data the folder in which all files are
 */
public record MeasuredSystem(
    String name,
    int copies,
    boolean ours,
    List<MeasuredProcess> stores,
    MeasuredProcess query,
    Path data)
    implements AutoCloseable {
  private static final Duration START_LIMIT = Duration.ofMinutes(10);

  /** Starts gateways and a query API, with the default configuration. */
  public static MeasuredSystem gateways(
      Installation installation, Path folder, String name, int gateways, int copies, String heap)
      throws Exception {
    List<Integer> ports = LocalPorts.free(2 * gateways + 2);
    List<Integer> members = ports.subList(gateways + 1, ports.size());
    Path data = Files.createDirectories(folder.resolve("data"));
    List<MeasuredProcess> started = new ArrayList<>();
    try {
      for (int i = 0; i <= gateways; i++) {
        boolean isQuery = i == gateways;
        String id = isQuery ? "query" : "gateway-" + (i + 1);
        String config =
            "http: {host: 127.0.0.1, port: %d}\ncluster: {name: load-%d, port: %d, members: [%s], replication: %d}\n"
                .formatted(
                    ports.get(i),
                    members.getFirst(),
                    members.get(i),
                    String.join(
                        ", ", members.stream().map(port -> "\"127.0.0.1:" + port + "\"").toList()),
                    copies);
        if (!isQuery) {
          config += "id: %s\nstore: {folder: \"%s\"}\n".formatted(id, data.resolve(id));
        }
        if (isQuery) {
          config += "rules: {files: [\"%s\"]}\n".formatted(ruleFiles(folder));
        }
        Path file = Files.writeString(folder.resolve(id + ".yaml"), config);
        ChildProcess process =
            installation.start(
                folder,
                folder.resolve(id + ".log"),
                heap,
                isQuery ? "query" : "gateway",
                "--config",
                file.toString());
        started.add(
            new MeasuredProcess(id, process, URI.create("http://127.0.0.1:" + ports.get(i))));
      }
      for (MeasuredProcess each : started) {
        awaitReady(each);
      }
    } catch (Exception e) {
      started.forEach(MeasuredProcess::close);
      throw e;
    }
    return new MeasuredSystem(
        name, copies, true, List.copyOf(started.subList(0, gateways)), started.getLast(), data);
  }

  /** Starts another program, which accepts remote writes and answers PromQL. */
  public static MeasuredSystem peer(Path folder, String program) throws Exception {
    int port = LocalPorts.free(1).getFirst();
    Path data = Files.createDirectories(folder.resolve("data"));
    List<String> line = new ArrayList<>(List.of(PeerPrograms.program(program).toString()));
    if (program.equals("prometheus")) {
      Path config =
          Files.writeString(
              folder.resolve("prometheus.yml"),
              "rule_files: [\"%s\"]\n".formatted(ruleFiles(folder)));
      line.add("--config.file=" + config);
      line.add("--storage.tsdb.path=" + data);
      line.add("--web.listen-address=127.0.0.1:" + port);
      line.add("--web.enable-remote-write-receiver");
      line.add("--web.enable-lifecycle");
    } else {
      line.add("-storageDataPath=" + data);
      line.add("-httpListenAddr=127.0.0.1:" + port);
    }
    ChildProcess process =
        new ChildProcess(folder, folder.resolve(program + ".log"), Map.of(), line);
    MeasuredProcess only =
        new MeasuredProcess(program, process, URI.create("http://127.0.0.1:" + port));
    try {
      awaitReady(only);
    } catch (Exception e) {
      only.close();
      throw e;
    }
    return new MeasuredSystem(program, 1, false, List.of(only), only, data);
  }

  /** Where rule files are looked for; there are none at first. */
  private static String ruleFiles(Path folder) throws IOException {
    return Files.createDirectories(folder.resolve("rules")).resolve("*.yaml").toString();
  }

  /** Tells whether it evaluates rules. */
  public boolean hasRules() {
    return ours || name.equals("prometheus");
  }

  private static void awaitReady(MeasuredProcess started) throws Exception {
    try {
      started.child().awaitReady(started.address().resolve("/-/ready"), START_LIMIT);
    } catch (IllegalStateException e) {
      throw new StartFailure(e.getMessage().lines().limit(30).collect(Collectors.joining("\n")));
    }
  }

  /** All processes, those that store first. */
  public List<MeasuredProcess> processes() {
    if (stores.contains(query)) {
      return stores;
    }
    return Stream.concat(stores.stream(), Stream.of(query)).toList();
  }

  /** Bytes of all files. */
  public long diskBytes() throws IOException {
    try (Stream<Path> all = Files.walk(data)) {
      long bytes = 0;
      for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
        try {
          bytes += Files.size(file);
        } catch (NoSuchFileException e) {
          continue; // deleted since it was listed
        }
      }
      return bytes;
    }
  }

  @Override
  public void close() {
    processes().reversed().forEach(MeasuredProcess::close);
  }
}
