package io.fleetgauge.probe.attribution.kubelet;

import io.fleetgauge.probe.attribution.kubelet.KubeletFailure.Kind;
import io.fleetgauge.probe.attribution.runtime.GrpcConnection;
import io.fleetgauge.probe.attribution.runtime.GrpcFailure;
import io.vertx.core.Future;
import io.vertx.core.http.HttpClientAgent;
import java.nio.file.Path;
import java.util.Locale;

/** A connection to the kubelet that calls methods of its pod-resources API. */
final class KubeletConnection {
  private static final String SERVICE = "/v1.PodResourcesLister/";
  private static final int UNKNOWN = 2;
  private static final int NOT_FOUND = 5;
  private static final int RESOURCE_EXHAUSTED = 8;

  private final GrpcConnection connection;

  private KubeletConnection(GrpcConnection connection) {
    this.connection = connection;
  }

  /**
   * Connects; the future fails with a {@link KubeletFailure}.
   *
   * @param timeoutMillis how long connecting, and each call, may take
   * @param maxAnswer bytes of one answer
   */
  static Future<KubeletConnection> open(
      HttpClientAgent client, Path socket, long timeoutMillis, int maxAnswer) {
    return GrpcConnection.open(client, socket, timeoutMillis, maxAnswer)
        .map(KubeletConnection::new)
        .recover(failure -> Future.failedFuture(known(failure)));
  }

  /** Calls a method; the future fails with a {@link KubeletFailure}. */
  Future<byte[]> call(String method, byte[] message) {
    return connection
        .call(SERVICE + method, message)
        .recover(failure -> Future.failedFuture(known(failure)));
  }

  void close() {
    connection.close();
  }

  private static KubeletFailure known(Throwable failure) {
    if (!(failure instanceof GrpcFailure known)) {
      return new KubeletFailure(Kind.NO_ANSWER, String.valueOf(failure.getMessage()));
    }
    return switch (known.kind()) {
      case UNREACHABLE -> new KubeletFailure(Kind.UNREACHABLE, known.getMessage());
      case NO_ANSWER -> new KubeletFailure(Kind.NO_ANSWER, known.getMessage());
      case STATUS -> new KubeletFailure(kind(known), known.getMessage());
      case TOO_LARGE ->
          new KubeletFailure(
              Kind.TOO_LARGE, known.getMessage() + ", see attribution.kubelet.maxAnswer");
      case DAMAGED -> new KubeletFailure(Kind.DAMAGED, known.getMessage());
    };
  }

  /** The kubelet reports what is off or absent with the status of unknown errors, and says it. */
  private static Kind kind(GrpcFailure failure) {
    String text = failure.getMessage().toLowerCase(Locale.ROOT);
    return switch (failure.status()) {
      case NOT_FOUND -> Kind.NOT_FOUND;
      case RESOURCE_EXHAUSTED -> Kind.RATE_LIMITED;
      case GrpcFailure.UNIMPLEMENTED -> Kind.UNKNOWN_CALL;
      case UNKNOWN ->
          text.contains("not found")
              ? Kind.NOT_FOUND
              : text.contains("disabled") ? Kind.UNKNOWN_CALL : Kind.REFUSED;
      default -> Kind.REFUSED;
    };
  }
}
