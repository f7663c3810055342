package io.fleetgauge.runtime.http;

import io.vertx.core.http.ConnectionPoolTooBusyException;
import java.io.IOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** A request without a whole answer. The message names the URL and says what to do. */
public final class HttpFailure extends IOException {
  private static final long serialVersionUID = 1L;

  /** Kinds of failures. */
  public enum Kind {
    /** No connection, or it broke. */
    UNREACHABLE,
    /** The server's certificate is not accepted, or the server does not accept the client's. */
    UNTRUSTED,
    /** The answer is not whole in time. */
    TIMEOUT,
    /** The answer is longer than the limit. */
    TOO_LONG
  }

  private final Kind kind;
  private final String reason;
  private final int status;

  private HttpFailure(Kind kind, int status, URI target, String reason, Throwable cause) {
    super(shown(target) + ": " + reason, cause);
    this.kind = kind;
    this.status = status;
    this.reason = reason;
  }

  static HttpFailure tooLong(URI target, int status, int limit) {
    return new HttpFailure(
        Kind.TOO_LONG, status, target, "the response is longer than " + limit + " bytes", null);
  }

  /**
   * @param keys that name the files of TLS
   */
  static HttpFailure of(URI target, String keys, long timeoutMillis, Throwable cause) {
    if (cause instanceof HttpFailure known) {
      return known;
    }
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof SSLException) {
        String reason = "TLS failed: " + text(each) + "; see " + keys;
        return new HttpFailure(Kind.UNTRUSTED, 0, target, reason, cause);
      }
      if (each instanceof UnknownHostException) {
        String reason = "the host is not known; correct the address, or see DNS";
        return new HttpFailure(Kind.UNREACHABLE, 0, target, reason, cause);
      }
    }
    if (cause instanceof TimeoutException) {
      String reason = "the response is not complete after " + timeoutMillis + " ms";
      return new HttpFailure(Kind.TIMEOUT, 0, target, reason, cause);
    }
    String reason =
        cause instanceof ConnectionPoolTooBusyException
            ? "too many requests wait for a connection; try again later"
            : text(cause)
                + "; is it running, is the address correct, and do firewalls allow requests?";
    return new HttpFailure(Kind.UNREACHABLE, 0, target, reason, cause);
  }

  private static String text(Throwable cause) {
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }

  /** Without the query, which may be long. */
  private static String shown(URI target) {
    return target.getScheme() + "://" + target.getRawAuthority() + target.getRawPath();
  }

  /** The kind of failure. */
  public Kind kind() {
    return kind;
  }

  /** The message without the URL. */
  public String reason() {
    return reason;
  }

  /** The status of an answer that is too long; else 0. */
  public int status() {
    return status;
  }
}
