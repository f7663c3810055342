package io.fleetgauge.load.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.gateway.usage.UsageFiles;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.promql.fragment.UsageQuestion;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A report and a series of usage over days whose samples have expired, through a gateway and a
 * query API. It prints the size of the records, and time and memory of each. {@code
 * -Dfleetgauge.usage.hosts=1000 -Dfleetgauge.usage.days=365} measures what docs/report.md says.
 */
class UsageYearTest {
  private static final int HOSTS = Integer.getInteger("fleetgauge.usage.hosts", 3);
  private static final int DAYS = Integer.getInteger("fleetgauge.usage.days", 40);
  private static final int GPUS = 8;
  private static final int USERS = 200;

  /** Half of a host's GPUs have a job so long; so 20 jobs run on a host and day. */
  private static final long JOB_MINUTES = 144;

  private static final long NOW = 20_500 * KeptDay.MILLIS;
  private static final long START = NOW - DAYS * KeptDay.MILLIS;

  @TempDir private Path folder;

  private Path blocks() {
    return folder.resolve("gateway-1").resolve("blocks");
  }

  private void write() {
    UsageFiles files = new UsageFiles(blocks(), Duration.ofDays(400));
    IntStream.range(0, HOSTS)
        .parallel()
        .forEach(
            host -> {
              for (long day = START; day < NOW; day += KeptDay.MILLIS) {
                try {
                  files.put(
                      UsageFile.ofDay(
                          name(host),
                          day,
                          UsageTerms.DEFAULT,
                          new UsageFile.Source(day, 7),
                          hours(host, day)));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              }
            });
    System.out.printf(
        "%d hosts, %d days, 20 jobs a host and day: %d files, %.1f MiB, %.0f bytes a file%n",
        HOSTS,
        DAYS,
        files.fileCount(),
        files.fileBytes() / 1048576.0,
        (double) files.fileBytes() / files.fileCount());
  }

  private static String name(int host) {
    return "node-%04d".formatted(host);
  }

  private static List<UsageRow> hours(int number, long day) {
    String host = name(number);
    Random random = new Random(7 * day + number);
    List<UsageRow> rows = new ArrayList<>();
    for (int gpu = 0; gpu < GPUS; gpu++) {
      Labels device =
          Labels.of(
              "Hostname",
              host,
              "gpu",
              "" + gpu,
              "UUID",
              "GPU-%08x-%04x-%04x".formatted(host.hashCode(), gpu, gpu * 7_919),
              "modelName",
              "NVIDIA H200",
              "rack",
              "r%d".formatted(number / 16));
      for (int hour = 0; hour < 24; hour++) {
        long from = hour * 60L;
        while (from < (hour + 1) * 60L) {
          long end = Math.min((hour + 1) * 60L, (from / JOB_MINUTES + 1) * JOB_MINUTES);
          long job = day / KeptDay.MILLIS * 10 + from / JOB_MINUTES;
          int user = (int) ((job * 31 + number * 17L + gpu / 4) % USERS);
          rows.add(
              row(device, owner(number, job, gpu / 4, user), hour, (end - from) * 60_000, random));
          from = end;
        }
      }
    }
    rows.sort(UsageRow.ORDER);
    return rows;
  }

  private static Labels owner(int host, long job, int half, int user) {
    return Labels.of(
        "hpc_job",
        "" + (4_000_000 + job * 2_000 + host * 2L + half),
        "user",
        "user%03d".formatted(user),
        "account",
        "group%02d".formatted(user / 10),
        "tenant",
        "team%d".formatted(user % 20));
  }

  private static UsageRow row(Labels device, Labels owner, int hour, long millis, Random random) {
    List<Integral> amounts = new ArrayList<>();
    int counted = 0;
    for (Amount amount : Amount.values()) {
      Integral sum = new Integral();
      switch (amount) {
        case BUSY -> sum.add(UsageTerms.WHOLE, millis);
        case EXECUTION_IDLE, IDLE, UNKNOWN, ENERGY_ESTIMATED -> {}
        case MEMORY_TIME, ACTIVITY_TIME, SM_TIME, TENSOR_TIME, DRAM_TIME ->
            sum.add(UsageTerms.WHOLE, millis);
        case MEMORY, ACTIVITY, SM, TENSOR, DRAM -> sum.add(random.nextLong(1L << 36), millis);
        default -> {
          sum.add(random.nextLong(1L << 36), millis);
          counted |= amount.bit();
        }
      }
      amounts.add(sum);
    }
    return new UsageRow(device, owner, hour, amounts, counted, random.nextLong(1L << 37), -1, -1);
  }

  /** As many gateways as hold 1,000 hosts in production. */
  private static final int GATEWAYS = 80;

  @Test
  void answersOfManyGatewaysAreMerged() throws Exception {
    Random random = new Random(3);
    List<UsageRow> users = new ArrayList<>();
    for (int user = 0; user < USERS; user++) {
      Labels owner = Labels.of("user", "user%03d".formatted(user));
      users.add(row(Labels.EMPTY, owner, 0, 60_000, random));
    }
    UsageQuestion question =
        new UsageQuestion(
            List.of(),
            List.of("user"),
            UsagePeriod.every(START, NOW, NOW - START),
            UsageTerms.DEFAULT);
    WireWriter out = new WireWriter();
    WireWriter body = new WireWriter();
    new UsageQuestion.Answer(users).write(out, body);
    byte[] bytes = out.toBytes(body);
    for (int i = 0; i < 20; i++) {
      long begun = System.nanoTime();
      List<UsageQuestion.Answer> answers = new ArrayList<>();
      for (int gateway = 0; gateway < GATEWAYS; gateway++) {
        answers.add(question.answer(new WireReader(bytes), bytes));
      }
      assertThat(question.merged(answers).rows()).hasSize(USERS);
      if (i > 0 && i < 19) {
        continue;
      }
      System.out.printf(
          "%d answers of %d users, %d bytes each: read and merged in %.3f s%n",
          GATEWAYS, USERS, bytes.length, (System.nanoTime() - begun) / 1e9);
    }
  }

  @Test
  void daysWhoseSamplesHaveExpiredAreReportedByUser() throws Exception {
    write();
    try (LocalFleet fleet =
            new LocalFleet("usage" + System.nanoTime(), LocalPorts.free(2), folder, () -> NOW + 1);
        HttpClient client = HttpClient.newHttpClient()) {
      fleet.startGateway(0, Duration.ofDays(7));
      QueryProcess query = fleet.startQuery("127.0.0.1", 0);
      await()
          .atMost(Duration.ofMinutes(10))
          .until(() -> fleet.gateways().getFirst().view().table().hosts().size() == HOSTS);
      awaitMonths();
      for (int i = 0; i < 3; i++) {
        report(client, query.port(), "user");
      }
      report(client, query.port(), "user,model,rack");
      if (HOSTS * DAYS < 10_000) {
        report(client, query.port(), "gpu");
        series(client, query.port());
      }
    }
  }

  /** A month is made of its days once it has ended. */
  private void awaitMonths() throws IOException {
    List<Path> months = new ArrayList<>();
    LocalDate end = LocalDate.ofInstant(Instant.ofEpochMilli(NOW), ZoneOffset.UTC);
    LocalDate first = LocalDate.ofInstant(Instant.ofEpochMilli(START), ZoneOffset.UTC);
    for (LocalDate at = first.withDayOfMonth(1); at.isBefore(end.withDayOfMonth(1)); ) {
      for (int host = 0; host < HOSTS; host++) {
        months.add(blocks().resolve(name(host)).resolve(YearMonth.from(at) + ".usage"));
      }
      at = at.plusMonths(1);
    }
    long begun = System.nanoTime();
    await().atMost(Duration.ofMinutes(10)).until(() -> months.stream().allMatch(Files::exists));
    long bytes = 0;
    for (Path month : months) {
      bytes += Files.size(month);
    }
    System.out.printf(
        "%d months, %.1f MiB, after %.0f s%n",
        months.size(), bytes / 1048576.0, (System.nanoTime() - begun) / 1e9);
  }

  private static void report(HttpClient client, int port, String by) throws Exception {
    JsonObject data =
        answer(
            client,
            "report by " + by,
            "http://127.0.0.1:%d/api/v1/report/usage?by=%s&from=%s&to=%s"
                .formatted(port, by, Instant.ofEpochMilli(START), Instant.ofEpochMilli(NOW)));
    double hours = 0;
    for (Object each : data.getJsonArray("rows")) {
      hours += ((JsonObject) each).getDouble("gpu_hours_allocated");
    }
    assertThat(hours).isCloseTo(24.0 * GPUS * DAYS * HOSTS, within(1e-3));
  }

  private static void series(HttpClient client, int port) throws Exception {
    JsonObject data =
        answer(
            client,
            "series",
            ("http://127.0.0.1:%d/api/v1/query?time=%s"
                    + "&query=sum(sum_over_time(job:gpu_seconds:total%%5B%dd:1h%%5D))")
                .formatted(port, Instant.ofEpochMilli(NOW), DAYS));
    JsonArray value = data.getJsonArray("result").getJsonObject(0).getJsonArray("value");
    assertThat(Double.parseDouble(value.getString(1)))
        .as("last values of the hours of all jobs")
        .isCloseTo(86_400.0 * GPUS * DAYS * HOSTS, within(1.0));
  }

  private static JsonObject answer(HttpClient client, String name, String uri) throws Exception {
    System.gc();
    long before = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
    long begun = System.nanoTime();
    HttpResponse<String> answer =
        client.send(
            HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
    double seconds = (System.nanoTime() - begun) / 1e9;
    long peak =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .mapToLong(pool -> pool.getPeakUsage().getUsed())
            .sum();
    System.out.printf(
        "%s: %.2f s, %d bytes, heap from %d to %d MiB%n",
        name, seconds, answer.body().length(), before >> 20, peak >> 20);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonObject json = new JsonObject(answer.body());
    assertThat(json.getJsonArray("warnings", new JsonArray())).as(answer.body()).isEmpty();
    return json.getJsonObject("data");
  }
}
