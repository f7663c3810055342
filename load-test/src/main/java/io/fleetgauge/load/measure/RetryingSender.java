package io.fleetgauge.load.measure;

import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.load.system.Connection;
import io.fleetgauge.load.system.Connection.Answer;
import io.fleetgauge.load.traffic.Bodies;
import io.fleetgauge.load.traffic.Bodies.Body;
import io.fleetgauge.load.traffic.GpuFleet;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Sends bodies until they are accepted: remote writes to one process, as a Prometheus does; frames
 * to the gateway that owns the host, as a probe does. Not for several threads.
 */
final class RetryingSender implements AutoCloseable {
  private static final long SHORTEST_PAUSE = 30;
  private static final long LONGEST_PAUSE = 5_000;
  private static final int ATTEMPTS = 200;

  private final List<URI> stores;
  private final int first;
  private final Map<URI, Connection> connections = new HashMap<>();
  private final Map<Integer, URI> owners = new HashMap<>();
  private long epoch;
  private long pauses;

  /**
   * @param stores the processes that accept samples
   * @param number of the sender: senders are spread over the processes
   */
  RetryingSender(List<URI> stores, int number) {
    this.stores = stores;
    this.first = number;
  }

  /** Number of times that it was told to send later. */
  long pauses() {
    return pauses;
  }

  void send(Body body) throws IOException, InterruptedException {
    if (body.host() == Bodies.MANY) {
      write(body.bytes());
    } else {
      frames(body.host(), body.bytes());
    }
  }

  private void write(byte[] body) throws IOException, InterruptedException {
    URI store = stores.get(first % stores.size());
    for (int attempt = 0; ; attempt++) {
      Answer answer =
          connection(store)
              .post(
                  "/api/v1/write",
                  body,
                  "Content-Encoding",
                  "snappy",
                  "Content-Type",
                  RemoteWriteBody.V1_TYPE,
                  "X-Prometheus-Remote-Write-Version",
                  "0.1.0");
      if (answer.status() / 100 == 2) {
        return;
      }
      boolean later = answer.status() / 100 == 5 || answer.status() == 429;
      if (!later || attempt > ATTEMPTS) {
        throw new IOException(store + " responds with " + answer.status() + ": " + answer.text());
      }
      String retryAfter = answer.headers().get("retry-after");
      pause(
          retryAfter == null
              ? Math.min(LONGEST_PAUSE, SHORTEST_PAUSE << Math.min(attempt, 10))
              : 1_000 * Long.parseLong(retryAfter));
    }
  }

  private void frames(int host, byte[] body) throws IOException, InterruptedException {
    String path = IntakeProtocol.path(GpuFleet.name(host));
    for (int attempt = 0; attempt <= ATTEMPTS; attempt++) {
      URI store = owners.getOrDefault(host, stores.get((first + host) % stores.size()));
      Answer answer =
          connection(store)
              .post(
                  path,
                  body,
                  "Content-Type",
                  IntakeProtocol.FRAMES_TYPE,
                  IntakeProtocol.EPOCH,
                  Long.toString(epoch));
      switch (parsed(answer)) {
        case IntakeAnswer.Kept kept -> {
          if (kept.refused() > 0) {
            throw new IOException(store + " rejects samples: " + kept.reason());
          }
          return;
        }
        case IntakeAnswer.Moved moved -> {
          owners.put(host, moved.address());
          epoch = moved.epoch();
        }
        case IntakeAnswer.SlowDown slow -> pause(slow.millis());
        case IntakeAnswer other ->
            throw new IOException(store + " responds with " + answer.status() + ": " + other);
      }
    }
    throw new IOException("no gateway accepts frames of " + GpuFleet.name(host));
  }

  private static IntakeAnswer parsed(Answer answer) throws IOException {
    try {
      return IntakeAnswer.parse(answer.text());
    } catch (WireException e) {
      throw new IOException(answer.status() + ": " + answer.text(), e);
    }
  }

  private void pause(long millis) throws InterruptedException {
    pauses++;
    TimeUnit.MILLISECONDS.sleep(millis);
  }

  private Connection connection(URI store) {
    return connections.computeIfAbsent(store, Connection::new);
  }

  @Override
  public void close() throws IOException {
    for (Connection each : connections.values()) {
      each.close();
    }
  }
}
