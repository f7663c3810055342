package io.fleetgauge.load.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Network namespaces on one bridge, which can be cut off from one another while this process
 * reaches all. Needs what {@link #NEEDED} says.
 */
final class Namespaces implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Namespaces.class);

  /** Names the right that this process lacks where {@link #areAllowed} is false. */
  static final String NEEDED =
      "network namespaces need iproute2 and the capabilities CAP_NET_ADMIN and CAP_SYS_ADMIN";

  private static final long CAPABILITIES = 1L << 12 | 1L << 21;

  private static final String MOUNT = "/run/netns";
  private static final String NETWORK = "10.209.77.";

  private final String bridge = "fg" + ProcessHandle.current().pid() % 100_000;

  /** The first namespace of a machine makes a mount, which would stay. */
  private final boolean leavesMount;

  private final Thread atExit = new Thread(this::remove);
  private final Map<String, ChaosFleet.Place> places = new LinkedHashMap<>();

  /** Tells whether this process may create namespaces. */
  static boolean areAllowed() {
    try {
      // Root in a container may lack them.
      long capabilities =
          Files.readAllLines(Path.of("/proc/self/status")).stream()
              .filter(line -> line.startsWith("CapEff:"))
              .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
              .findFirst()
              .orElse(0);
      return (capabilities & CAPABILITIES) == CAPABILITIES
          && new ProcessBuilder("ip", "netns", "list").start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  Namespaces() throws IOException, InterruptedException {
    leavesMount = !isMounted();
    Runtime.getRuntime().addShutdownHook(atExit);
    ip("link", "add", bridge, "type", "bridge");
    ip("addr", "add", NETWORK + "254/24", "dev", bridge);
    ip("link", "set", bridge, "up");
  }

  ChaosFleet.Place add(String name) throws IOException, InterruptedException {
    int number = places.size() + 1;
    String space = bridge + "-" + name;
    String address = NETWORK + number;
    String outside = bridge + "o" + number;
    String inside = bridge + "i" + number;
    ip("netns", "add", space);
    places.put(name, new ChaosFleet.Place(address, List.of("ip", "netns", "exec", space)));
    ip("link", "add", outside, "type", "veth", "peer", "name", inside);
    ip("link", "set", inside, "netns", space);
    ip("link", "set", outside, "master", bridge, "up");
    ip("-n", space, "addr", "add", address + "/24", "dev", inside);
    ip("-n", space, "link", "set", inside, "up");
    ip("-n", space, "link", "set", "lo", "up");
    return places.get(name);
  }

  /** Blocks or unblocks all traffic between two sides. */
  void split(List<String> one, List<String> other, boolean cut)
      throws IOException, InterruptedException {
    for (String here : one) {
      for (String there : other) {
        blackhole(here, there, cut);
        blackhole(there, here, cut);
      }
    }
  }

  private void blackhole(String in, String of, boolean add)
      throws IOException, InterruptedException {
    String address = places.get(of).address() + "/32";
    ip("-n", bridge + "-" + in, "route", add ? "add" : "del", "blackhole", address);
  }

  private static boolean isMounted() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mounts")).stream()
        .anyMatch(line -> line.split(" ")[1].equals(MOUNT));
  }

  private static void ip(String... arguments) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(arguments));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", line) + ": " + output.strip());
    }
  }

  /** Removes as many as exist: creation may have failed half-way. */
  private void remove() {
    for (String name : places.keySet()) {
      tryTo("ip", "netns", "del", bridge + "-" + name);
    }
    // A namespace stays for a moment while a process in it ends, and with it its end of the link.
    for (int number = 1; number <= places.size(); number++) {
      tryTo("ip", "link", "del", bridge + "o" + number);
    }
    tryTo("ip", "link", "del", bridge);
    if (leavesMount) {
      tryTo("umount", MOUNT);
    }
  }

  private static void tryTo(String... line) {
    try {
      new ProcessBuilder(line)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException e) {
      LOG.warn("{} cannot be run: {}", line[0], e.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    remove();
  }
}
