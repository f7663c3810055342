package io.fleetgauge.probe.attribution.runtime;

import io.fleetgauge.probe.config.RuntimeSettings;
import io.fleetgauge.runtime.http.HttpClients;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpVersion;
import java.io.FileNotFoundException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of containers, as the runtimes of the node told them last. For any thread; runtimes are
 * asked on the event loop: often while a name is missing, seldom otherwise.
 */
public final class ContainerNames implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerNames.class);
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** While nothing is missing, runtimes are asked once in so many rounds. */
  private static final int SELDOM = 6;

  /** Message of a connection that fails because there is no such runtime. */
  private static final String ABSENT = "No such file";

  private final List<Asked> runtimes = new ArrayList<>();
  private final LongSupplier nanos;
  private volatile Map<String, ContainerName> names = Map.of();
  private volatile Map<String, String> podUids = Map.of();
  private volatile Set<String> wanted = Set.of();
  private volatile Set<String> podsWithoutUid = Set.of();
  private Runnable stop = () -> {};
  private int round;

  /**
   * A runtime as far as it is known.
   *
   * @param socket by which it is asked
   * @param ageMillis time since its last answer; empty before the first
   * @param errors how often it did not answer, and entries of its answers that cannot be read
   */
  public record Status(Path socket, boolean isUp, OptionalLong ageMillis, long errors) {}

  /** A runtime and how it answers. The event loop writes; any thread may look. */
  private static final class Asked {
    final ContainerRuntime runtime;
    volatile boolean isBusy;
    volatile boolean isUp;

    /** True if there ever was a socket. */
    volatile boolean isThere;

    volatile boolean hasAnswered;
    volatile long answeredAt;
    volatile long errors;
    String trouble = ""; // logged last
    Map<String, ContainerName> names = Map.of();

    Asked(ContainerRuntime runtime) {
      this.runtime = runtime;
    }
  }

  /**
   * @param nanos a clock that only moves forward
   */
  ContainerNames(List<ContainerRuntime> runtimes, LongSupplier nanos) {
    runtimes.forEach(each -> this.runtimes.add(new Asked(each)));
    this.nanos = nanos;
  }

  /** Begins to ask the runtimes that are configured; those that are not there are left alone. */
  public static ContainerNames start(Vertx vertx, RuntimeSettings settings) {
    HttpClientAgent http = HttpClients.overUnixSockets(vertx, HttpVersion.HTTP_1_1, false);
    HttpClientAgent grpc = GrpcConnection.client(vertx);
    long timeout = settings.timeout().toMillis();
    List<ContainerRuntime> runtimes = new ArrayList<>();
    settings.docker().forEach(socket -> runtimes.add(new Docker(http, socket, timeout)));
    settings.cri().forEach(socket -> runtimes.add(new Cri(grpc, socket, timeout)));
    ContainerNames names = new ContainerNames(runtimes, System::nanoTime);
    vertx.runOnContext(start -> names.ask());
    long timer = vertx.setPeriodic(settings.every().toMillis(), id -> names.ask());
    names.stop =
        () -> {
          vertx.cancelTimer(timer);
          http.close();
          grpc.close();
        };
    return names;
  }

  /** No names at all. */
  public static ContainerNames none() {
    return of(Map.of());
  }

  /**
   * Names for which no runtime is asked.
   *
   * @param names by the ids of containers; may change
   */
  public static ContainerNames of(Map<String, ContainerName> names) {
    ContainerNames known = new ContainerNames(List.of(), System::nanoTime);
    known.names = names;
    return known;
  }

  /** The name of a container, if a runtime told it. */
  public Optional<ContainerName> of(String id) {
    return Optional.ofNullable(names.get(id));
  }

  /** These containers are of interest now; the names of others may be forgotten. */
  public void want(Set<String> ids) {
    wanted = Set.copyOf(ids);
  }

  /**
   * The UIDs of pods that have running containers, by {@code NAMESPACE/NAME}; those of which there
   * are several are left out. Another object when runtimes were asked again.
   */
  public Map<String, String> podUids() {
    return podUids;
  }

  /**
   * Nobody else tells the UIDs of these pods, {@code NAMESPACE/NAME}. Runtimes are asked for them
   * at each round, because a pod may be made again under its name.
   */
  public void wantUids(Set<String> pods) {
    podsWithoutUid = Set.copyOf(pods);
  }

  /** The runtimes that were ever seen. */
  public List<Status> status() {
    long now = nanos.getAsLong();
    return runtimes.stream()
        .filter(each -> each.isThere)
        .map(
            each ->
                new Status(
                    each.runtime.socket(),
                    each.isUp,
                    each.hasAnswered
                        ? OptionalLong.of((now - each.answeredAt) / NANOS_PER_MILLI)
                        : OptionalLong.empty(),
                    each.errors))
        .toList();
  }

  /** Asks whom it is worth to ask. On the event loop. */
  void ask() {
    boolean isMissing = !podsWithoutUid.isEmpty() || !names.keySet().containsAll(wanted);
    boolean isDue = round++ % SELDOM == 0;
    if (isMissing || isDue) {
      runtimes.forEach(this::ask);
    }
  }

  /** Tells whether a runtime has not answered yet. */
  boolean isAsking() {
    return runtimes.stream().anyMatch(each -> each.isBusy);
  }

  private void ask(Asked of) {
    if (of.isBusy) {
      return;
    }
    of.isBusy = true;
    of.runtime
        .list()
        .onComplete(
            answer -> {
              if (answer.succeeded()) {
                answered(of, answer.result());
              } else {
                failed(of, answer.cause());
              }
              of.isBusy = false;
            });
  }

  private void answered(Asked of, Listing found) {
    if (!of.isUp) {
      LOG.info("the container runtime at {} returns the names of containers", of.runtime.socket());
    }
    of.isUp = true;
    of.isThere = true;
    of.answeredAt = nanos.getAsLong();
    of.hasAnswered = true;
    of.names = found.names();
    of.errors = of.errors + found.lost();
    if (found.lost() > 0 && !found.first().equals(of.trouble)) {
      LOG.warn(
          "the container runtime at {} returns {} entries that cannot be read: {}",
          of.runtime.socket(),
          found.lost(),
          found.first());
    }
    of.trouble = found.first();
    Map<String, ContainerName> all = new HashMap<>();
    for (String id : wanted) {
      of(id).ifPresent(name -> all.put(id, name));
    }
    runtimes.forEach(each -> all.putAll(each.names));
    names = Map.copyOf(all);
    podUids = podUids(all);
  }

  private static Map<String, String> podUids(Map<String, ContainerName> all) {
    Map<String, String> uids = new HashMap<>();
    for (ContainerName each : all.values()) {
      if (!each.podUid().isEmpty()) {
        uids.merge(
            each.namespace() + "/" + each.pod(),
            each.podUid(),
            (one, other) -> one.equals(other) ? one : "");
      }
    }
    uids.values().removeIf(String::isEmpty);
    return Map.copyOf(uids);
  }

  private static void failed(Asked of, Throwable cause) {
    of.isThere |= !isAbsence(cause);
    if (of.isThere) {
      of.errors = of.errors + 1;
      if (of.isUp || of.errors == 1) {
        LOG.warn(
            "the container runtime at {} does not return names: {}; known names stay in use",
            of.runtime.socket(),
            cause.getMessage() == null ? cause.toString() : cause.getMessage());
      }
    }
    of.isUp = false;
  }

  /** Tells whether a failure says that there is no such socket; transports say it differently. */
  private static boolean isAbsence(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof FileNotFoundException || cause.toString().contains(ABSENT)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {
    stop.run();
  }
}
