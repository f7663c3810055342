package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.http.ClientTls;
import io.fleetgauge.runtime.http.Credentials;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.HttpFailure;
import io.fleetgauge.runtime.http.HttpListener;
import io.fleetgauge.runtime.http.SecretFile;
import io.fleetgauge.runtime.http.WebRequests;
import io.fleetgauge.runtime.process.EventLoops;
import io.fleetgauge.runtime.process.StartFailure;
import io.fleetgauge.runtime.trust.ClusterKey;
import io.fleetgauge.runtime.trust.RequestSigner;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.net.URI;
import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Requests of the checks, with the secret of the cluster where there is one. For one thread. */
final class CheckRequests implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int LONGEST_ANSWER = 32 << 20;
  private static final HttpClients.Limits LIMITS = new HttpClients.Limits(TIMEOUT_MILLIS, 60, 1, 1);

  private final Vertx vertx = EventLoops.startFew();
  private final WebRequests here;
  private final WebRequests others;

  CheckRequests(TrustSettings trust) {
    Credentials credentials = credentials(trust);
    // Whose certificate it is does not matter here, and a signature is for one receiver.
    ClientTls anyServer =
        new ClientTls("doctor", Optional.empty(), Optional.empty(), Optional.empty(), true);
    this.here = new WebRequests(vertx, anyServer, credentials, LIMITS);
    this.others = new WebRequests(vertx, ClientTls.ofCluster(trust), credentials, LIMITS);
  }

  /**
   * An answer.
   *
   * @param clock time by its own header, ms since the epoch
   * @param date time by the header {@code Date}, which has no fractions of seconds, ms
   * @param begun time when the request was sent, ms since the epoch
   * @param millis time until the answer was whole
   */
  record Reply(
      int status,
      String body,
      Optional<Long> clock,
      Optional<Long> date,
      long begun,
      long millis) {}

  /** The answer of the process of this machine. */
  Reply ofThisMachine(URI address) throws IOException {
    return ask(here, address);
  }

  /** The answer of another process of the cluster. */
  Reply ofOther(URI address) throws IOException {
    return ask(others, address);
  }

  private static Credentials credentials(TrustSettings trust) {
    try {
      SecretFile secret = SecretFile.ofCluster(trust);
      return Credentials.ofCluster(
          new RequestSigner(ClusterKey.of(secret::texts), System::currentTimeMillis));
    } catch (StartFailure e) {
      return Credentials.NONE; // the secret is a finding of its own
    }
  }

  private static Reply ask(WebRequests requests, URI address) throws IOException {
    long begun = System.currentTimeMillis();
    long from = System.nanoTime();
    HttpAnswer answer;
    try {
      answer =
          requests
              .to(HttpMethod.GET, address, TIMEOUT_MILLIS)
              .longestAnswer(LONGEST_ANSWER)
              .send()
              .await();
    } catch (Exception e) { // await() throws checked exceptions too
      throw new IOException(e instanceof HttpFailure failure ? failure.reason() : "" + e, e);
    }
    long millis = (System.nanoTime() - from) / 1_000_000;
    return new Reply(
        answer.status(),
        answer.text(),
        Optional.ofNullable(answer.headers().get(HttpListener.CLOCK))
            .flatMap(CheckRequests::number),
        Optional.ofNullable(answer.headers().get("Date")).flatMap(CheckRequests::date),
        begun,
        millis);
  }

  private static Optional<Long> number(String text) {
    try {
      return Optional.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static Optional<Long> date(String text) {
    try {
      return Optional.of(
          ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
              .toInstant()
              .toEpochMilli());
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    here.close();
    others.close();
    vertx.close();
  }
}
