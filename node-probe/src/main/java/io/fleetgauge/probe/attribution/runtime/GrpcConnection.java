package io.fleetgauge.probe.attribution.runtime;

import io.fleetgauge.probe.attribution.runtime.GrpcFailure.Kind;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
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
import java.util.concurrent.TimeUnit;

/**
 * A connection to a Unix socket that calls methods with one message each way: HTTP/2 without TLS,
 * behind five bytes (a flag and the length), and a status in the trailers.
 */
public final class GrpcConnection {
  private static final String STATUS = "grpc-status";
  private static final int PREFIX = 5;
  private static final int OK = 200;

  private final HttpClientConnection connection;
  private final SocketAddress address;
  private final int maxAnswer;
  private final long timeoutMillis;

  private GrpcConnection(
      HttpClientConnection connection, SocketAddress address, int maxAnswer, long timeoutMillis) {
    this.connection = connection;
    this.address = address;
    this.maxAnswer = maxAnswer;
    this.timeoutMillis = timeoutMillis;
  }

  /** A client for connections of this kind; the caller closes it. */
  public static HttpClientAgent client(Vertx vertx) {
    return HttpClients.overUnixSockets(vertx, HttpVersion.HTTP_2, true);
  }

  /**
   * @param timeoutMillis how long connecting, and each call, may take
   * @param maxAnswer bytes of the largest message that is read
   */
  public static Future<GrpcConnection> open(
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
              return new GrpcConnection(connection, address, maxAnswer, timeoutMillis);
            })
        .recover(failure -> Future.failedFuture(GrpcFailure.unreachable(socket, failure)));
  }

  /** Reads a message. */
  public interface Reading<T> {
    T read(byte[] message) throws WireException;
  }

  /**
   * Calls a method; the future fails with a {@link GrpcFailure}.
   *
   * @param method with its service, such as {@code /v1.PodResourcesLister/List}
   */
  public <T> Future<T> call(String method, byte[] message, Reading<T> reading) {
    Buffer frame = Buffer.buffer().appendByte((byte) 0).appendInt(message.length);
    frame.appendBytes(message);
    return connection
        .request(
            new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setServer(address)
                .setHost("localhost")
                .setPort(80)
                .setTimeout(timeoutMillis)
                .setURI(method))
        .compose(
            request -> {
              request.putHeader("content-type", "application/grpc");
              request.putHeader("te", "trailers");
              request.putHeader("user-agent", "fleetgauge-probe");
              // In the task in which the response arrives: later, its body may have gone by.
              return request.send(frame).compose(this::answer);
            })
        .compose(answer -> read(answer, reading))
        .timeout(timeoutMillis, TimeUnit.MILLISECONDS)
        .recover(failure -> Future.failedFuture(of(method, failure)));
  }

  private static <T> Future<T> read(byte[] message, Reading<T> reading) {
    try {
      return Future.succeededFuture(reading.read(message));
    } catch (WireException e) {
      return Future.failedFuture(GrpcFailure.of(Kind.DAMAGED, e.getMessage()));
    }
  }

  public void close() {
    connection.close();
  }

  private Future<byte[]> answer(HttpClientResponse response) {
    Promise<byte[]> answer = Promise.promise();
    Buffer body = Buffer.buffer();
    response.exceptionHandler(answer::tryFail);
    response.handler(
        part -> {
          body.appendBuffer(part);
          long length = body.length() >= PREFIX ? body.getUnsignedInt(1) : 0;
          boolean isTooLarge = length > maxAnswer || body.length() > (long) maxAnswer + PREFIX;
          if (isTooLarge && answer.tryFail(tooLarge(Math.max(length, body.length())))) {
            response.request().reset();
          }
        });
    response.endHandler(
        end -> {
          try {
            answer.tryComplete(message(response, body));
          } catch (GrpcFailure e) {
            answer.tryFail(e);
          }
        });
    return answer.future();
  }

  private GrpcFailure tooLarge(long length) {
    return GrpcFailure.of(
        Kind.TOO_LARGE, "a response of " + length + " bytes is above the limit of " + maxAnswer);
  }

  private static byte[] message(HttpClientResponse response, Buffer body) throws GrpcFailure {
    if (response.statusCode() != OK) {
      throw GrpcFailure.of(Kind.DAMAGED, "the HTTP status is " + response.statusCode());
    }
    boolean inHeaders = response.getHeader(STATUS) != null;
    String status = inHeaders ? response.getHeader(STATUS) : response.getTrailer(STATUS);
    String text =
        inHeaders ? response.getHeader("grpc-message") : response.getTrailer("grpc-message");
    if (status == null || status.isEmpty() || status.length() > 3 || !isNumber(status)) {
      throw GrpcFailure.of(Kind.DAMAGED, "the response ends without a status: " + status);
    }
    int code = Integer.parseInt(status);
    if (code != 0) {
      throw GrpcFailure.ofStatus(code, "the gRPC status is " + code + ": " + text);
    }
    if (body.length() < PREFIX || body.getUnsignedInt(1) != body.length() - PREFIX) {
      throw GrpcFailure.of(
          Kind.DAMAGED,
          "the response is not one complete message: it has "
              + body.length()
              + " bytes with its frame");
    }
    if (body.getByte(0) != 0) {
      throw GrpcFailure.of(Kind.DAMAGED, "the response is compressed, which was not requested");
    }
    return body.getBytes(PREFIX, body.length());
  }

  private static boolean isNumber(String text) {
    return text.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static GrpcFailure of(String method, Throwable failure) {
    return failure instanceof GrpcFailure known
        ? known.in(method)
        : GrpcFailure.of(Kind.NO_ANSWER, method + ": " + failure.getMessage());
  }
}
