package io.fleetgauge.query.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Completeness;
import io.fleetgauge.query.answer.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** One report in all forms. */
class ReportFormatTest {
  private static final long GIB = 1 << 30;
  private static final long HOUR = 3_600_000;
  private static final Row WHOLE =
      new Row(
          List.of("=a, \"b\"\r\n", "<p>&'"),
          0,
          HOUR,
          Optional.of(new Row.Memory(OptionalLong.of(2 * GIB), 3 * GIB, 1.5 * GIB, 1_800)),
          Optional.of(new Row.Utilization(0.25, 0.5, 0.125)),
          Optional.of(0.5));
  private static final Row SPARSE =
      new Row(
          List.of("", "q"),
          HOUR,
          HOUR + 500,
          Optional.of(new Row.Memory(OptionalLong.empty(), GIB, GIB, 0.5)),
          Optional.empty(),
          Optional.empty());
  private static final Completeness TWO_OF_THREE =
      new Completeness(3, List.of("n2"), false, 1, 1, List.of());
  private static final Completeness UNKNOWN =
      new Completeness(
          Completeness.UNKNOWN, List.of(), true, Completeness.UNKNOWN, Long.MIN_VALUE, List.of());

  private static Reply<Report> reply(long step, Completeness completeness, Row... totals)
      throws QueryFailure {
    ReportQuery query =
        new ReportQuery(
            new Period(0, HOUR + 500, step),
            GroupKey.parse(List.of("tenant,label:x")),
            List.of(),
            300_000,
            10);
    return new Reply<>(
        new Report(query, List.of(WHOLE, SPARSE), List.of(totals)),
        List.of("n2 <is> away"),
        completeness);
  }

  private static String text(ReportFormat form, Reply<Report> reply) {
    return form.body(reply).toString(StandardCharsets.UTF_8);
  }

  private static Row total(Row row) {
    return new Row(
        List.of(), row.from(), row.to(), row.memory(), row.utilization(), row.allocatedHours());
  }

  @Test
  void jsonHasEveryFigureAndNullWhereNoSampleTells() throws Exception {
    assertThat(text(ReportFormat.JSON, reply(HOUR, TWO_OF_THREE, total(WHOLE))))
        .contains(
            "\"data\":{\"from\":0,\"to\":3600.500,\"step_seconds\":3600,\"lookback_seconds\":300,"
                + "\"by\":[\"tenant\",\"label:x\"],"
                + "\"completeness\":{\"hosts\":3,\"answered\":2,\"missing\":[\"n2\"]},\"rows\":[{\"group\":{\"tenant\":\"=a,"
                + " \\\"b\\\"\\r"
                + "\\n"
                + "\",\"label:x\":\"\\u003cp\\u003e\\u0026'\"},"
                + "\"from\":0,\"to\":3600,\"memory_used_bytes\":2147483648,"
                + "\"memory_peak_bytes\":3221225472,\"memory_average_bytes\":1610612736,"
                + "\"memory_seconds\":1800,\"utilization_average_ratio\":0.25,"
                + "\"utilization_peak_ratio\":0.5,\"gpu_hours_allocated\":0.5,"
                + "\"gpu_hours_busy\":0.125},{\"group\":{\"tenant\":\"\",\"label:x\":\"q\"},"
                + "\"from\":3600,\"to\":3600.500,\"memory_used_bytes\":null,"
                + "\"memory_peak_bytes\":1073741824,\"memory_average_bytes\":1073741824,"
                + "\"memory_seconds\":0.5,\"utilization_average_ratio\":null,"
                + "\"utilization_peak_ratio\":null,\"gpu_hours_allocated\":null,"
                + "\"gpu_hours_busy\":null}],"
                + "\"totals\":[{\"from\":0,\"to\":3600,\"memory_used_bytes\":2147483648,")
        .contains("\"gpu_hours_busy\":0.125}]},\"warnings\":[\"n2 \\u003cis\\u003e away\"]");
    assertThat(text(ReportFormat.JSON, reply(HOUR, UNKNOWN)))
        .contains(
            "\"completeness\":{\"hosts\":null,\"answered\":null,\"missing\":[]}", "\"totals\":[]");
  }

  @Test
  void csvHasALineForEachRowAndNoFormula() throws Exception {
    String head =
        "tenant,label:x,from,to,memory_used_bytes,memory_peak_bytes,memory_average_bytes,"
            + "memory_seconds,utilization_average_ratio,utilization_peak_ratio,"
            + "gpu_hours_allocated,gpu_hours_busy,hosts_expected,hosts_missing\r\n";
    assertThat(text(ReportFormat.CSV, reply(HOUR, TWO_OF_THREE, total(WHOLE))))
        .isEqualTo(
            head
                + "\"'=a, \"\"b\"\"\r\n\",<p>&',1970-01-01T00:00:00Z,1970-01-01T01:00:00Z,"
                + "2147483648,3221225472,1610612736,1800,0.25,0.5,0.5,0.125,3,1\r\n"
                + ",q,1970-01-01T01:00:00Z,1970-01-01T01:00:00.500Z,"
                + ",1073741824,1073741824,0.5,,,,,3,1\r\n");
    assertThat(text(ReportFormat.CSV, reply(HOUR, UNKNOWN)))
        .endsWith(",1073741824,1073741824,0.5,,,,,,\r\n");
  }

  @Test
  void aFieldThatSpreadsheetsWouldChangeIsQuoted() {
    assertThat(
            List.of(
                "plain", "a b", "", "7", "-1", "+x", "@x", "\tx", "a,b", "\"", "a\rb", "a\nb", " x",
                "x ", "a=b"))
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
            "a=b");
  }

  @Test
  void thePageHasTheFiguresInUnitsOfPeopleAndEveryTextEscaped() throws Exception {
    String page = text(ReportFormat.HTML, reply(HOUR, TWO_OF_THREE, total(WHOLE), total(SPARSE)));
    assertThat(page)
        .startsWith("<!DOCTYPE html>")
        .contains(
            "<p>From 1970-01-01T00:00:00Z to 1970-01-01T01:00:00.500Z, of 2 of 3 hosts.</p>\n"
                + "<p class=\"warning\">n2 &lt;is&gt; away</p>\n"
                + "<table>\n<thead><tr><th>tenant</th><th>label:x</th><th>From</th><th>To</th>"
                + "<th class=\"n\">Memory at the end, GiB</th>"
                + "<th class=\"n\">Peak memory, GiB</th><th class=\"n\">Average memory, GiB</th>"
                + "<th class=\"n\">Time with memory, h</th>"
                + "<th class=\"n\">Average utilization, %</th>"
                + "<th class=\"n\">Peak utilization, %</th>"
                + "<th class=\"n\">GPU hours allocated</th><th class=\"n\">GPU hours busy</th>"
                + "</tr></thead>\n<tbody>\n"
                + "<tr><td>=a, &quot;b&quot;\uFFFD\uFFFD</td><td>&lt;p&gt;&amp;&#39;</td>"
                + "<td>1970-01-01T00:00:00Z</td><td>1970-01-01T01:00:00Z</td>"
                + "<td class=\"n\">2.00</td><td class=\"n\">3.00</td><td class=\"n\">1.50</td>"
                + "<td class=\"n\">0.50</td><td class=\"n\">25.00</td><td class=\"n\">50.00</td>"
                + "<td class=\"n\">0.50</td><td class=\"n\">0.13</td></tr>\n"
                + "<tr><td class=\"none\">none</td><td>q</td>"
                + "<td>1970-01-01T01:00:00Z</td><td>1970-01-01T01:00:00.500Z</td>"
                + "<td class=\"n\"></td><td class=\"n\">1.00</td><td class=\"n\">1.00</td>"
                + "<td class=\"n\">0.00</td><td class=\"n\"></td><td class=\"n\"></td>"
                + "<td class=\"n\"></td><td class=\"n\"></td></tr>\n"
                + "</tbody>\n<tfoot>\n"
                + "<tr><td colspan=\"2\">Total</td><td>1970-01-01T00:00:00Z</td>")
        .endsWith("</tr>\n</tfoot>\n</table>\n</body>\n</html>\n");
    assertThat(text(ReportFormat.HTML, reply(HOUR + 500, UNKNOWN)))
        .as("of one interval, without its times")
        .contains(", of an unknown number of hosts.", "<th>label:x</th><th class=\"n\">Memory at")
        .contains("<td>q</td><td class=\"n\"></td>");
    assertThat(
            text(
                ReportFormat.HTML,
                reply(HOUR, new Completeness(4, List.of(), false, 1, 1, List.of()))))
        .contains(", of all 4 hosts.");
  }

  @Test
  void everyFormHasItsHeadersAndTheNameOfTheFileItsTimes() throws Exception {
    ReportQuery query = reply(HOUR, UNKNOWN).value().query();
    assertThat(ReportFormat.of("")).isEqualTo(ReportFormat.JSON);
    assertThat(ReportFormat.of("json").headers(query))
        .containsOnly(Map.entry("Content-Type", "application/json"));
    assertThat(ReportFormat.of("csv").headers(query))
        .containsEntry("Content-Type", "text/csv; charset=utf-8; header=present")
        .containsEntry(
            "Content-Disposition",
            "attachment; filename=\"gpu-memory_19700101T000000Z_19700101T010000Z.csv\"");
    assertThat(ReportFormat.of("html").headers(query))
        .containsEntry("Content-Type", "text/html; charset=utf-8")
        .containsEntry("X-Content-Type-Options", "nosniff")
        .containsEntry(
            "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    assertThatThrownBy(() -> ReportFormat.of("xlsx"))
        .isInstanceOf(QueryFailure.class)
        .hasMessageContaining("\"xlsx\" is none of json, csv and html");
  }

  @Test
  void aReportOfMoreThanTwoThousandRowsIsSentWhileItIsWritten() throws Exception {
    ReportQuery query = reply(HOUR, UNKNOWN).value().query();
    assertThat(
            ReportFormat.CSV.isLong(
                new Report(query, Collections.nCopies(2_000, WHOLE), List.of())))
        .isFalse();
    assertThat(
            ReportFormat.CSV.isLong(
                new Report(query, Collections.nCopies(2_001, WHOLE), List.of())))
        .isTrue();
  }
}
