package io.fleetgauge.query.report.scheduled;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.config.ScheduledReportSettings;
import io.fleetgauge.query.config.ScheduledReportSettings.Every;
import io.fleetgauge.query.report.ReportMaker;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportScheduleTest {
  private static final ReportPeriod NOVEMBER = new ReportPeriod("2026-11", 0, 1);

  private final Vertx vertx = Vertx.vertx();

  @TempDir private Path folder;

  @AfterEach
  void stop() throws Exception {
    vertx.close().await(1, TimeUnit.MINUTES);
  }

  private List<String> files() throws Exception {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(each -> each.getFileName().toString()).toList();
    }
  }

  private static ReportMaker.Made made(String text, int missing) {
    return new ReportMaker.Made(text.getBytes(StandardCharsets.UTF_8), missing == 0, missing);
  }

  @Test
  void aReportThatLacksHostsHasAnotherNameUntilItIsWhole() throws Exception {
    ReportSchedule schedule =
        new ReportSchedule(
            vertx,
            vertx.createSharedWorkerExecutor("reports", 1),
            ScheduledReportSettings.toFolder("tenants", Every.MONTH, folder),
            () -> 0);
    schedule.deliver(NOVEMBER, made("without two", 2), () -> true);
    schedule.deliver(NOVEMBER, made("the same", 2), () -> true);
    assertThat(files()).containsExactly("tenants-2026-11.incomplete.csv");
    assertThat(folder.resolve("tenants-2026-11.incomplete.csv")).hasContent("without two");
    assertThat(schedule.isThere(NOVEMBER)).isFalse();
    schedule.deliver(NOVEMBER, made("without one", 1), () -> true);
    assertThat(folder.resolve("tenants-2026-11.incomplete.csv")).hasContent("without one");
    schedule.deliver(NOVEMBER, made("all", 0), () -> true);
    assertThat(files()).containsExactly("tenants-2026-11.csv");
    assertThat(folder.resolve("tenants-2026-11.csv")).hasContent("all");
    assertThat(schedule.isThere(NOVEMBER)).isTrue();
    assertThat(schedule.incomplete.sum()).isEqualTo(2);
    schedule.close();
  }
}
