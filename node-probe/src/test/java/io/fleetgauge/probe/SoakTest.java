package io.fleetgauge.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.gpu.GpuReport;
import io.fleetgauge.probe.gpu.GpuSampling;
import io.fleetgauge.probe.gpu.GpuSource;
import io.fleetgauge.probe.gpu.GpuThread;
import io.fleetgauge.probe.gpu.reading.LinkSeries;
import io.fleetgauge.probe.host.HostReader;
import io.fleetgauge.probe.nvml.StandIn;
import io.fleetgauge.probe.sampling.GpuOwners;
import io.fleetgauge.probe.sampling.NodeLabels;
import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Sampler;
import io.fleetgauge.probe.sampling.TickClasses;
import io.fleetgauge.probe.sampling.TickSink;
import io.fleetgauge.probe.uplink.Spool;
import io.fleetgauge.probe.uplink.Uplink;
import io.fleetgauge.probe.uplink.UplinkCounts;
import io.fleetgauge.probe.uplink.UplinkSettings;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.relabel.Relabelling;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * A probe that has run for long: {@code fleetgauge.soak.ticks} ticks of a second, whose time the
 * test turns. Series come and go, the driver fails, and the gateway is away for hours.
 */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class SoakTest {
  private static final int TICKS = Integer.getInteger("fleetgauge.soak.ticks", 12_000);

  /** After so many the probe knows all that it will know; growth counts from here. */
  private static final int SETTLED = Math.max(TICKS / 4, 4_000);

  private static final int ROUND = 1_000;
  private static final Duration TICK = Duration.ofSeconds(1);

  @TempDir private Path folder;

  /** What a probe holds. */
  private record Held(long heap, long direct, long anonymous, long files, long threads) {}

  private final AtomicLong now = new AtomicLong(1_800_000_000_000L);
  private volatile boolean isAway;
  private volatile long received;

  @Test
  void aProbeThatRunsForLongHoldsNoMoreThanAfterItsBeginning(Vertx vertx) throws Exception {
    StandIn driver = new StandIn(folder);
    int port =
        vertx
            .createHttpServer()
            .requestHandler(
                request ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              IntakeAnswer answer = answer(body);
                              request.response().setStatusCode(answer.httpStatus());
                              request.response().end(answer.toString());
                            }))
            .listen(0, "127.0.0.1")
            .await()
            .actualPort();
    ProbeConfig config = config();
    Spool spool = Spool.open(folder.resolve("spool"), "n1", 4L << 20);
    Uplink uplink =
        new Uplink(
            vertx,
            "n1",
            List.of(URI.create("http://127.0.0.1:" + port)),
            new UplinkSettings(Duration.ofMinutes(2), 1L << 20, Duration.ofMinutes(10), 4L << 20),
            Optional.of(spool),
            7);
    GpuThread gpus =
        new GpuThread(new GpuSource(driver.library.toString(), List.of(), LinkSeries.NONE, 0));
    TickClasses classes = TickClasses.of(config.ticks());
    HostReader host = new HostReader(config.host(), classes, now::get);
    List<Reader> readers = new ArrayList<>(host.readers());
    readers.add(new GpuSampling(gpus, classes, Duration.ofSeconds(10)));
    readers.add(new GpuReport(gpus, classes.core(), classes.other()));
    NodeLabels node = new NodeLabels(Labels.of("Hostname", "n1"), Relabelling.NONE);
    try (Sampler sampler =
        new Sampler(
            readers,
            node,
            () -> GpuOwners.NONE,
            "job",
            TICK,
            now::get,
            new TickSink(uplink::offer, past -> {}))) {
      Meters meters = new Meters("fleetgauge_probe");
      uplink.declare(meters);
      host.declare(meters);
      gpus.declare(meters);
      sampler.declare(meters);
      Held settled = null;
      Held last = null;
      for (int tick = 0; tick < TICKS; tick++) {
        if (tick % ROUND == 0) {
          script(driver, tick / ROUND);
          assertThat(meters.exposition()).isNotEmpty();
        }
        uplink.offer(sampler.readAt(now.addAndGet(TICK.toMillis())));
        while (uplink.unacknowledgedTicks() > (isAway ? 1_000 : 50)) {
          TimeUnit.MICROSECONDS.sleep(100); // no more than a real second would have brought
        }
        if ((tick + 1) % (4 * ROUND) == 0) {
          last = held();
          System.out.printf("after %d ticks: %s%n", tick + 1, last);
          settled = tick < SETTLED || settled == null ? last : settled;
        }
      }
      isGrown(settled, last);
      UplinkCounts counts = uplink.counts();
      assertThat(counts.read())
          .isEqualTo(counts.kept() + counts.dropped() + counts.refused() + counts.queued());
      assertThat(received).isPositive();
    } finally {
      gpus.close();
      uplink.close();
    }
  }

  private static void isGrown(Held settled, Held last) {
    assertThat(last.heap).as("heap").isLessThan(settled.heap + (4L << 20));
    assertThat(last.direct).as("direct memory").isLessThan(settled.direct + (2L << 20));
    // The compiler of the JVM goes on for a while, and its memory is not given back to the system.
    await("other memory").until(() -> held().anonymous < settled.anonymous + (64L << 20));
    assertThat(last.files).as("open files").isLessThanOrEqualTo(settled.files + 8);
    // Pools of the test's own process fill up for a while.
    assertThat(last.threads).as("threads").isLessThanOrEqualTo(settled.threads + 24);
  }

  /** Another node at each round: more or fewer GPUs and text files, failing calls, no gateway. */
  private void script(StandIn driver, int round) throws IOException {
    int gpus = round % 3;
    driver.begin(gpus);
    for (int gpu = 0; gpu < gpus; gpu++) {
      driver.text(gpu, "uuid", "GPU-" + round % 50 + "-" + gpu);
      driver.set(gpu, "power", 687_125);
      driver.set(gpu, "celsius", 64);
      driver.set(gpu, "gpm", 1);
      driver.set(gpu, "gpm.2", 55.5);
    }
    if (round % 5 == 4) {
      driver.answerOfLibrary("count", 999);
    }
    StringBuilder text = new StringBuilder();
    for (int series = 0; series < 20; series++) {
      text.append("soak_series{round=\"%d\",n=\"%d\"} 1\n".formatted(round, series));
    }
    Files.writeString(folder.resolve("texts/soak.prom"), round % 7 == 6 ? "damaged {" : text);
    isAway = round % 4 == 3;
  }

  private IntakeAnswer answer(Buffer body) {
    if (isAway) {
      return new IntakeAnswer.SlowDown(5);
    }
    IntakeAnswer answer = new IntakeAnswer.Refused("no frames");
    try {
      for (FrameDecoder frames = new FrameDecoder(body.getBytes()); frames.hasNext(); ) {
        if (frames.next() instanceof Frame.Tick tick) {
          received++;
          answer = new IntakeAnswer.Kept(tick.run(), tick.sequence());
        }
      }
    } catch (WireException e) {
      return new IntakeAnswer.Refused(e.getMessage());
    }
    return answer;
  }

  private ProbeConfig config() throws Exception {
    Files.createDirectories(folder.resolve("texts"));
    return ProbeConfig.read(
        "test",
        """
        hostname: n1
        gateways: [http://127.0.0.1:1]
        tick: 1s
        ticks: {other: 30s, static: 1h}
        host:
          collectors: {defaults: false, on: [cpu, loadavg, meminfo, netdev, stat, textfile, vmstat]}
          textfile: {directory: %s}
        spool: {enabled: false}
        """
            .formatted(folder.resolve("texts")));
  }

  private static Held held() throws Exception {
    System.gc();
    Runtime java = Runtime.getRuntime();
    long heap = java.totalMemory() - java.freeMemory();
    long direct =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .mapToLong(BufferPoolMXBean::getMemoryUsed)
            .sum();
    long anonymous = outsideOfHeap();
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"));
        Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      return new Held(heap, direct, anonymous, files.count(), threads.count());
    }
  }

  /** Resident memory that is no file's and not the heap's, of which more or less is resident. */
  private static long outsideOfHeap() throws Exception {
    String info =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcHeapInfo",
                    null,
                    null);
    Matcher range = Pattern.compile("\\[0x([0-9a-f]+), 0x([0-9a-f]+)\\)").matcher(info);
    assertThat(range.find()).as(info).isTrue();
    long from = Long.parseUnsignedLong(range.group(1), 16);
    long to = Long.parseUnsignedLong(range.group(2), 16);
    long bytes = 0;
    boolean isHeap = false;
    for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
      Matcher mapping = Pattern.compile("([0-9a-f]+)-[0-9a-f]+ .*").matcher(line);
      if (mapping.matches()) {
        long at = Long.parseUnsignedLong(mapping.group(1), 16);
        isHeap = at >= from && at < to;
      } else if (!isHeap && line.startsWith("Anonymous:")) {
        bytes += Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    return bytes;
  }
}
