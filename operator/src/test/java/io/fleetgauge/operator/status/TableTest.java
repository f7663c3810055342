package io.fleetgauge.operator.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TableTest {
  private static final Table TABLE =
      new Table(Column.text("NAME", "name"), Column.number("COUNT", "count"));

  private static JsonObject row(String name, Object count) {
    return new JsonObject().put("name", name).put("count", count);
  }

  @Test
  void columnsAreAlignedAndFiguresFlushedRight() {
    assertThat(TABLE.text(Stream.of(row("a", 5), row("longer", 1_234))))
        .isEqualTo("NAME    COUNT\na           5\nlonger   1234\n");
  }

  @Test
  void theWidestColumnGivesWayUntilTheTableFits() {
    Table table = new Table(Column.text("A", "a"), Column.text("B", "b"), Column.number("N", "n"));
    JsonObject row = new JsonObject(Map.of("a", "x".repeat(300), "b", "y".repeat(30), "n", 7));
    String text = table.text(Stream.of(row));
    assertThat(text.lines()).allMatch(line -> line.length() <= Paragraph.WIDTH);
    assertThat(text).contains("x..").contains("y".repeat(30)).endsWith("7\n");
  }

  @Test
  void namesCannotObeyTheTerminal() {
    Table table = new Table(Column.text("A", "name"));
    assertThat(table.text(Stream.of(row("a\u001b[31m\nb", 0)))).isEqualTo("A\na [31m b\n");
  }

  @Test
  void whatIsNotKnownIsADash() {
    Table table =
        new Table(
            Column.text("A", "a"),
            Column.number("B", "b"),
            Column.count("C", "c"),
            Column.bytes("D", "d"),
            Column.duration("E", "e"),
            Column.bytes("F", "g.f"));
    assertThat(table.text(Stream.of(new JsonObject())))
        .isEqualTo("A  B  C  D  E  F\n-  -  -  -  -  -\n");
  }

  @Test
  void aTableWithoutRowsIsNotShown() {
    assertThat(TABLE.section(Stream.of())).isEmpty();
    assertThat(TABLE.section("HEADING", Stream.of())).isEmpty();
    assertThat(TABLE.section("HEADING", Stream.of(row("a", 1))))
        .isEqualTo("\nHEADING\nNAME  COUNT\na         1\n");
  }
}
