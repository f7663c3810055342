package io.fleetgauge.query.report;

import static io.fleetgauge.query.report.UsageRows.GPU_HOUR;
import static io.fleetgauge.query.report.UsageRows.HOUR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.prices.RateFiles;
import io.fleetgauge.query.prices.Rates;
import io.fleetgauge.sample.Labels;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One report in all forms. */
class ReportFormatTest {
  private static final Completeness TWO_OF_THREE =
      new Completeness(3, List.of("n2"), false, 1, 1, List.of());
  private static final Completeness UNKNOWN =
      new Completeness(
          Completeness.UNKNOWN, List.of(), true, Completeness.UNKNOWN, Long.MIN_VALUE, List.of());

  private Rates rates;

  @BeforeEach
  void prices(@TempDir Path folder) throws Exception {
    Path prices =
        Files.writeString(
            folder.resolve("prices.yaml"),
            """
            currency: "=EUR"
            cpu: 0.03
            prices: [{name: "+night <b>", hours: 0-1, price: 1.5}, {name: secret of another, tenant: z, price: 9}]
            """);
    Path carbon = Files.writeString(folder.resolve("carbon.csv"), "default,250\nx,y\n");
    RateFiles files =
        new RateFiles(Optional.of(prices), Optional.of(carbon), new BigDecimal("1.2"));
    files.look();
    rates = files.rates();
  }

  private static Reply<Report> reply(Rates rates, long step, Completeness completeness)
      throws QueryFailure {
    Period period = new Period(0, HOUR + 500, step);
    ReportQuery query =
        new ReportQuery(
            Pieces.of(period, rates.changes(0, HOUR + 500)),
            GroupKey.parse(List.of("tenant,label:x")),
            List.of(),
            UsageTerms.DEFAULT,
            rates,
            10);
    Labels gpu = Labels.of("UUID", "GPU-1");
    Report report =
        UsageGroups.report(
            query,
            List.of(
                UsageRows.of(gpu, Labels.of("tenant", "=a, \"b\"\r\n", "x", "<p>&'"), 0)
                    .with(Amount.BUSY, GPU_HOUR / 2)
                    .with(Amount.IDLE, GPU_HOUR / 4)
                    .with(Amount.ENERGY, 1_800_000_000L)
                    .with(Amount.ACTIVITY, GPU_HOUR / 4)
                    .with(Amount.ACTIVITY_TIME, GPU_HOUR)
                    .with(Amount.CPU, 1_800_000)
                    .memory(3L << 30, 2L << 30)
                    .row(),
                UsageRows.of(gpu, Labels.of("x", "q"), Math.min(1, query.pieces().count() - 1))
                    .with(Amount.UNKNOWN, 500 * 1_000_000)
                    .memory(1 << 30, -1)
                    .row()));
    return new Reply<>(report, List.of("n2 <is> away"), completeness);
  }

  private static String text(ReportFormat form, Reply<Report> reply) {
    return form.body(reply).toString(StandardCharsets.UTF_8);
  }

  /** A golden file; it changes only on purpose. */
  private static String golden(String name) throws Exception {
    try (InputStream in = ReportFormatTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void jsonHasEveryFigureAndNullWhereNoSampleTells() throws Exception {
    JsonNode json =
        new ObjectMapper().readTree(text(ReportFormat.JSON, reply(rates, HOUR, TWO_OF_THREE)));
    assertThat(json).isEqualTo(new ObjectMapper().readTree(golden("report.json")));
    assertThat(text(ReportFormat.JSON, reply(Rates.NONE, HOUR, UNKNOWN)))
        .contains("\"completeness\":{\"hosts\":null,\"answered\":null,\"missing\":[]}")
        .contains("\"prices\":null,\"carbon\":null,\"entries_left_out\":0,")
        .contains("\"cost\":null,", "\"gpu_hours_unpriced\":null,\"carbon_grams\":null,");
  }

  @Test
  void csvHasALineForEachRowAndNoFormula() throws Exception {
    String csv = text(ReportFormat.CSV, reply(rates, HOUR, TWO_OF_THREE));
    assertThat(csv).isEqualTo(golden("report.csv"));
    assertThat(text(ReportFormat.CSV, reply(Rates.NONE, HOUR, UNKNOWN))).contains(",,,,,,,,,,,");
  }

  @Test
  void aFieldThatSpreadsheetsWouldChangeIsQuoted() {
    assertThat(
            List.of(
                "plain", "a b", "", "7", "-1", "+x", "@x", "\tx", "a,b", "\"", "a\rb", "a\nb", " x",
                "x ", "a=b", "=x", "\rx", "\nx", "\uFF1Dx", "=\"x,\""))
        .extracting(ReportCsv::field)
        .containsExactly(
            "plain",
            "a b",
            "",
            "7",
            "'-1",
            "'+x",
            "'@x",
            "'\tx",
            "\"a,b\"",
            "\"\"\"\"",
            "\"a\rb\"",
            "\"a\nb\"",
            "\" x\"",
            "\"x \"",
            "a=b",
            "'=x",
            "\"'\rx\"",
            "\"'\nx\"",
            "'\uFF1Dx",
            "\"'=\"\"x,\"\"\"");
  }

  @Test
  void thePageHasTheFiguresInUnitsOfPeopleAndEveryTextEscaped() throws Exception {
    assertThat(text(ReportFormat.HTML, reply(rates, HOUR, TWO_OF_THREE)))
        .isEqualTo(golden("report.html"));
    assertThat(text(ReportFormat.HTML, reply(Rates.NONE, HOUR + 500, UNKNOWN)))
        .as("of one interval, without its times and without prices")
        .contains(", of an unknown number of hosts.")
        .contains("<th>label:x</th><th class=\"n\">GPU hours allocated")
        .doesNotContain("Cost", "Carbon");
    assertThat(
            text(
                ReportFormat.HTML,
                reply(rates, HOUR, new Completeness(4, List.of(), false, 1, 1, List.of()))))
        .contains(", of all 4 hosts.");
  }

  @Test
  void rulesThatDoNotApplyAreNotNamed() throws Exception {
    for (ReportFormat form : ReportFormat.values()) {
      assertThat(text(form, reply(rates, HOUR, TWO_OF_THREE))).doesNotContain("secret");
    }
  }

  @Test
  void everyFormHasItsHeadersAndTheNameOfTheFileItsTimes() throws Exception {
    ReportQuery query = reply(rates, HOUR, UNKNOWN).value().query();
    assertThat(ReportFormat.of("")).isEqualTo(ReportFormat.JSON);
    assertThat(ReportFormat.of("json").headers(query))
        .containsOnly(Map.entry("Content-Type", "application/json"));
    assertThat(ReportFormat.of("csv").headers(query))
        .containsEntry("Content-Type", "text/csv; charset=utf-8; header=present")
        .containsEntry(
            "Content-Disposition",
            "attachment; filename=\"usage_19700101T000000Z_19700101T010000Z.csv\"");
    assertThat(ReportFormat.of("html").headers(query))
        .containsEntry("Content-Type", "text/html; charset=utf-8")
        .containsEntry("X-Content-Type-Options", "nosniff")
        .containsEntry(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    assertThatThrownBy(() -> ReportFormat.of("xlsx"))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("\"xlsx\" is none of json, csv and html");
    assertThat(query.description())
        .as("in the log of slow queries")
        .isEqualTo(
            "report usage from 1970-01-01T00:00:00Z to 1970-01-01T01:00:00.500Z by"
                + " tenant,label:x");
    assertThat(query.labels())
        .as("with those that prices differ by")
        .containsExactly("GPU_I_PROFILE", "modelName", "tenant", "x");
    assertThat(reply(Rates.NONE, HOUR, UNKNOWN).value().query().labels())
        .containsExactly("tenant", "x");
  }
}
