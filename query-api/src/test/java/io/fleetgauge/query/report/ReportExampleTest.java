package io.fleetgauge.query.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.promql.script.TestSeries;
import io.fleetgauge.query.ApiServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Computes the worked example of docs/report.md again, from its text. */
@Tag("slow")
@ExtendWith(VertxExtension.class)
class ReportExampleTest {
  private static final String START = "2026-11-02T21:30:00Z";
  private static final String END = "2026-11-02T23:30:00Z";
  private static final Labels GPU =
      Labels.of("Hostname", "n1", "UUID", "GPU-1", "modelName", "NVIDIA H100 80GB HBM3");

  private static String page() throws Exception {
    return Files.readString(Path.of(System.getProperty("fleetgauge.root"), "docs/report.md"));
  }

  /** The first block of the page that begins with a text. */
  private static String block(String page, String begin) {
    Matcher block =
        Pattern.compile("```[a-z]*\n(" + Pattern.quote(begin) + ".*?)```", Pattern.DOTALL)
            .matcher(page);
    assertThat(block.find()).as(begin).isTrue();
    return block.group(1);
  }

  private static void load(String block, ApiServer api) throws Exception {
    TestSeries series = new TestSeries();
    for (String line : block.lines().skip(1).toList()) {
      series.load(line.strip(), Instant.parse(START).toEpochMilli(), 60_000);
    }
    series.select(
        new Selection(List.of(), 0, Long.MAX_VALUE),
        each -> api.fleet.with(new Series(each.labels().with(GPU), each.times(), each.values())));
  }

  @Test
  void theExampleIsWhatTheReportSays(@TempDir Path folder, Vertx vertx) throws Exception {
    String page = page();
    Path prices = Files.writeString(folder.resolve("prices.yaml"), block(page, "currency: EUR"));
    Path carbon = Files.writeString(folder.resolve("carbon.csv"), block(page, "time,g of CO2"));
    ApiServer api =
        new ApiServer(
            vertx, folder, "report: {prices: " + prices + ", carbon: " + carbon + ", pue: 1.2}");
    try {
      load(block(page, "load 1m"), api);
      JsonNode report =
          api.data("root", "/api/v1/report/usage?by=job&from=" + START + "&to=" + END);
      assertThat(report.path("definitions").path("entries_left_out").asInt()).isZero();
      List<JsonNode> columns =
          List.of(
              row(report, "4711"), row(report, "4712"), row(report, ""), report.at("/totals/0"));
      Matcher line =
          Pattern.compile("\\| `([a-z_]+)` \\| ([\\d. |]+) \\|\n")
              .matcher(page.substring(page.indexOf("## A worked example")));
      int lines = 0;
      while (line.find()) {
        lines++;
        String[] texts = line.group(2).split("\\|", -1);
        for (int i = 0; i < columns.size(); i++) {
          JsonNode value = columns.get(i).path(line.group(1));
          assertThat(value.isNull() ? "" : value.asText())
              .as(line.group(1) + " " + i)
              .isEqualTo(texts[i].strip());
        }
      }
      assertThat(lines).isEqualTo(20);
      assertThat(row(report, "4711").at("/price_rules/0/name").asText()).isEqualTo("H100");
      assertThat(row(report, "4711").at("/price_rules/1/name").asText()).isEqualTo("H100 at night");
    } finally {
      api.close();
    }
  }

  private static JsonNode row(JsonNode report, String job) {
    for (JsonNode row : report.path("rows")) {
      if (row.path("group").path("job").asText().equals(job)) {
        return row;
      }
    }
    throw new AssertionError("no row of job " + job);
  }
}
