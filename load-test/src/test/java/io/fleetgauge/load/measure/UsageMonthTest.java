package io.fleetgauge.load.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.StoreLimits;
import io.fleetgauge.gateway.store.owner.Dimensions;
import io.fleetgauge.gateway.usage.KeptUsage;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.gateway.usage.UsageFiles;
import io.fleetgauge.load.fleet.ClockedCluster;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A report over a month up to now, through a gateway and a query API that run as they are released:
 * of days whose samples have expired, of days of which both samples and records are there, and of
 * today, of which there are samples only. It prints the time and the memory that reports take.
 * {@code -Dfleetgauge.usage.hosts=50 -Dfleetgauge.usage.days=30 -Dfleetgauge.usage.sampled=6}
 * measures what docs/report.md says.
 */
class UsageMonthTest {
  private static final int HOSTS = Integer.getInteger("fleetgauge.usage.hosts", 2);
  private static final int DAYS = Integer.getInteger("fleetgauge.usage.days", 4);

  /** Whole days whose samples are there. */
  private static final int SAMPLED = Integer.getInteger("fleetgauge.usage.sampled", 1);

  /** The default is what a process has on a machine of at least 2 GiB. */
  private static final String HEAP = System.getProperty("fleetgauge.usage.heap", "1g");

  private static final int GPUS = 8;
  private static final int USERS = 200;
  private static final long TICK = 15_000;
  private static final long HOUR = 3_600_000;

  /** Half of a host's GPUs have a job so long; so 20 jobs run on a host and day. */
  private static final long JOB = Duration.ofMinutes(144).toMillis();

  private static final long TODAY = 20_500 * KeptDay.MILLIS;
  private static final long NOW = TODAY + 16 * HOUR;
  private static final long START = TODAY - (DAYS - 1) * KeptDay.MILLIS;
  private static final long SAMPLES_FROM = TODAY - SAMPLED * KeptDay.MILLIS;

  private static final List<String> RATIOS =
      List.of(
          "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
          "DCGM_FI_PROF_SM_ACTIVE",
          "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
          "DCGM_FI_PROF_DRAM_ACTIVE");
  private static final List<String> COUNTERS =
      List.of(
          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
          "gpu_energy_joules_total",
          "gpu_owner_cpu_seconds_total",
          "gpu_owner_io_bytes_total");

  private static final int SERIES = 18;

  @TempDir private Path folder;

  private static String host(int number) {
    return "node-%04d".formatted(number);
  }

  /** The series of a GPU while its half of the host has a job. */
  private static List<Labels> series(int host, int gpu, long job) {
    long number = 2_000 * job + 2L * host + gpu / 4;
    int user = (int) ((job * 31 + host * 17L + gpu / 4) % USERS);
    Labels labels =
        Labels.of(
                "Hostname",
                host(host),
                "gpu",
                "" + gpu,
                "UUID",
                "GPU-%08x-%04x-%04x".formatted(host(host).hashCode(), gpu, gpu * 7_919),
                "modelName",
                "NVIDIA H200",
                "rack",
                "r%d".formatted(host / 16))
            .with(
                Labels.of(
                    "hpc_job",
                    "" + number,
                    "user",
                    "user%03d".formatted(user),
                    "account",
                    "group%02d".formatted(user / 10),
                    "tenant",
                    "team%d".formatted(user % 20)));
    List<Labels> all = new ArrayList<>();
    all.add(labels.with(Labels.NAME, "gpu_allocated"));
    all.add(labels.with(Labels.NAME, "DCGM_FI_DEV_FB_USED"));
    all.add(labels.with(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL"));
    all.add(labels.with(Labels.NAME, "DCGM_FI_DEV_POWER_USAGE"));
    all.add(labels.with(Labels.NAME, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT"));
    RATIOS.forEach(each -> all.add(labels.with(Labels.NAME, each)));
    COUNTERS.forEach(each -> all.add(labels.with(Labels.NAME, each)));
    for (String direction : List.of("rx", "tx")) {
      Labels of = labels.with("direction", direction);
      all.add(of.with(Labels.NAME, "gpu_nvlink_bytes_total"));
      all.add(of.with(Labels.NAME, "gpu_pcie_bytes_total"));
    }
    all.add(labels.with("pid", "" + number).with(Labels.NAME, "gpu_process_memory_bytes"));
    return all;
  }

  private static void values(long time, double[] into, int at) {
    RandomGenerator random = ThreadLocalRandom.current();
    long second = (time - START) / 1_000 + 1_000_000; // since counters began
    into[at] = 1;
    into[at + 1] = 40_000 + random.nextInt(4) * 512;
    into[at + 2] = 90 + random.nextInt(11);
    into[at + 3] = 600 + random.nextInt(90_000) / 1e3;
    into[at + 4] = 700;
    for (int i = 0; i < RATIOS.size(); i++) {
      into[at + 5 + i] = random.nextInt(1_000) / 1e3;
    }
    into[at + 9] = second * 600_000 + random.nextInt(10_000);
    into[at + 10] = second * 600 + random.nextInt(10);
    into[at + 11] = second * 4 + random.nextInt(100) / 1e2;
    into[at + 12] = second * 1_000_000 + random.nextInt(1_000);
    for (int i = 13; i < 17; i++) {
      into[at + i] = second * 10_000_000_000L + random.nextInt(1_000_000);
    }
    into[at + 17] = 40e9 + random.nextInt(4) * (1 << 29);
  }

  /** The ticks of a host from one time until another, without a change of jobs between them. */
  private static List<Tick> ticks(int host, long from, long to) {
    List<Labels> all = new ArrayList<>();
    for (int gpu = 0; gpu < GPUS; gpu++) {
      all.addAll(series(host, gpu, from / JOB));
    }
    List<Tick> ticks = new ArrayList<>();
    for (long time = from; time < to; time += TICK) {
      double[] values = new double[all.size()];
      for (int gpu = 0; gpu < GPUS; gpu++) {
        values(time, values, gpu * SERIES);
      }
      ticks.add(new Tick(time, all, values));
    }
    return ticks;
  }

  private static List<Tick> hour(int host, long from) {
    List<Tick> ticks = new ArrayList<>();
    for (long at = from; at < from + HOUR; ) {
      long end = Math.min(from + HOUR, (at / JOB + 1) * JOB);
      ticks.addAll(ticks(host, at, end));
      at = end;
    }
    return ticks;
  }

  private static List<Series> columns(List<Tick> ticks) {
    List<Series> columns = new ArrayList<>();
    long[] times = ticks.stream().mapToLong(Tick::time).toArray();
    List<Labels> series = ticks.getFirst().series();
    for (int i = 0; i < series.size(); i++) {
      int column = i;
      columns.add(
          new Series(
              series.get(i),
              times,
              ticks.stream().mapToDouble(each -> each.values()[column]).toArray()));
    }
    return columns;
  }

  private static UsageFile record(int host, long day) {
    HostUsage usage = new HostUsage(KeptUsage.hours(day), UsageTerms.DEFAULT, List.of());
    for (long job = day / JOB; job * JOB < day + KeptDay.MILLIS + HOUR; job++) {
      long end = Math.min((job + 1) * JOB, day + KeptDay.MILLIS + HOUR);
      usage.feed(end - 1, columns(ticks(host, Math.max(day, job * JOB), end)));
    }
    return UsageFile.ofDay(
        host(host), day, UsageTerms.DEFAULT, new UsageFile.Source(day - 2 * HOUR, 7), usage.rows());
  }

  private void write() throws Exception {
    Path blocks = folder.resolve("g0").resolve("blocks");
    UsageFiles files = new UsageFiles(blocks, Duration.ofDays(400));
    StoreLimits limits =
        new StoreLimits(
            Duration.ofDays(7),
            100L << 30,
            Duration.ofHours(2),
            Duration.ofHours(1),
            Duration.ofHours(1),
            100_000,
            1_000_000,
            2_000_000);
    Store store = new Store(blocks, limits, Dimensions.DEFAULT);
    IntStream.range(0, HOSTS).parallel().forEach(host -> write(host, files, store));
  }

  private static void write(int host, UsageFiles files, Store store) {
    try {
      for (long day = START; day < SAMPLES_FROM; day += KeptDay.MILLIS) {
        files.put(record(host, day));
      }
      for (long hour = SAMPLES_FROM; hour < NOW; hour += HOUR) {
        store.block(host(host), hour(host, hour), store.folder(host(host)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aMonthUpToNowIsReportedByJobAndByUser() throws Exception {
    long begun = System.nanoTime();
    write();
    System.out.printf("%d hosts, %d days: written in %.0f s%n", HOSTS, DAYS, seconds(begun));
    try (ClockedCluster cluster = ClockedCluster.asReleased(folder, NOW, HEAP)) {
      begun = System.nanoTime();
      cluster.start(1, "", 1, "faults: {enabled: false}\n");
      await().atMost(Duration.ofMinutes(10)).until(() -> files(cluster) >= HOSTS * (DAYS - 1.0));
      System.out.printf(
          "%d records made in %.0f s, gateway %d MiB%n",
          HOSTS * SAMPLED, seconds(begun), cluster.resident("g0") >> 20);
      for (String by : List.of("job", "user", "job", "user", "job", "user")) {
        report(cluster, by, START, NOW);
      }
      report(cluster, "user", START, TODAY);
      report(cluster, "user", TODAY, NOW);
    }
  }

  private static double files(ClockedCluster cluster) throws Exception {
    return cluster
        .text("g0", "/metrics")
        .lines()
        .filter(line -> line.startsWith("fleetgauge_gateway_usage_files "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) / 1e9;
  }

  private static void report(ClockedCluster cluster, String by, long from, long to)
      throws Exception {
    long begun = System.nanoTime();
    String body =
        cluster.text(
            "q0",
            "/api/v1/report/usage?by=%s&from=%s&to=%s"
                .formatted(by, Instant.ofEpochMilli(from), Instant.ofEpochMilli(to)));
    double seconds = seconds(begun);
    JsonNode answer = new ObjectMapper().readTree(body);
    System.out.printf(
        "by %s, %.1f days: %.2f s, %d rows, %d kB; gateway %d MiB, query API %d MiB%n",
        by,
        (to - from) / (double) KeptDay.MILLIS,
        seconds,
        answer.at("/data/rows").size(),
        body.length() / 1_000,
        cluster.resident("g0") >> 20,
        cluster.resident("q0") >> 20);
    assertThat(answer.path("warnings")).as(body).isEmpty();
    double hours = 0;
    for (JsonNode row : answer.at("/data/rows")) {
      hours += row.path("gpu_hours_allocated").asDouble();
    }
    assertThat(hours).isCloseTo((double) GPUS * HOSTS * (to - from) / HOUR, within(0.5 * HOSTS));
  }
}
