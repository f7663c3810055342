package io.fleetgauge.load.chaos;

import io.fleetgauge.load.fleet.RemoteWriteBody;
import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Series that are 0 or 1 as a seed says, sent in time by remote write, and what rules have to make
 * of them.
 */
final class ScriptedSignals implements AutoCloseable {
  private static final long STEP = 500;
  private static final int STEPS = 4_000;

  private final long begin = System.currentTimeMillis() / STEP * STEP;
  private final boolean[][] isOn;
  private final long interval;
  private final long holds;
  private final HttpClient client =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
  private final long[] first;
  private volatile boolean closing;

  /**
   * @param interval of the groups, ms
   * @param holds {@code for} of the alerts, ms
   */
  ScriptedSignals(long seed, int signals, long interval, long holds) {
    this.interval = interval;
    this.holds = holds;
    this.isOn = new boolean[signals][STEPS];
    this.first = new long[signals];
    SplittableRandom random = new SplittableRandom(seed);
    for (boolean[] each : isOn) {
      boolean on = false;
      int at = 0;
      while (at < STEPS) {
        // From shorter than an alert needs to fire, to several slots longer.
        int length = 4 + random.nextInt(76);
        for (int i = at; i < Math.min(STEPS, at + length); i++) {
          each[i] = on;
        }
        on = !on;
        at += length;
      }
    }
  }

  void begin(List<URI> gateways) {
    Thread.ofPlatform().daemon().name("signals").start(() -> send(gateways));
  }

  private void send(List<URI> all) {
    List<URI> gateways = new ArrayList<>(all);
    long next = 0;
    while (!closing) {
      try {
        long wait = begin + next * STEP - System.currentTimeMillis();
        if (wait > 0) {
          TimeUnit.MILLISECONDS.sleep(wait);
        }
        if (post(gateways.get((int) (next % gateways.size())), next)) {
          next++;
        }
      } catch (IOException e) {
        Collections.rotate(gateways, 1);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private boolean post(URI gateway, long step) throws IOException, InterruptedException {
    RemoteWriteBody body = RemoteWriteBody.v1();
    for (int i = 0; i < isOn.length; i++) {
      body.series(
          Labels.of("__name__", "chaos_signal", "signal", "" + i, "Hostname", "host-" + i % 2),
          begin + step * STEP,
          isOn[i][(int) step] ? 1 : 0);
    }
    HttpRequest request =
        HttpRequest.newBuilder(gateway.resolve("/api/v1/write"))
            .timeout(Duration.ofSeconds(5))
            .header("Content-Type", RemoteWriteBody.V1_TYPE)
            .header("Content-Encoding", "snappy")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 204;
  }

  /** The rules of a signal have been evaluated from this slot on. */
  void firstSlot(int signal, long slot) {
    first[signal] = slot;
  }

  long interval() {
    return interval;
  }

  /** Tells whether the newest sample at a time is 1. */
  boolean isOn(int signal, long time) {
    long step = Math.floorDiv(time - begin, STEP);
    return step >= 0 && isOn[signal][(int) step];
  }

  /**
   * Since which slot the alert of a signal is there.
   *
   * @param slot a slot of its group
   * @return 0 when it is not there
   */
  long activeSince(int signal, long slot) {
    long since = 0;
    for (long at = slot; at >= first[signal] && isOn(signal, at); at -= interval) {
      since = at;
    }
    return since;
  }

  /** Tells whether the alert fires at a slot. */
  boolean fires(int signal, long slot) {
    long since = activeSince(signal, slot);
    return since > 0 && slot - since >= holds;
  }

  @Override
  public void close() {
    closing = true;
  }
}
