package io.fleetgauge.load.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.gateway.usage.UsageFiles;
import io.fleetgauge.load.fleet.LocalFleet;
import io.fleetgauge.load.fleet.LocalPorts;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.QueryProcess;
import io.fleetgauge.sample.Labels;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A report and a series of usage over days whose samples have expired, through a gateway and a
 * query API. It prints the size of the records and the time of each. {@code
 * -Dfleetgauge.usage.hosts=1000 -Dfleetgauge.usage.days=365} measures what docs/report.md says.
 */
class UsageYearTest {
  private static final int HOSTS = Integer.getInteger("fleetgauge.usage.hosts", 3);
  private static final int DAYS = Integer.getInteger("fleetgauge.usage.days", 5);
  private static final int GPUS = 8;
  private static final int USERS = 200;

  /** Half of a host's GPUs have a job so long; so 20 jobs run on a host and day. */
  private static final long JOB_MINUTES = 144;

  private static final long NOW = 20_500 * KeptDay.MILLIS;
  private static final long START = NOW - DAYS * KeptDay.MILLIS;

  @TempDir private Path folder;
  private final Random random = new Random(7);

  private void write() throws Exception {
    UsageFiles files =
        new UsageFiles(folder.resolve("gateway-1").resolve("blocks"), Duration.ofDays(400));
    for (int host = 0; host < HOSTS; host++) {
      for (long day = START; day < NOW; day += KeptDay.MILLIS) {
        List<UsageRow> hours = hours("node-%04d".formatted(host), host, day);
        files.put(
            UsageFile.ofDay(
                "node-%04d".formatted(host),
                day,
                UsageTerms.DEFAULT,
                new UsageFile.Source(day, 7),
                hours));
      }
    }
    System.out.printf(
        "%d hosts, %d days, 20 jobs a host and day: %d files, %.1f MiB, %.0f bytes a file%n",
        HOSTS,
        DAYS,
        files.fileCount(),
        files.fileBytes() / 1048576.0,
        (double) files.fileBytes() / files.fileCount());
  }

  private List<UsageRow> hours(String host, int number, long day) {
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
          rows.add(row(device, owner(number, job, gpu / 4, user), hour, (end - from) * 60_000));
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

  private UsageRow row(Labels device, Labels owner, int hour, long millis) {
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
      URI report =
          URI.create(
              "http://127.0.0.1:"
                  + query.port()
                  + "/api/v1/report/usage?by=user&from="
                  + Instant.ofEpochMilli(START)
                  + "&to="
                  + Instant.ofEpochMilli(NOW));
      for (int i = 0; i < 3; i++) {
        double hours = 0;
        for (Object each : answer(client, report, "report by user").getJsonArray("rows")) {
          hours += ((JsonObject) each).getDouble("gpu_hours_allocated");
        }
        assertThat(hours).isCloseTo(24.0 * GPUS * DAYS * HOSTS, within(1e-3));
      }
      URI series =
          report.resolve(
              "/api/v1/query?time="
                  + Instant.ofEpochMilli(NOW)
                  + "&query=sum(sum_over_time(job:gpu_seconds:total%5B"
                  + DAYS
                  + "d:1h%5D))");
      JsonObject sum = answer(client, series, "series").getJsonArray("result").getJsonObject(0);
      assertThat(Double.parseDouble(sum.getJsonArray("value").getString(1)))
          .as("last values of the hours of all jobs")
          .isCloseTo(86_400.0 * GPUS * DAYS * HOSTS, within(1.0));
    }
  }

  private static JsonObject answer(HttpClient client, URI uri, String name) throws Exception {
    long begun = System.nanoTime();
    HttpResponse<String> answer =
        client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    System.out.printf(
        "%s: %.2f s, %d bytes%n", name, (System.nanoTime() - begun) / 1e9, answer.body().length());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    JsonObject json = new JsonObject(answer.body());
    assertThat(json.getJsonArray("warnings", new JsonArray())).as(answer.body()).isEmpty();
    return json.getJsonObject("data");
  }
}
