package io.fleetgauge.distribution.kubernetes.pods;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A network for Pods: each has a namespace with an address of its own, which no other Pod gets
 * after it. This process is on the network too.
 */
final class PodNetwork implements AutoCloseable {
  private static final String NETWORK = "10.209.78.";

  /** Where this process, and so the cluster's name server, is reached. */
  static final String HERE = NETWORK + "254";

  private static final int FIRST_SERVICE = 200;

  private final String bridge = "fp" + ProcessHandle.current().pid() % 100_000;
  private final Map<String, String> spaces = new LinkedHashMap<>();
  private final Thread atExit = new Thread(this::remove);
  private int pods;
  private int services;

  /** Why there can be none; empty if there can. */
  static String hindrance() {
    try {
      command(List.of("ip", "link", "show", "type", "bridge"));
      command(List.of("unshare", "--net", "true"));
      return "";
    } catch (IOException | InterruptedException e) {
      return "network namespaces cannot be made: " + e.getMessage();
    }
  }

  PodNetwork() throws IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(atExit);
    ip("link", "add", bridge, "type", "bridge");
    ip("addr", "add", HERE + "/24", "dev", bridge);
    ip("link", "set", bridge, "up");
  }

  /** Makes a namespace; answers its address. */
  synchronized String add(String name) throws IOException, InterruptedException {
    if (++pods >= FIRST_SERVICE) {
      throw new IOException("the network has no address left");
    }
    String address = NETWORK + pods;
    String space = bridge + "-" + name;
    String outside = bridge + "o" + pods;
    String inside = bridge + "i" + pods;
    ip("netns", "add", space);
    spaces.put(space, outside);
    ip("link", "add", outside, "type", "veth", "peer", "name", inside, "netns", space);
    ip("link", "set", outside, "master", bridge, "up");
    ip("-n", space, "addr", "add", address + "/24", "dev", inside);
    ip("-n", space, "link", "set", inside, "up");
    ip("-n", space, "link", "set", "lo", "up");
    return address;
  }

  /** Option of Podman with which a container is in a namespace. */
  String option(String name) {
    return "--network=ns:/run/netns/" + bridge + "-" + name;
  }

  /** Makes an address of this process, for a Service. */
  synchronized String addService() throws IOException, InterruptedException {
    String address = NETWORK + (FIRST_SERVICE + services++);
    ip("addr", "add", address + "/32", "dev", bridge);
    return address;
  }

  synchronized void remove(String name) throws IOException, InterruptedException {
    String space = bridge + "-" + name;
    ip("link", "del", spaces.get(space));
    ip("netns", "del", space);
    spaces.remove(space);
  }

  private static void ip(String... arguments) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(List.of("ip"));
    line.addAll(List.of(arguments));
    command(line);
  }

  private static void command(List<String> line) throws IOException, InterruptedException {
    Path output = Files.createTempFile("pod-network", "");
    try {
      Process process =
          new ProcessBuilder(line)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      if (process.exitValue() != 0) {
        throw new IOException(String.join(" ", line) + ": " + Files.readString(output).strip());
      }
    } finally {
      Files.delete(output);
    }
  }

  /** Removes as many as exist: creation may have failed half-way. */
  private synchronized void remove() {
    spaces.forEach(
        (space, outside) -> {
          tryTo("ip", "link", "del", outside);
          tryTo("ip", "netns", "del", space);
        });
    spaces.clear();
    tryTo("ip", "link", "del", bridge);
  }

  private static void tryTo(String... line) {
    try {
      command(List.of(line));
    } catch (IOException e) {
      System.err.println(e.getMessage());
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
