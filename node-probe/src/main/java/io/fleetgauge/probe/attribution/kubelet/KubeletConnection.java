package io.fleetgauge.probe.attribution.kubelet;

import io.fleetgauge.probe.attribution.kubelet.KubeletFailure.Kind;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * A connection to the kubelet that calls methods of its pod-resources API: gRPC, that is HTTP/2
 * without TLS, one message each way behind five bytes (a flag and the length), and a status in the
 * trailers.
 */
final class KubeletConnection {
  private static final String SERVICE = "/v1.PodResourcesLister/";
  private static final String STATUS = "grpc-status";
  private static final int PREFIX = 5;
  private static final int OK = 200;

  private final HttpClientConnection connection;
  private final SocketAddress address;
  private final int maxAnswer;

  private KubeletConnection(HttpClientConnection connection, SocketAddress address, int maxAnswer) {
    this.connection = connection;
    this.address = address;
    this.maxAnswer = maxAnswer;
  }

  /**
   * @param maxAnswer bytes of the largest message that is read
   */
  static Future<KubeletConnection> open(
      HttpClientAgent client, Path socket, long timeoutMillis, int maxAnswer) {
    SocketAddress address = SocketAddress.domainSocketAddress(socket.toString());
    return client
        .connect(
            new HttpConnectOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setServer(address)
                .setHost("localhost")
                .setPort(80)
                .setSsl(false)
                .setConnectTimeout(timeoutMillis))
        .map(
            connection -> {
              connection.exceptionHandler(failure -> {}); // the calls fail with it
              return new KubeletConnection(connection, address, maxAnswer);
            })
        .recover(
            failure ->
                Future.failedFuture(
                    new KubeletFailure(
                        Kind.UNREACHABLE, "cannot connect: " + failure.getMessage())));
  }

  /** Calls a method; the future fails with a {@link KubeletFailure}. */
  Future<byte[]> call(String method, byte[] message) {
    Buffer frame = Buffer.buffer().appendByte((byte) 0).appendInt(message.length);
    frame.appendBytes(message);
    return connection
        .request(
            new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setServer(address)
                .setHost("localhost")
                .setPort(80)
                .setURI(SERVICE + method))
        .compose(
            request -> {
              request.putHeader("content-type", "application/grpc");
              request.putHeader("te", "trailers");
              request.putHeader("user-agent", "fleetgauge-probe");
              return request.send(frame);
            })
        .compose(this::answer)
        .recover(failure -> Future.failedFuture(of(method, failure)));
  }

  void close() {
    connection.close();
  }

  private Future<byte[]> answer(HttpClientResponse response) {
    Promise<byte[]> answer = Promise.promise();
    Buffer body = Buffer.buffer();
    response.exceptionHandler(answer::tryFail);
    response.handler(
        part -> {
          body.appendBuffer(part);
          if (excess(body).isPresent() && answer.tryFail(excess(body).get())) {
            response.request().reset();
          }
        });
    response.endHandler(
        end -> {
          try {
            answer.tryComplete(message(response, body));
          } catch (KubeletFailure e) {
            answer.tryFail(e);
          }
        });
    return answer.future();
  }

  private Optional<KubeletFailure> excess(Buffer body) {
    boolean says = body.length() >= PREFIX;
    long length = says ? body.getUnsignedInt(1) : 0;
    return length > maxAnswer || body.length() > (long) maxAnswer + PREFIX
        ? Optional.of(
            new KubeletFailure(
                Kind.TOO_LARGE,
                "an answer of "
                    + Math.max(length, body.length())
                    + " bytes is above "
                    + maxAnswer
                    + ", see attribution.kubelet.maxAnswer"))
        : Optional.empty();
  }

  private static byte[] message(HttpClientResponse response, Buffer body) throws KubeletFailure {
    if (response.statusCode() != OK) {
      throw new KubeletFailure(
          Kind.REFUSED, "the kubelet answers with HTTP status " + response.statusCode());
    }
    boolean inHeaders = response.getHeader(STATUS) != null;
    String status = inHeaders ? response.getHeader(STATUS) : response.getTrailer(STATUS);
    String text =
        inHeaders ? response.getHeader("grpc-message") : response.getTrailer("grpc-message");
    if (status == null) {
      throw new KubeletFailure(Kind.DAMAGED, "the answer ends without a status");
    }
    if (!status.equals("0")) {
      throw new KubeletFailure(
          kind(status, text == null ? "" : text.toLowerCase(Locale.ROOT)),
          "the kubelet answers with gRPC status " + status + ": " + text);
    }
    if (body.length() < PREFIX || body.getUnsignedInt(1) != body.length() - PREFIX) {
      throw new KubeletFailure(
          Kind.DAMAGED,
          "the answer is not one whole message: it has " + body.length() + " bytes with its frame");
    }
    if (body.getByte(0) != 0) {
      throw new KubeletFailure(Kind.DAMAGED, "the answer is compressed, which was not asked for");
    }
    return body.getBytes(PREFIX, body.length());
  }

  /** The kubelet reports what is off or absent with the status of unknown errors, and says it. */
  private static Kind kind(String status, String text) {
    return switch (status) {
      case "5" -> Kind.NOT_FOUND;
      case "8" -> Kind.RATE_LIMITED;
      case "12" -> Kind.UNKNOWN_CALL;
      case "2" ->
          text.contains("not found")
              ? Kind.NOT_FOUND
              : text.contains("disabled") ? Kind.UNKNOWN_CALL : Kind.REFUSED;
      default -> Kind.REFUSED;
    };
  }

  private static KubeletFailure of(String method, Throwable failure) {
    return failure instanceof KubeletFailure known
        ? new KubeletFailure(known.kind(), method + ": " + known.getMessage())
        : new KubeletFailure(Kind.NO_ANSWER, method + ": " + failure.getMessage());
  }
}
