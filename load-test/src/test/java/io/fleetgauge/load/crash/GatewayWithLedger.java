package io.fleetgauge.load.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.load.fleet.ChildJvm;
import io.fleetgauge.load.fleet.ChildProcess;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.FragmentCodec;
import io.fleetgauge.promql.fragment.FragmentProtocol;
import io.fleetgauge.promql.fragment.SamplesQuestion;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.syntax.Parser;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A gateway in a JVM of its own, senders that write down what it acknowledges, and the comparison
 * of that ledger with what it answers. A sender repeats a tick until it is acknowledged, whatever
 * happens to the gateway meanwhile.
 */
final class GatewayWithLedger implements AutoCloseable {
  private static final int SERIES = 8;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** A sample as it was sent, and whether somebody was told that it is kept. */
  private record Entry(double value, boolean acknowledged) {}

  private final Path folder;
  private final Path config;
  private final Map<String, String> environment;
  private final URI address;
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final List<Sender> senders = new ArrayList<>();
  private final CountDownLatch stopping = new CountDownLatch(1);
  private ChildProcess gateway;

  /**
   * @param data where the gateway keeps what it keeps
   * @param more further lines of its configuration
   */
  GatewayWithLedger(
      Path folder, Path data, String store, String more, Map<String, String> environment)
      throws IOException {
    List<Integer> ports = LocalPorts.free(2);
    this.folder = folder;
    this.environment = environment;
    this.address = URI.create("http://127.0.0.1:" + ports.getFirst());
    this.config =
        Files.writeString(
            folder.resolve("gateway.yaml"),
            """
            id: g1
            http: {host: 127.0.0.1, port: %d}
            cluster: {name: crash-%d, port: %d, members: ["127.0.0.1:%d"]}
            store: {folder: "%s", %s}
            %s
            """
                .formatted(
                    ports.getFirst(),
                    ports.getFirst(),
                    ports.getLast(),
                    ports.getLast(),
                    data,
                    store,
                    more));
  }

  void start() throws IOException {
    gateway =
        ChildJvm.start(
            folder,
            "256m",
            environment,
            List.of(),
            ChildJvm.SHORT_LIVED,
            "gateway",
            "--config",
            config.toString());
    await()
        .atMost(LIMIT)
        .pollInterval(Duration.ofMillis(50))
        .until(() -> status("/-/ready") == 200 || !gateway.process().isAlive());
    assertThat(gateway.process().isAlive()).as(gateway.output()).isTrue();
  }

  void kill() {
    gateway.close();
  }

  String output() {
    return gateway.output();
  }

  private int status(String path) throws InterruptedException {
    try {
      return get(path).statusCode();
    } catch (IOException e) {
      return 0; // not listening
    }
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(address.resolve(path)).timeout(Duration.ofMinutes(1)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** The value of one of the gateway's own metrics. */
  double metric(String name) throws IOException, InterruptedException {
    return get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .findFirst()
        .orElseThrow();
  }

  /**
   * Starts senders, one for each host.
   *
   * @param firstTime of their ticks, ms; then each second one
   */
  void send(int hosts, long firstTime, long seed) {
    for (int host = 0; host < hosts; host++) {
      Sender sender = new Sender("n" + host, firstTime, seed + host);
      senders.add(sender);
      sender.thread.start();
    }
  }

  /** Ticks that were acknowledged so far. */
  long acknowledged() {
    senders.forEach(sender -> assertThat(sender.failure).isNull());
    return senders.stream().mapToLong(sender -> sender.acknowledged).sum();
  }

  void stopSenders() throws InterruptedException {
    stopping.countDown();
    for (Sender sender : senders) {
      sender.thread.join();
      assertThat(sender.failure).isNull();
    }
  }

  private final class Sender {
    private final String host;
    private final FrameEncoder encoder;
    private final SplittableRandom random;
    private final List<Labels> labels = new ArrayList<>();
    private final Map<Labels, TreeMap<Long, Entry>> ledger = new TreeMap<>();
    private final Thread thread;
    private long time;
    private volatile long acknowledged;
    private volatile Throwable failure;

    Sender(String host, long firstTime, long seed) {
      this.host = host;
      this.encoder = new FrameEncoder(host, 1 + (seed & 0xffff));
      this.random = new SplittableRandom(seed);
      this.time = firstTime;
      for (int i = 0; i < SERIES; i++) {
        labels.add(Labels.of(Labels.NAME, "m" + i, "Hostname", host));
        ledger.put(labels.getLast(), new TreeMap<>());
      }
      this.thread = Thread.ofPlatform().name("sender-" + host).unstarted(this::run);
    }

    private void run() {
      try {
        while (stopping.getCount() > 0) {
          double[] values = new double[SERIES];
          for (int i = 0; i < SERIES; i++) {
            values[i] = i % 2 == 0 ? random.nextInt(1_000) : random.nextDouble();
            ledger.get(labels.get(i)).put(time, new Entry(values[i], false));
          }
          byte[] frame = encoder.encode(new Tick(time, labels, values));
          if (!deliver(frame)) {
            return;
          }
          for (int i = 0; i < SERIES; i++) {
            ledger.get(labels.get(i)).put(time, new Entry(values[i], true));
          }
          acknowledged++;
          time += 1_000;
        }
      } catch (Throwable e) {
        failure = e;
      }
    }

    /** Repeats a frame until it is kept; false when told to stop before. */
    private boolean deliver(byte[] frame) throws Exception {
      byte[] body = frame;
      while (true) {
        IntakeAnswer answer = post(body);
        switch (answer) {
          case IntakeAnswer.Kept kept -> {
            assertThat(kept.refused()).as(kept.reason()).isZero();
            return true;
          }
          case IntakeAnswer.NeedsDictionary wanted -> {
            byte[] dictionary = encoder.dictionary();
            body = java.util.Arrays.copyOf(dictionary, dictionary.length + frame.length);
            System.arraycopy(frame, 0, body, dictionary.length, frame.length);
          }
          case IntakeAnswer.SlowDown slow -> {
            // The sender pauses as long as the gateway asks for; no assertion depends on it.
            if (stopping.await(Math.min(50, slow.millis()), TimeUnit.MILLISECONDS)) {
              return false;
            }
          }
          case IntakeAnswer.Moved _, IntakeAnswer.Refused _, IntakeAnswer.OverLimit _ ->
              throw new AssertionError("the gateway answers " + answer);
        }
      }
    }

    private IntakeAnswer post(byte[] body) throws InterruptedException {
      try {
        String answer =
            client
                .send(
                    HttpRequest.newBuilder(address.resolve(IntakeProtocol.path(host)))
                        .timeout(Duration.ofMinutes(2))
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                    HttpResponse.BodyHandlers.ofString())
                .body();
        return IntakeAnswer.parse(answer);
      } catch (IOException | WireException e) {
        return new IntakeAnswer.SlowDown(20); // it is dead, or has just died
      }
    }
  }

  /** Everything that was acknowledged is there, once, with its value, and nothing else is. */
  void compare() throws Exception {
    List<String> hosts = senders.stream().map(sender -> sender.host).toList();
    Selection all = new Selection(Parser.parseSelector("{Hostname=~\".+\"}"), 0, Long.MAX_VALUE);
    SamplesQuestion question = new SamplesQuestion(100_000_000, List.of(all));
    byte[] fragment = FragmentCodec.encode(new Fragment(Load.OWN, 0, hosts, question));
    FragmentAnswer[] found = new FragmentAnswer[1];
    await()
        .atMost(LIMIT)
        .until(
            () -> {
              HttpResponse<byte[]> response =
                  client.send(
                      HttpRequest.newBuilder(address.resolve(FragmentProtocol.PATH))
                          .POST(HttpRequest.BodyPublishers.ofByteArray(fragment))
                          .build(),
                      HttpResponse.BodyHandlers.ofByteArray());
              found[0] = FragmentCodec.decode(response.body(), question);
              return found[0].covered().size() == hosts.size();
            });
    Map<Labels, Series> bySeries = new TreeMap<>();
    ((SamplesQuestion.Answer) found[0].result())
        .series()
        .getFirst()
        .forEach(series -> bySeries.put(series.labels(), series));
    long lost = 0;
    long changed = 0;
    long unknown = 0;
    for (Sender sender : senders) {
      for (var entries : sender.ledger.entrySet()) {
        Series series = bySeries.get(entries.getKey());
        TreeMap<Long, Double> there = new TreeMap<>();
        for (int i = 0; series != null && i < series.size(); i++) {
          // A time that stands twice would be a sample doubled.
          assertThat(there.put(series.times()[i], series.values()[i])).isNull();
        }
        for (var entry : entries.getValue().entrySet()) {
          Double value = there.remove(entry.getKey());
          lost += value == null && entry.getValue().acknowledged ? 1 : 0;
          changed += value != null && value != entry.getValue().value ? 1 : 0;
        }
        unknown += there.size();
      }
    }
    assertThat(List.of(lost, changed, unknown))
        .as("lost, changed, never sent; " + output())
        .containsExactly(0L, 0L, 0L);
  }

  @Override
  public void close() {
    stopping.countDown();
    try {
      for (Sender sender : senders) {
        sender.thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (gateway != null) {
      gateway.close();
    }
  }
}
