package io.fleetgauge.probe.attribution.runtime;

import io.fleetgauge.probe.attribution.grpc.GrpcConnection;
import io.fleetgauge.probe.attribution.grpc.GrpcFailure;
import io.fleetgauge.sample.wire.ProtobufFields;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientAgent;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * A runtime of Kubernetes, by its container runtime interface (CRI): containerd, CRI-O,
 * cri-dockerd. Of its messages these fields are read, others are skipped:
 *
 * <pre>
 *   ListContainersRequest   1 ContainerFilter
 *   ContainerFilter         2 ContainerStateValue (1 state, where 1 is running)
 *   ListContainersResponse  1 Container*
 *   Container               1 id, 3 ContainerMetadata (1 name, 2 attempt), 8 label* (1 key, 2 value)
 * </pre>
 */
final class Cri implements ContainerRuntime {
  private static final String METHOD = "RuntimeService/ListContainers";

  /** Asks for what runs. */
  private static final byte[] RUNNING = {0x0a, 0x04, 0x12, 0x02, 0x08, 0x01};

  private static final int MOST_LABELS = 256;
  private static final int FIRST = 1 << 3 | ProtobufFields.BYTES;
  private static final int SECOND = 2 << 3 | ProtobufFields.BYTES;
  private static final int ATTEMPT = 2 << 3 | ProtobufFields.VARINT;
  private static final int METADATA = 3 << 3 | ProtobufFields.BYTES;
  private static final int LABEL = 8 << 3 | ProtobufFields.BYTES;

  private final HttpClientAgent client;
  private final Path socket;
  private final long timeoutMillis;

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
  public Future<Map<String, ContainerName>> list() {
    return GrpcConnection.open(client, socket, timeoutMillis, MOST_BYTES)
        .compose(
            connection ->
                connection
                    .call("/runtime.v1." + METHOD, RUNNING)
                    .recover(
                        failure ->
                            failure instanceof GrpcFailure of
                                    && of.status() == GrpcFailure.UNIMPLEMENTED
                                ? connection.call("/runtime.v1alpha2." + METHOD, RUNNING)
                                : Future.failedFuture(failure))
                    .onComplete(done -> connection.close()))
        .compose(
            message -> {
              try {
                return Future.succeededFuture(read(message));
              } catch (WireException e) {
                return Future.failedFuture(
                    "the answer is no list of containers: " + e.getMessage());
              }
            });
  }

  static Map<String, ContainerName> read(byte[] message) throws WireException {
    ProtobufFields in = new ProtobufFields(message, message.length);
    Map<String, ContainerName> names = new HashMap<>();
    while (in.position() < message.length) {
      int tag = tag(in);
      if (tag == FIRST && names.size() < MOST_CONTAINERS) {
        container(in, in.end(message.length, "a container"), names);
      } else {
        in.skipField(tag, message.length);
      }
    }
    return names;
  }

  private static int tag(ProtobufFields in) throws WireException {
    return in.uint(Integer.MAX_VALUE, "the number of a field");
  }

  private static void container(ProtobufFields in, int end, Map<String, ContainerName> names)
      throws WireException {
    String id = "";
    String name = "";
    long attempt = 0;
    Map<String, String> labels = new HashMap<>();
    while (in.position() < end) {
      int tag = tag(in);
      switch (tag) {
        case FIRST -> id = in.string("the id of a container");
        case METADATA -> {
          int inner = in.end(end, "metadata");
          while (in.position() < inner) {
            int of = tag(in);
            if (of == FIRST) {
              name = in.string("the name of a container");
            } else if (of == ATTEMPT) {
              attempt = in.uvar("an attempt");
            } else {
              in.skipField(of, inner);
            }
          }
          ProtobufFields.require(in.position() == inner, "metadata", in.position());
        }
        case LABEL -> label(in, in.end(end, "a label"), labels);
        default -> in.skipField(tag, end);
      }
    }
    ProtobufFields.require(in.position() == end, "a container", in.position());
    String ofId = id;
    ContainerName.ofCri(name, Long.toUnsignedString(attempt), labels)
        .ifPresent(known -> names.put(ofId, known));
  }

  private static void label(ProtobufFields in, int end, Map<String, String> labels)
      throws WireException {
    String key = "";
    String value = "";
    while (in.position() < end) {
      int tag = tag(in);
      switch (tag) {
        case FIRST -> key = in.string("the name of a label");
        case SECOND -> value = in.string("the value of a label");
        default -> in.skipField(tag, end);
      }
    }
    ProtobufFields.require(in.position() == end, "a label", in.position());
    if (labels.size() < MOST_LABELS && key.startsWith("io.kubernetes.")) {
      labels.put(key, value);
    }
  }
}
