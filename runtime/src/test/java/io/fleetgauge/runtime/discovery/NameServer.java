package io.fleetgauge.runtime.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A dnsmasq of Debian's package dnsmasq-base, which answers for names below {@code test.}. */
public final class NameServer implements AutoCloseable {
  private final Path folder;
  private final Path hosts;
  private final String program;
  private final int port;
  private Process process;

  public NameServer(Path folder) throws Exception {
    program =
        Stream.of("/usr/sbin/dnsmasq", "/usr/local/sbin/dnsmasq", "/usr/bin/dnsmasq")
            .filter(each -> Files.isExecutable(Path.of(each)))
            .findFirst()
            .orElse("");
    assumeTrue(!program.isEmpty(), "dnsmasq is not installed (Debian: dnsmasq-base)");
    this.folder = folder;
    this.hosts = folder.resolve("hosts");
    this.port = freePort();
  }

  /** Free for UDP and for TCP. */
  private static int freePort() throws IOException {
    for (int i = 0; i < 100; i++) {
      try (var tcp = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
          var udp = new DatagramSocket(new InetSocketAddress("127.0.0.1", tcp.getLocalPort()))) {
        return udp.getLocalPort();
      } catch (BindException e) {
        continue; // taken for UDP
      }
    }
    throw new IOException("no port is free for UDP and TCP");
  }

  /** host:port. */
  public String address() {
    return "127.0.0.1:" + port;
  }

  /**
   * Starts, or starts again.
   *
   * @param lines of its hosts file, address and name
   */
  public void start(List<String> lines, String... options) throws Exception {
    stop();
    Files.write(hosts, lines);
    List<String> command =
        new ArrayList<>(
            List.of(
                program,
                "--keep-in-foreground",
                "--conf-file=/dev/null",
                "--no-resolv",
                "--no-hosts",
                "--cache-size=0",
                "--pid-file=",
                "--user=" + System.getProperty("user.name"),
                "--listen-address=127.0.0.1",
                "--bind-interfaces",
                "--port=" + port,
                "--local=/test/",
                "--addn-hosts=" + hosts));
    command.addAll(List.of(options));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("dnsmasq.log").toFile())
            .start();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!answers()) {
      assertThat(process.isAlive() && System.nanoTime() < deadline)
          .as(Files.readString(folder.resolve("dnsmasq.log")))
          .isTrue();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private boolean answers() {
    try (var socket = new Socket("127.0.0.1", port)) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  /** Other addresses, which it reads without a new start. */
  public void hosts(List<String> lines) throws Exception {
    Files.write(hosts, lines);
    Process kill = new ProcessBuilder("sh", "-c", "kill -HUP " + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  public void stop() {
    if (process != null) {
      process.destroyForcibly().onExit().join();
    }
  }

  @Override
  public void close() {
    stop();
  }
}
