package io.fleetgauge.probe.attribution.kubelet;

import io.fleetgauge.probe.attribution.Basis;
import io.fleetgauge.probe.attribution.DeviceIds;
import io.fleetgauge.probe.attribution.OwnerSource;
import io.fleetgauge.probe.attribution.runtime.ContainerNames;
import io.fleetgauge.probe.attribution.runtime.GrpcConnection;
import io.fleetgauge.probe.attribution.runtime.GrpcFailure;
import io.fleetgauge.probe.attribution.runtime.GrpcFailure.Kind;
import io.fleetgauge.probe.config.KubeletSettings;
import io.fleetgauge.probe.gpu.snapshot.GpuIdentity;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.runtime.log.ProblemLog;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which pods have which GPUs. It makes a new connection for each poll, because a kubelet that stops
 * may still answer on an old one.
 */
public final class KubeletSource implements OwnerSource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KubeletSource.class);
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int MOST_ASKED_SINGLY = 16;
  private static final int MOST_RESOURCES = 64;
  private static final String NOBODY = "";
  private static final String SERVICE = "/v1.PodResourcesLister/";

  private final Vertx vertx;
  private final HttpClientAgent client;
  private final KubeletSettings settings;
  private final GpuResources resources;
  private final Supplier<List<GpuIdentity>> gpus;
  private final ContainerNames names;
  private final LongSupplier clock;
  private final long keepMillis;
  private final PollPace pace;
  private final DeviceHolders holders = new DeviceHolders();
  private final HostPods hostPods;
  private final Set<String> knownResources = new TreeSet<>();
  private final AtomicLong errors = new AtomicLong();
  private final AtomicBoolean isPolling = new AtomicBoolean();
  private final ProblemLog oddEntries = new ProblemLog(LOG::warn, LOG::info);
  private volatile boolean isThere;
  private volatile Optional<Answer> answer = Optional.empty();
  private volatile Resolved resolved;
  private volatile String trouble = ""; // kind and status of the failure that was logged last
  private long timer = -1;

  /**
   * The last answer of the kubelet.
   *
   * @param at ms, of the clock
   * @param uids of pods that the node shows
   * @param offered empty when this kubelet does not tell
   * @param known resources that had devices at any time
   */
  private record Answer(
      long at,
      DeviceHolders.Settled pods,
      Map<Pod, String> uids,
      Optional<List<PodResources.Offered>> offered,
      Set<String> known) {}

  /**
   * The meaning of an answer for the GPUs that there are.
   *
   * @param told UIDs that runtimes told
   */
  private record Resolved(
      Answer answer,
      List<GpuIdentity> gpus,
      Map<String, String> told,
      PodClaims claims,
      GpuSupply supply) {}

  /** One poll's answers. */
  private record Heard(
      PodResources.Listed<PodDevice> listed,
      Set<Pod> finished,
      Optional<PodResources.Listed<PodResources.Offered>> offered) {
    List<String> leftOut() {
      List<String> all = new ArrayList<>(listed.leftOut());
      offered.ifPresent(each -> all.addAll(each.leftOut()));
      return all;
    }
  }

  /**
   * @param cgroups where the cgroups of the node are mounted
   * @param gpus the GPUs of the node
   * @param names tell the UIDs of pods, which the kubelet's list does not have
   * @param clock ms that only grow
   */
  public KubeletSource(
      Vertx vertx,
      KubeletSettings settings,
      Path cgroups,
      Supplier<List<GpuIdentity>> gpus,
      ContainerNames names,
      LongSupplier clock) {
    this.vertx = vertx;
    this.settings = settings;
    this.gpus = gpus;
    this.names = names;
    this.clock = clock;
    this.keepMillis = Math.max(settings.keep().toMillis(), 2 * settings.every().toMillis());
    this.resources = GpuResources.of(settings.resources(), settings.drivers());
    this.pace = new PollPace(settings.every());
    this.hostPods = new HostPods(settings.podLogs(), cgroups, PATIENCE);
    this.isThere = hasFolder();
    this.client = GrpcConnection.client(vertx);
  }

  /** Begins to poll. */
  public KubeletSource start() {
    long every = settings.every().toMillis();
    timer = vertx.setPeriodic(Math.min(100, every), every, id -> look());
    return this;
  }

  @Override
  public String name() {
    return "kubelet";
  }

  @Override
  public Basis basis() {
    return Basis.ALLOCATION;
  }

  @Override
  public boolean isThere() {
    return isThere;
  }

  @Override
  public Knowledge newest() {
    Optional<Answer> last = answer;
    OptionalLong age =
        last.map(known -> OptionalLong.of(clock.getAsLong() - known.at))
            .orElse(OptionalLong.empty());
    if (age.isEmpty() || age.getAsLong() > keepMillis) {
      return Knowledge.unknown(age, errors.get());
    }
    Resolved now = resolve(last.get());
    long unresolved = now.claims.unresolved() + now.answer.pods.undecided();
    return new Knowledge(now.claims.claims(), true, age, errors.get(), unresolved);
  }

  private Resolved resolve(Answer last) {
    List<GpuIdentity> there = gpus.get();
    Map<String, String> told = names.podUids();
    Resolved before = resolved;
    if (before != null
        && before.answer == last
        && before.told == told
        && before.gpus.equals(there)) {
      return before;
    }
    List<PodDevice> devices = last.pods.devices();
    Resolved now =
        new Resolved(
            last,
            there,
            told,
            PodClaims.of(
                devices,
                uids(devices, last.uids, told),
                settings.relabelling(),
                new DeviceIds(there)),
            last.offered
                .map(offered -> GpuSupply.of(offered, last.known, devices, there))
                .orElse(GpuSupply.UNKNOWN));
    resolved = now;
    return now;
  }

  /** UIDs of pods. The node shows what is as new as the answer; what runtimes told may be older. */
  private static Map<Pod, String> uids(
      List<PodDevice> devices, Map<Pod, String> seen, Map<String, String> told) {
    Map<Pod, String> uids = new HashMap<>();
    for (PodDevice device : devices) {
      Pod pod = device.pod();
      String uid = seen.getOrDefault(pod, told.getOrDefault(pod.toString(), ""));
      if (!uid.isEmpty()) {
        uids.put(pod, uid);
      }
    }
    return uids;
  }

  @Override
  public void addTo(Readings out, TickClass core) {
    Optional<Answer> last = answer;
    if (last.isEmpty() || clock.getAsLong() - last.get().at > keepMillis) {
      return;
    }
    GpuSupply supply = resolve(last.get()).supply;
    supply
        .byResource()
        .forEach(
            (resource, count) -> {
              Labels labels = Labels.of("resource", resource);
              out.add(core, "gpu_allocatable_devices", labels, count.allocatable());
              out.add(core, "gpu_free_devices", labels, count.free());
            });
    supply
        .withheld()
        .ifPresent(count -> out.add(core, "gpu_unhealthy_devices", Labels.EMPTY, count));
    int finished = last.get().pods.finished().size();
    out.add(core, "gpu_attribution_finished_pods", Labels.EMPTY, finished);
  }

  /** Asks the kubelet, if it is time to and the poll before has ended. */
  Future<Void> look() {
    if (!isPolling.compareAndSet(false, true)) {
      return Future.succeededFuture();
    }
    long now = clock.getAsLong();
    return vertx
        .executeBlocking(this::socket)
        .compose(
            socket ->
                isThere && pace.isDue(now, socket) ? poll(now, socket) : Future.succeededFuture())
        .eventually(
            () -> {
              isPolling.set(false); // before whoever waits for this poll may ask for the next one
              return Future.succeededFuture();
            });
  }

  private boolean hasFolder() {
    Path folder = settings.socket().toAbsolutePath().getParent();
    return folder != null && Files.isDirectory(folder);
  }

  /** An identity that tells a socket from the one before it; empty without one. */
  private String socket() {
    isThere = isThere || hasFolder();
    try {
      BasicFileAttributes file = Files.readAttributes(settings.socket(), BasicFileAttributes.class);
      return file.fileKey() + " " + file.lastModifiedTime();
    } catch (IOException e) {
      return NOBODY;
    }
  }

  private Future<Void> poll(long now, String socket) {
    return ask(socket)
        .compose(heard -> vertx.executeBlocking(() -> digest(heard)))
        .transform(
            result -> {
              if (result.succeeded()) {
                answer = Optional.of(result.result());
                pace.succeeded(now, socket);
                if (!trouble.isEmpty()) {
                  trouble = "";
                  LOG.info("the kubelet responds again at {}", settings.socket());
                }
              } else {
                failed(now, socket, result.cause());
              }
              return Future.succeededFuture();
            });
  }

  private void failed(long now, String socket, Throwable failure) {
    errors.incrementAndGet();
    Kind kind = failure instanceof GrpcFailure known ? known.kind() : Kind.DAMAGED;
    if (kind == Kind.UNREACHABLE) {
      pace.foundNobody(now, socket);
    } else {
      pace.failed(now, socket);
    }
    String found = failure instanceof GrpcFailure known ? kind + " " + known.status() : "" + kind;
    if (!found.equals(trouble)) {
      LOG.warn(
          "owners of GPUs cannot be read from the kubelet at {}: {}{}; the last response is used"
              + " for {} s",
          settings.socket(),
          failure.getMessage(),
          kind == Kind.TOO_LARGE ? ", see attribution.kubelet.maxAnswer" : "",
          TimeUnit.MILLISECONDS.toSeconds(keepMillis));
    }
    trouble = found;
  }

  private Future<Heard> ask(String socket) {
    if (socket.equals(NOBODY)) {
      return Future.failedFuture(
          GrpcFailure.of(
              Kind.UNREACHABLE,
              "there is no socket; is the kubelet running, and its folder mounted? See"
                  + " attribution.kubelet.socket"));
    }
    long millis = settings.timeout().toMillis();
    AtomicBoolean isOver = new AtomicBoolean();
    List<GrpcConnection> open = new ArrayList<>();
    return GrpcConnection.open(client, settings.socket(), millis, settings.maxAnswer())
        .compose(
            connection -> {
              if (isOver.get()) {
                connection.close();
                return Future.failedFuture(new TimeoutException());
              }
              open.add(connection);
              return ask(connection);
            })
        .timeout(millis, TimeUnit.MILLISECONDS)
        .recover(
            failure ->
                Future.failedFuture(
                    failure instanceof TimeoutException
                        ? GrpcFailure.of(
                            Kind.NO_ANSWER,
                            "no response within " + millis + " ms; see attribution.kubelet.timeout")
                        : failure))
        .onComplete(
            done -> {
              isOver.set(true);
              open.forEach(GrpcConnection::close);
            });
  }

  private Future<Heard> ask(GrpcConnection connection) {
    return connection
        .call(SERVICE + "List", new byte[0], message -> PodResources.pods(message, resources))
        .compose(
            listed ->
                offered(connection)
                    .compose(
                        offered ->
                            finished(connection, listed.all())
                                .map(finished -> new Heard(listed, finished, offered))));
  }

  /** Older kubelets do not have the call, or have it switched off. */
  private Future<Optional<PodResources.Listed<PodResources.Offered>>> offered(
      GrpcConnection connection) {
    return connection
        .call(
            SERVICE + "GetAllocatableResources",
            new byte[0],
            message -> PodResources.allocatable(message, resources))
        .map(Optional::of)
        .recover(
            failure ->
                KubeletStatus.isUnknownCall(failure)
                    ? Future.succeededFuture(Optional.empty())
                    : Future.failedFuture(failure));
  }

  /** Asks for each pod that has a device which another pod has too. */
  private Future<Set<Pod>> finished(GrpcConnection connection, List<PodDevice> devices) {
    Set<Pod> finished = new LinkedHashSet<>();
    Future<Void> all = Future.succeededFuture();
    List<Pod> contested = List.copyOf(DeviceHolders.contested(devices));
    for (Pod pod : contested.subList(0, Math.min(MOST_ASKED_SINGLY, contested.size()))) {
      all =
          all.compose(
              before ->
                  isFinished(connection, pod)
                      .map(
                          is -> {
                            if (is) {
                              finished.add(pod);
                            }
                            return null;
                          }));
    }
    return all.map(done -> finished);
  }

  private Future<Boolean> isFinished(GrpcConnection connection, Pod pod) {
    return connection
        .call(
            SERVICE + "Get",
            PodResources.request(pod),
            message -> PodResources.pods(message, resources).all().isEmpty())
        .recover(
            failure ->
                KubeletStatus.isNotFound(failure) || KubeletStatus.isUnknownCall(failure)
                    ? Future.succeededFuture(KubeletStatus.isNotFound(failure))
                    : Future.failedFuture(failure));
  }

  /** On a worker's thread: looks at folders. */
  private Answer digest(Heard heard) {
    long now = clock.getAsLong();
    Set<Pod> finished = new LinkedHashSet<>(heard.finished);
    List<PodDevice> devices = heard.listed.all();
    tellLeftOut(heard.leftOut(), now);
    Set<Pod> holding = devices.stream().map(PodDevice::pod).collect(Collectors.toSet());
    HostPods.Seen seen = hostPods.look(holding, now);
    finished.addAll(seen.finished());
    names.wantUids(
        holding.stream()
            .filter(pod -> !finished.contains(pod) && !seen.uids().containsKey(pod))
            .map(Pod::toString)
            .collect(Collectors.toSet()));
    Optional<List<PodResources.Offered>> offers = heard.offered.map(PodResources.Listed::all);
    offers.ifPresent(
        offered ->
            offered.stream()
                .map(PodResources.Offered::resource)
                .takeWhile(resource -> knownResources.size() < MOST_RESOURCES)
                .forEach(knownResources::add));
    return new Answer(
        now, holders.settle(devices, finished), seen.uids(), offers, Set.copyOf(knownResources));
  }

  private void tellLeftOut(List<String> leftOut, long now) {
    errors.addAndGet(leftOut.size());
    oddEntries.update(
        now,
        leftOut.isEmpty()
            ? Optional.empty()
            : Optional.of(
                "the kubelet lists what is left out, "
                    + leftOut.size()
                    + " of its entries: "
                    + leftOut.getFirst()));
  }

  @Override
  public void close() {
    vertx.cancelTimer(timer);
    try {
      client.close().await(2, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("the connection to the kubelet did not close in time");
    }
  }
}
