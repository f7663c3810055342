package io.fleetgauge.probe.attribution.runtime;

import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientAgent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A runtime of Kubernetes, by its container runtime interface (CRI): containerd, CRI-O,
 * cri-dockerd. Of its messages these fields are read, others are skipped:
 *
 * <pre>
 *   ListContainersRequest   1 ContainerFilter
 *   ContainerFilter         2 ContainerStateValue (1 state, where 1 is running)
 *   ListContainersResponse  1 Container*
 *   Container               1 id, 2 pod_sandbox_id, 3 ContainerMetadata (1 name, 2 attempt),
 *                           8 label* (1 key, 2 value)
 *   ListPodSandboxRequest   none: pods of all states
 *   ListPodSandboxResponse  1 PodSandbox*
 *   PodSandbox              1 id, 2 PodSandboxMetadata (1 name, 2 uid, 3 namespace)
 * </pre>
 *
 * The kubelet labels containers with their pod, whatever the runtime; the pods themselves are asked
 * for only when a container has no such labels, because something else made it.
 */
final class Cri implements ContainerRuntime {
  private static final List<String> VERSIONS = List.of("/runtime.v1.", "/runtime.v1alpha2.");
  private static final String CONTAINERS = "RuntimeService/ListContainers";
  private static final String SANDBOXES = "RuntimeService/ListPodSandbox";

  /** Asks for what runs. */
  private static final byte[] RUNNING = {0x0a, 0x04, 0x12, 0x02, 0x08, 0x01};

  private static final int MOST_LABELS = 256;
  private static final int FIRST = 1 << 3 | ProtobufFields.BYTES;
  private static final int SECOND = 2 << 3 | ProtobufFields.BYTES;
  private static final int THIRD = 3 << 3 | ProtobufFields.BYTES;
  private static final int ATTEMPT = 2 << 3 | ProtobufFields.VARINT;
  private static final int LABEL = 8 << 3 | ProtobufFields.BYTES;

  private final HttpClientAgent client;
  private final Path socket;
  private final long timeoutMillis;

  /**
   * A container.
   *
   * @param sandbox id of its pod's sandbox
   */
  record Container(
      String id, String sandbox, String name, String attempt, Map<String, String> labels) {
    Optional<ContainerName> name(Map<String, Map<String, String>> sandboxes) {
      Map<String, String> all = new HashMap<>(sandboxes.getOrDefault(sandbox, Map.of()));
      if (!all.isEmpty()) {
        all.put(ContainerName.CONTAINER, name);
      }
      all.putAll(labels);
      return ContainerName.ofCri(name, attempt, all);
    }
  }

  Cri(HttpClientAgent client, Path socket, long timeoutMillis) {
    this.client = client;
    this.socket = socket;
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public Path socket() {
    return socket;
  }

  @Override
  public Future<Listing> list() {
    return GrpcConnection.open(client, socket, timeoutMillis, MOST_BYTES)
        .compose(
            connection ->
                list(connection, VERSIONS.getFirst())
                    .recover(
                        failure ->
                            failure instanceof GrpcFailure of
                                    && of.status() == GrpcFailure.UNIMPLEMENTED
                                ? list(connection, VERSIONS.getLast())
                                : Future.failedFuture(failure))
                    .onComplete(done -> connection.close()));
  }

  private static Future<Listing> list(GrpcConnection connection, String version) {
    Listing listing = new Listing();
    return connection
        .call(version + CONTAINERS, RUNNING, message -> containers(message, listing))
        .compose(
            containers ->
                sandboxes(connection, version, containers, listing)
                    .map(sandboxes -> names(containers, sandboxes, listing)));
  }

  private static Future<Map<String, Map<String, String>>> sandboxes(
      GrpcConnection connection, String version, List<Container> containers, Listing listing) {
    boolean isTold =
        containers.stream()
            .allMatch(
                each -> each.name(Map.of()).filter(name -> !name.pod().isEmpty()).isPresent());
    return isTold
        ? Future.succeededFuture(Map.of())
        : connection.call(version + SANDBOXES, new byte[0], message -> sandboxes(message, listing));
  }

  static Listing names(
      List<Container> containers, Map<String, Map<String, String>> sandboxes, Listing listing) {
    for (Container each : containers) {
      each.name(sandboxes).ifPresent(name -> listing.add(each.id(), name));
    }
    return listing;
  }

  /**
   * The containers of a {@code ListContainersResponse}.
   *
   * @param lost takes those that cannot be read
   */
  static List<Container> containers(byte[] message, Listing lost) throws WireException {
    List<Container> containers = new ArrayList<>();
    entries(message, "a container", lost, (in, end) -> containers.add(container(in, end)));
    return containers;
  }

  /**
   * The pods of a {@code ListPodSandboxResponse} by id, as labels of the kubelet name them.
   *
   * @param lost takes those that cannot be read
   */
  static Map<String, Map<String, String>> sandboxes(byte[] message, Listing lost)
      throws WireException {
    Map<String, Map<String, String>> sandboxes = new HashMap<>();
    entries(message, "a pod", lost, (in, end) -> sandbox(in, end, sandboxes));
    return sandboxes;
  }

  /** Reads one entry of a list. */
  private interface Entry {
    void read(ProtobufFields in, int end) throws WireException;
  }

  /** An entry tells its length, so that one that cannot be read costs no other. */
  private static void entries(byte[] message, String what, Listing lost, Entry entry)
      throws WireException {
    ProtobufFields in = new ProtobufFields(message, message.length);
    int entries = 0;
    while (in.position() < message.length) {
      int tag = tag(in);
      if (tag == FIRST && entries++ < MOST_CONTAINERS) {
        int end = in.end(message.length, what);
        try {
          entry.read(in, end);
        } catch (WireException e) {
          lost.lose(e.getMessage());
          in.moveTo(end);
        }
      } else {
        in.skipField(tag, message.length);
      }
    }
  }

  private static int tag(ProtobufFields in) throws WireException {
    return in.uint(Integer.MAX_VALUE, "the number of a field");
  }

  private static void sandbox(
      ProtobufFields in, int end, Map<String, Map<String, String>> sandboxes) throws WireException {
    String id = "";
    Map<String, String> labels = new HashMap<>();
    while (in.isBefore(end, "a pod")) {
      int tag = tag(in);
      switch (tag) {
        case FIRST -> id = in.string("the id of a pod");
        case SECOND -> {
          int inner = in.end(end, "metadata");
          while (in.isBefore(inner, "metadata")) {
            int of = tag(in);
            switch (of) {
              case FIRST -> labels.put(ContainerName.POD, in.string("the name of a pod"));
              case SECOND -> labels.put(ContainerName.UID, in.string("the UID of a pod"));
              case THIRD -> labels.put(ContainerName.NAMESPACE, in.string("a namespace"));
              default -> in.skipField(of, inner);
            }
          }
        }
        default -> in.skipField(tag, end);
      }
    }
    sandboxes.put(id, labels);
  }

  private static Container container(ProtobufFields in, int end) throws WireException {
    String id = "";
    String sandbox = "";
    String name = "";
    long attempt = 0;
    Map<String, String> labels = new HashMap<>();
    while (in.isBefore(end, "a container")) {
      int tag = tag(in);
      switch (tag) {
        case FIRST -> id = in.string("the id of a container");
        case SECOND -> sandbox = in.string("the id of a pod");
        case THIRD -> {
          int inner = in.end(end, "metadata");
          while (in.isBefore(inner, "metadata")) {
            int of = tag(in);
            if (of == FIRST) {
              name = in.string("the name of a container");
            } else if (of == ATTEMPT) {
              attempt = in.uvar("an attempt");
            } else {
              in.skipField(of, inner);
            }
          }
        }
        case LABEL -> label(in, in.end(end, "a label"), labels);
        default -> in.skipField(tag, end);
      }
    }
    return new Container(id, sandbox, name, Long.toUnsignedString(attempt), labels);
  }

  private static void label(ProtobufFields in, int end, Map<String, String> labels)
      throws WireException {
    String key = "";
    String value = "";
    while (in.isBefore(end, "a label")) {
      int tag = tag(in);
      switch (tag) {
        case FIRST -> key = in.string("the name of a label");
        case SECOND -> value = in.string("the value of a label");
        default -> in.skipField(tag, end);
      }
    }
    if (labels.size() < MOST_LABELS && key.startsWith("io.kubernetes.")) {
      labels.put(key, value);
    }
  }
}
