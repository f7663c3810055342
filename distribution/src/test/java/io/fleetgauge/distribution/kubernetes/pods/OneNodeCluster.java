package io.fleetgauge.distribution.kubernetes.pods;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fleetgauge.distribution.image.Podman;
import io.fleetgauge.distribution.kubernetes.Manifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the objects of Kubernetes on this machine with Podman: Pods of workloads, Services, names in
 * DNS, and updates in the order that Kubernetes keeps. Network policies are not enforced.
 */
final class OneNodeCluster {
  /** Kinds without an effect on the only node, or on Pods that nobody evicts. */
  private static final Set<String> WITHOUT_EFFECT =
      Set.of(
          "ConfigMap",
          "HorizontalPodAutoscaler",
          "NetworkPolicy",
          "PodDisruptionBudget",
          "Secret",
          "ServiceAccount");

  private static final Duration SOON = Duration.ofMinutes(10);
  private static final String DOMAIN = ".fleetgauge.svc.cluster.local";
  private static final String NODE = "node-1";

  private final Path folder;
  private final Podman podman;
  private final Map<String, String> images;
  private final PodNetwork network;
  private final ClusterDns dns;
  private final PodTemplate.Node node;
  private final Map<String, Service> services = new TreeMap<>();
  private final Map<String, RunningPod> pods = new TreeMap<>();
  private final Map<String, String> spaces = new ConcurrentHashMap<>();
  private final List<String> exits = new CopyOnWriteArrayList<>();
  private final List<String> faults = new CopyOnWriteArrayList<>();
  private volatile Manifests manifests = new Manifests(List.of());
  private final AtomicInteger started = new AtomicInteger();

  /** A Service of the manifests, with its address in the cluster if it has one. */
  private record Service(JsonNode spec, String address, List<ServiceAddress> ports) {}

  /**
   * @param images names that Podman knows images by, by those in manifests
   * @param runtimeClasses options of Podman by the name of the RuntimeClass
   */
  OneNodeCluster(
      Path folder,
      Podman podman,
      Map<String, String> images,
      Map<String, List<String>> runtimeClasses)
      throws IOException, InterruptedException {
    this.folder = folder;
    this.podman = podman;
    this.images = images;
    network = new PodNetwork();
    ClusterDns started = null;
    try {
      started = new ClusterDns(folder, PodNetwork.HERE);
      String address = network.add(NODE);
      node =
          new PodTemplate.Node(
              NODE, address, folder.resolve("node"), runtimeClasses, PodNetwork.HERE);
    } catch (IOException | InterruptedException e) {
      if (started != null) {
        started.close();
      }
      network.close();
      throw e;
    }
    dns = started;
  }

  /** Creates objects, and starts all Pods at once. */
  void create(Manifests objects) throws IOException, InterruptedException {
    manifests = objects;
    for (ObjectNode each : objects.objects()) {
      switch (Manifests.kind(each)) {
        case "Service" -> addService(each);
        case "StatefulSet", "Deployment", "DaemonSet" -> checkWorkload(each);
        default -> {
          if (!WITHOUT_EFFECT.contains(Manifests.kind(each))) {
            throw new IllegalArgumentException(Manifests.kind(each) + " is not translated");
          }
        }
      }
    }
    for (ObjectNode each : workloads()) {
      for (String pod : podNames(each)) {
        start(each, pod);
      }
    }
  }

  private List<ObjectNode> workloads() {
    return manifests.objects().stream()
        .filter(each -> each.path("spec").path("template").has("spec"))
        .toList();
  }

  private void addService(ObjectNode object) throws IOException, InterruptedException {
    String name = Manifests.name(object);
    Fields spec = new Fields("Service " + name, object.path("spec"));
    spec.only("type", "ClusterIP");
    spec.only("clusterIP", "None");
    spec.ignore("selector", "publishNotReadyAddresses");
    List<ServiceAddress> ports = new ArrayList<>();
    String address = spec.has("clusterIP") ? "" : network.addService();
    services.put(name, new Service(object.path("spec"), address, ports));
    for (Fields each : spec.list("ports")) {
      each.ignore("name");
      each.only("protocol", "TCP");
      int port = each.number("port", 0);
      String target = each.text("targetPort");
      if (!address.isEmpty()) {
        ports.add(new ServiceAddress(address, port, () -> ready(name, target)));
      }
    }
    spec.end();
  }

  private static void checkWorkload(ObjectNode object) {
    String kind = Manifests.kind(object);
    Fields spec = new Fields(kind + " " + Manifests.name(object), object.path("spec"));
    spec.ignore("selector", "template", "replicas");
    switch (kind) {
      case "StatefulSet" -> {
        spec.ignore("serviceName", "persistentVolumeClaimRetentionPolicy");
        spec.only("podManagementPolicy", "Parallel");
        spec.map("updateStrategy").only("type", "RollingUpdate");
        for (Fields each : spec.list("volumeClaimTemplates")) {
          each.ignore("metadata", "spec"); // a folder, which has the room of the disk
        }
      }
      case "Deployment" -> {
        Fields strategy = spec.map("strategy");
        strategy.only("type", "RollingUpdate");
        Fields update = strategy.map("rollingUpdate");
        update.only("maxUnavailable", "0");
        update.only("maxSurge", "1");
      }
      default -> {
        Fields strategy = spec.map("updateStrategy");
        strategy.only("type", "RollingUpdate");
        // There is one node, so there is one Pod to replace.
        strategy.map("rollingUpdate").ignore("maxUnavailable");
      }
    }
    spec.end();
  }

  private List<String> podNames(JsonNode workload) {
    List<String> names = new ArrayList<>();
    String name = Manifests.name(workload);
    switch (Manifests.kind(workload)) {
      case "StatefulSet" -> {
        for (int i = 0; i < workload.at("/spec/replicas").asInt(1); i++) {
          names.add(name + "-" + i);
        }
      }
      case "Deployment" -> {
        for (int i = 0; i < workload.at("/spec/replicas").asInt(1); i++) {
          names.add(name + "-" + (started.get() + i));
        }
      }
      default -> names.add(name + "-" + started.get());
    }
    return names;
  }

  private void start(ObjectNode workload, String name) throws IOException, InterruptedException {
    JsonNode template = workload.at("/spec/template");
    int number = started.getAndIncrement();
    String container = name + "." + number;
    boolean host = PodTemplate.isOnHostNetwork(template);
    String space = host ? NODE : container;
    String address = host ? node.address() : network.add(container);
    Map<String, Path> claims = new HashMap<>();
    for (JsonNode each : workload.at("/spec/volumeClaimTemplates")) {
      String claim = Manifests.name(each);
      claims.put(claim, folder.resolve("claims").resolve(claim + "-" + name));
    }
    PodTemplate read =
        PodTemplate.of(
            template,
            new PodTemplate.Place(
                name, address, node, manifests, folder.resolve("pods/" + container), claims));
    String image = images.get(read.image());
    if (image == null) {
      throw new IOException(name + ": there is no image " + read.image());
    }
    RunningPod pod = new RunningPod(name, container, address, read, podman, this::answerNames);
    synchronized (this) {
      pods.put(name, pod);
    }
    spaces.put(name, host ? "" : container);
    answerNames();
    pod.start(image, network.option(space));
  }

  /** Tells the name server which Pods there are. */
  private synchronized void answerNames() {
    List<String> names = new ArrayList<>();
    services.forEach(
        (name, service) -> {
          if (!service.address().isEmpty()) {
            names.add(service.address() + " " + name + DOMAIN);
            return;
          }
          boolean all = service.spec().path("publishNotReadyAddresses").asBoolean();
          for (RunningPod pod : pods.values()) {
            if (isSelected(service, pod) && (all || pod.isServed())) {
              names.add(pod.address() + " " + name + DOMAIN);
              if (isHostOf(name, pod)) {
                names.add(pod.address() + " " + pod.name() + "." + name + DOMAIN);
              }
            }
          }
        });
    try {
      dns.answer(names);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Tells whether a Pod has a name in a Service: those of the StatefulSet that it governs. */
  private boolean isHostOf(String service, RunningPod pod) {
    return manifests
        .ofKind("StatefulSet")
        .anyMatch(
            each ->
                each.at("/spec/serviceName").asText().equals(service)
                    && podNames(each).contains(pod.name()));
  }

  private static boolean isSelected(Service service, RunningPod pod) {
    return service.spec().path("selector").properties().stream()
        .allMatch(each -> each.getValue().asText().equals(pod.labels().get(each.getKey())));
  }

  private synchronized List<InetSocketAddress> ready(String service, String target) {
    return pods.values().stream()
        .filter(pod -> pod.isServed() && isSelected(services.get(service), pod))
        .map(pod -> new InetSocketAddress(pod.address(), pod.port(target)))
        .toList();
  }

  /** Waits until the kubelet finds all Pods ready. */
  void awaitReady() {
    workloads().forEach(each -> awaitReady(Manifests.name(each)));
  }

  private void awaitReady(String workload) {
    await("Pods of " + workload + " that are ready")
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(500))
        .until(() -> unready(workload), List::isEmpty);
  }

  private List<String> unready(String workload) throws IOException, InterruptedException {
    List<RunningPod> unready = podsOf(workload).stream().filter(each -> !each.isReady()).toList();
    for (RunningPod each : unready) {
      if (!each.isRunning()) {
        throw new IllegalStateException("the container of " + each.name() + " has ended");
      }
    }
    return unready.stream().map(RunningPod::name).toList();
  }

  /** The address of a Service's port, as others in the cluster reach it. */
  String serviceUrl(String name) {
    Service service = services.get(name);
    return "http://" + service.address() + ":" + service.spec().at("/ports/0/port").asInt();
  }

  synchronized RunningPod pod(String name) {
    return pods.get(name);
  }

  synchronized List<RunningPod> podsOf(String workload) {
    return pods.values().stream().filter(each -> each.name().matches(workload + "-\\d+")).toList();
  }

  /** Kills the container of a Pod. */
  void kill(String name) throws IOException, InterruptedException {
    exits.add(name + " " + pod(name).kill());
  }

  /** Starts a Pod of a StatefulSet again that was lost: elsewhere, with its volumes. */
  void replace(String name) throws IOException, InterruptedException {
    delete(name);
    for (ObjectNode each : workloads()) {
      if (podNames(each).contains(name)) {
        start(each, name);
      }
    }
  }

  private void delete(String name) throws IOException, InterruptedException {
    RunningPod pod = pod(name);
    faults.add(pod.fault());
    pod.remove(folder.resolve("ended-" + name + "-" + exits.size() + ".log"));
    synchronized (this) {
      pods.remove(name);
    }
    answerNames();
    String space = spaces.remove(name);
    if (!space.isEmpty()) {
      network.remove(space);
    }
  }

  /** Deletes a Pod as Kubernetes does. */
  void stop(String name) throws IOException, InterruptedException {
    exits.add(name + " " + pod(name).stop());
    delete(name);
  }

  /**
   * Replaces Pods whose template is another, all workloads at the same time, as the controllers of
   * Kubernetes do.
   */
  void update(Manifests objects) throws IOException, InterruptedException {
    Map<String, JsonNode> before = manifests.podTemplates();
    manifests = objects;
    List<Callable<Void>> updates = new ArrayList<>();
    for (ObjectNode each : workloads()) {
      if (!each.at("/spec/template").equals(before.get(Manifests.name(each)))) {
        updates.add(() -> update(each));
      }
    }
    try (ExecutorService controllers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Future<Void> each : controllers.invokeAll(updates)) {
        each.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("the update failed", e.getCause());
    }
  }

  private Void update(ObjectNode workload) throws IOException, InterruptedException {
    String name = Manifests.name(workload);
    List<String> old = podsOf(name).stream().map(RunningPod::name).toList();
    switch (Manifests.kind(workload)) {
      case "StatefulSet" -> {
        for (String each : old.reversed()) {
          stop(each);
          start(workload, each);
          awaitReady(name);
        }
      }
      case "Deployment" -> {
        for (String each : old) {
          start(workload, podNames(workload).getFirst());
          awaitReady(name);
          stop(each);
        }
      }
      default ->
          throw new IllegalArgumentException(
              "the update of a " + Manifests.kind(workload) + " is not translated");
    }
    return null;
  }

  /** Logs of containers that have ended and were removed. */
  String logsOfEnded() throws IOException {
    StringBuilder all = new StringBuilder();
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(folder, "ended-*.log")) {
      for (Path each : logs) {
        all.append("== ").append(each.getFileName()).append('\n').append(Files.readString(each));
      }
    }
    return all.toString();
  }

  /** Pods of a workload that ended, in their order, with their exit codes. */
  List<String> exits(String workload) {
    return exits.stream().filter(each -> each.matches(workload + "-\\d+ \\d+")).toList();
  }

  /** Why the kubelet would have restarted containers. */
  List<String> faults() {
    List<String> all = new ArrayList<>(faults);
    synchronized (this) {
      pods.values().forEach(each -> all.add(each.fault()));
    }
    return all.stream().filter(each -> !each.isEmpty()).toList();
  }

  /** Removes all containers, networks and the name server. */
  void remove() throws IOException, InterruptedException {
    try {
      synchronized (this) {
        pods.values().forEach(RunningPod::forget);
      }
      podman.removeContainers();
      for (Service each : services.values()) {
        for (ServiceAddress port : each.ports()) {
          port.close();
        }
      }
    } finally {
      dns.close();
      network.close();
    }
  }
}
