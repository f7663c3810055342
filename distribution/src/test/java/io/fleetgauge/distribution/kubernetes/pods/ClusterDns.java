package io.fleetgauge.distribution.kubernetes.pods;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** The name server of a cluster: dnsmasq, which answers for names below {@code cluster.local}. */
final class ClusterDns implements AutoCloseable {
  private final Path hosts;
  private final Path log;
  private final Process process;
  private final Thread atExit;

  /** Where dnsmasq is; empty if it is not installed. */
  static String program() {
    return Stream.of("/usr/sbin/dnsmasq", "/usr/local/sbin/dnsmasq", "/usr/bin/dnsmasq")
        .filter(each -> Files.isExecutable(Path.of(each)))
        .findFirst()
        .orElse("");
  }

  ClusterDns(Path folder, String address) throws IOException {
    hosts = Files.createFile(folder.resolve("cluster-names"));
    log = folder.resolve("dnsmasq.log");
    process =
        new ProcessBuilder(
                program(),
                "--keep-in-foreground",
                "--conf-file=/dev/null",
                "--no-resolv",
                "--no-hosts",
                "--cache-size=0",
                "--local-ttl=5", // as in Kubernetes
                "--pid-file=",
                "--user=root",
                "--listen-address=" + address,
                "--bind-interfaces",
                "--port=53",
                "--local=/cluster.local/",
                "--addn-hosts=" + hosts)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    atExit = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(atExit);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!answers(address)) {
      if (!process.isAlive() || System.nanoTime() > deadline) {
        close();
        throw new IOException("dnsmasq does not respond: " + Files.readString(log));
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private static boolean answers(String address) {
    try (Socket socket = new Socket(address, 53)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Answers other addresses from now on.
   *
   * @param names lines of an address and a name
   */
  void answer(List<String> names) throws IOException, InterruptedException {
    Files.write(hosts, names);
    int status = new ProcessBuilder("sh", "-c", "kill -HUP " + process.pid()).start().waitFor();
    if (status != 0) {
      throw new IOException("dnsmasq has ended: " + Files.readString(log));
    }
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    process.destroyForcibly().onExit().join();
  }
}
