package io.fleetgauge.query.prices;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Carbon as a file has it. */
class CarbonTest {
  private static final long HOUR = 3_600_000;
  private static final long START = Instant.parse("2026-11-01T00:00:00Z").toEpochMilli();

  private static BigDecimal grams(String text) {
    return new BigDecimal(text);
  }

  @Test
  void anEntryHoldsUntilTheNextOneAndForAnHourAtMost() {
    String csv =
        """
        time,g of CO2 a kWh
        # half-hours, and a gap
        2026-11-01T00:00:00Z,300.5
        "2026-11-01T01:30:00+01:00","280"\r
        2026-11-01 03:00:00Z, 310
        default,400
        """;
    RateFile.Content<Carbon> content = CarbonReader.readCsv(csv);
    assertThat(content.problems()).isEmpty();
    Carbon carbon = content.value();
    assertThat(carbon.at(START)).hasValue(grams("300.5"));
    assertThat(carbon.at(START + HOUR / 2 - 1)).hasValue(grams("300.5"));
    assertThat(carbon.at(START + HOUR / 2)).hasValue(grams("280"));
    assertThat(carbon.at(START + 3 * HOUR / 2 - 1)).hasValue(grams("280"));
    assertThat(carbon.at(START + 3 * HOUR / 2)).hasValue(grams("400"));
    assertThat(carbon.changes(START, START + 9 * HOUR))
        .containsExactly(
            START + HOUR / 2, START + 3 * HOUR / 2, START + 3 * HOUR, START + 4 * HOUR);
    assertThat(carbon.isEmpty()).isFalse();
    Carbon without = CarbonReader.readCsv("2026-11-01T00:00:00Z,1\n").value();
    assertThat(without.at(START + HOUR)).isEmpty();
    assertThat(Carbon.NONE.isEmpty()).isTrue();
  }

  @Test
  void yamlSaysTheSame() {
    RateFile.Content<Carbon> content =
        CarbonReader.readYaml(
            """
            default: 400
            hours:
              2026-11-01T00:00:00Z: 300.5
              2026-11-02: 10
            """,
            Carbon.NONE);
    assertThat(content.problems()).isEmpty();
    assertThat(content.value().at(START)).hasValue(grams("300.5"));
    assertThat(content.value().at(START + HOUR)).hasValue(grams("400"));
    assertThat(content.value().at(START + 24 * HOUR)).hasValue(grams("10"));
  }

  @Test
  void betweenTwoChangesTheIntensityIsTheSame() {
    Random random = new Random(7);
    StringBuilder csv = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      long time = START + random.nextInt(400) * HOUR / 8;
      csv.append(Instant.ofEpochMilli(time)).append(',').append(random.nextInt(3)).append('\n');
    }
    Carbon carbon = CarbonReader.readCsv(csv.toString()).value();
    TreeSet<Long> starts = new TreeSet<>(carbon.changes(START, START + 60 * HOUR));
    starts.add(START);
    for (long time = START; time < START + 60 * HOUR; time += HOUR / 16) {
      assertThat(carbon.at(time)).isEqualTo(carbon.at(starts.floor(time)));
    }
    for (long change : starts.tailSet(START, false)) {
      assertThat(carbon.at(change)).isNotEqualTo(carbon.at(change - 1));
    }
  }

  @Test
  void anEntryThatIsNotUnderstoodCostsThatEntryAndIsNamed() {
    RateFile.Content<Carbon> csv =
        CarbonReader.readCsv(
            "2026-11-01T00:00:00Z,1\n2026-11-01T00:00:00Z,2\nyesterday,3\n2026-11-01T02:00:00Z,-3\n"
                + "2026-11-01T03:00:00Z\n2026-11-01T04:00:00Z,1,2\n\uFFFD\0,5\n"
                + "2026-11-01T05:00:00Z,5\n");
    assertThat(csv.value().at(START)).hasValue(grams("1"));
    assertThat(csv.value().at(START + 5 * HOUR)).hasValue(grams("5"));
    assertThat(csv.leftOut()).isEqualTo(6);
    assertThat(csv.problems())
        .startsWith(
            "line 2 is left out: an entry before has the same time",
            "line 3 is left out: \"yesterday\" is no RFC 3339 time",
            "line 4 is left out: \"-3\" is no number of g of CO2 a kWh")
        .endsWith("line 7 is left out: \"\uFFFD\uFFFD\" is no RFC 3339 time");
    RateFile.Content<Carbon> yaml =
        CarbonReader.readYaml(
            "default: x\nhours: {2026-11-01: 1, 2026-11-02: [2]}\nz: 1", Carbon.NONE);
    assertThat(yaml.leftOut()).isEqualTo(3);
    assertThat(yaml.value().at(START)).hasValue(grams("1"));
    for (String none : List.of("hours: 7", "[1]", "a: [", "x")) {
      assertThat(CarbonReader.readYaml(none, csv.value()).value()).isSameAs(csv.value());
      assertThat(CarbonReader.readYaml(none, csv.value()).leftOut()).isEqualTo(1);
    }
    assertThat(CarbonReader.readYaml("", csv.value()).value().isEmpty()).isTrue();
  }
}
