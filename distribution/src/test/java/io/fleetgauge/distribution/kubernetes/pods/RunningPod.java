package io.fleetgauge.distribution.kubernetes.pods;

import io.fleetgauge.distribution.image.Podman;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** A Pod whose container runs, watched and stopped as the kubelet does. */
final class RunningPod {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final String name;
  private final String container;
  private final String address;
  private final PodTemplate template;
  private final Podman podman;
  private final Runnable changed;
  private final ScheduledExecutorService checks =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().factory());
  private boolean ready;
  private boolean terminating;
  private int failures;
  private String fault = "";

  /**
   * @param container name of the container, which no other has
   * @param changed called when the Pod becomes ready, and when it is no longer
   */
  RunningPod(
      String name,
      String container,
      String address,
      PodTemplate template,
      Podman podman,
      Runnable changed) {
    this.name = name;
    this.container = container;
    this.address = address;
    this.template = template;
    this.podman = podman;
    this.changed = changed;
  }

  void start(String image, String network) throws IOException, InterruptedException {
    podman.start(
        container,
        Stream.concat(template.options().stream(), Stream.of(network)).toList(),
        image,
        template.arguments().toArray(String[]::new));
    awaitStart(0);
  }

  /** The other checks begin when that of the start succeeds. */
  private void awaitStart(int failed) {
    PodTemplate.Check check = template.startup();
    if (check.path().isEmpty() || succeeds(check)) {
      schedule(template.liveness(), this::checkLiveness);
      schedule(template.readiness(), this::checkReadiness);
    } else if (failed + 1 >= check.failures()) {
      restartNeeded("startupProbe");
    } else {
      checks.schedule(
          () -> awaitStart(failed + 1), check.period().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void schedule(PodTemplate.Check check, Runnable run) {
    if (!check.path().isEmpty()) {
      checks.scheduleWithFixedDelay(run, 0, check.period().toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void checkLiveness() {
    PodTemplate.Check check = template.liveness();
    boolean succeeds = succeeds(check);
    synchronized (this) {
      failures = succeeds ? 0 : failures + 1;
      if (failures < check.failures()) {
        return;
      }
    }
    restartNeeded("livenessProbe");
  }

  private int unready;

  private void checkReadiness() {
    PodTemplate.Check check = template.readiness();
    unready = succeeds(check) ? 0 : unready + 1;
    if (unready == 0) {
      set(true);
    } else if (unready >= check.failures()) {
      set(false);
    }
  }

  private boolean succeeds(PodTemplate.Check check) {
    URI uri = URI.create("http://" + address + ":" + check.port() + check.path());
    try {
      HttpRequest request = HttpRequest.newBuilder(uri).timeout(check.timeout()).build();
      int status = HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
      return status >= 200 && status < 400;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private synchronized void restartNeeded(String check) {
    if (!terminating) {
      fault = name + " would be restarted: its " + check + " fails";
    }
  }

  private void set(boolean now) {
    synchronized (this) {
      if (ready == now) {
        return;
      }
      ready = now;
    }
    changed.run();
  }

  String name() {
    return name;
  }

  String address() {
    return address;
  }

  Map<String, String> labels() {
    return template.labels();
  }

  int port(String target) {
    return template.ports().get(target);
  }

  /** Tells whether Services send to it. */
  synchronized boolean isServed() {
    return ready && !terminating;
  }

  synchronized boolean isReady() {
    return ready;
  }

  boolean isRunning() throws IOException, InterruptedException {
    return podman.inspect(container, "{{.State.Running}}").equals("true");
  }

  /** Why the kubelet would restart the container; empty if it would not. */
  synchronized String fault() {
    return fault;
  }

  /** Kills the container; answers its exit code. */
  int kill() throws IOException, InterruptedException {
    synchronized (this) {
      terminating = true;
    }
    podman.run("kill", "-s", "KILL", container);
    podman.run("wait", container);
    set(false);
    return exitCode();
  }

  /** Does what stands before SIGTERM, sends it, and SIGKILL when its time is over. */
  int stop() throws IOException, InterruptedException {
    synchronized (this) {
      terminating = true;
    }
    changed.run();
    long begun = System.nanoTime();
    long end = begun + template.preStop().toNanos();
    for (long left = end - begun; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    Duration left = template.grace().minus(template.preStop());
    podman.run("stop", "-t", "" + left.toSeconds(), container);
    return exitCode();
  }

  private int exitCode() throws IOException, InterruptedException {
    String[] state =
        podman.inspect(container, "{{.State.ExitCode}} {{.State.OOMKilled}}").split(" ");
    if (state[1].equals("true")) {
      throw new IOException(name + " has taken more memory than its limit");
    }
    return Integer.parseInt(state[0]);
  }

  /**
   * Removes the container that has ended, and keeps what it logged. A volume that is too large is
   * an error.
   */
  void remove(Path log) throws IOException, InterruptedException {
    checks.shutdownNow();
    Files.writeString(log, podman.logs(container));
    podman.remove(container);
    for (Map.Entry<Path, Long> each : template.volumeLimits().entrySet()) {
      long size = size(each.getKey());
      if (size > each.getValue()) {
        throw new IOException(
            "%s would be evicted: %s has %d bytes, more than %d"
                .formatted(name, each.getKey().getFileName(), size, each.getValue()));
      }
    }
  }

  private static long size(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  /** Ends what watches the container. */
  void forget() {
    checks.shutdownNow();
  }
}
