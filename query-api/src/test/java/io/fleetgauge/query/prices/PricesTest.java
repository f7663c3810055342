package io.fleetgauge.query.prices;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Prices as a file has them. */
class PricesTest {
  private static final long HOUR = 3_600_000;

  private static Prices read(String yaml) {
    RateFile.Content<Prices> content = PricesReader.read(yaml, Prices.NONE);
    assertThat(content.problems()).isEmpty();
    return content.value();
  }

  private static long time(String text) {
    return Instant.parse(text).toEpochMilli();
  }

  private static Optional<String> rule(Prices prices, String time, String model, String tenant) {
    return prices.at(time(time)).stream()
        .filter(each -> each.isOf(model, "", tenant))
        .map(PriceRule::name)
        .findFirst();
  }

  @Test
  void theFirstEntryThatAppliesCounts() {
    Prices prices =
        read(
            """
            currency: EUR
            cpu: 0.01
            memory: 0.002
            prices:
              - {name: physics at night, model: "NVIDIA H100.*", tenant: physics, hours: 22-6, price: 1.10}
              - {name: H100 in 2026, model: "NVIDIA H100.*", from: 2026-01-01, to: 2027-01-01, price: 2.5}
              - {model: ".*A100.*", price: 1}
              - {name: slice, profile: "1g.*", price: 0.3}
            """);
    assertThat(prices.currency()).isEqualTo("EUR");
    assertThat(prices.cpu()).hasValue(new BigDecimal("0.01"));
    assertThat(prices.memory()).hasValue(new BigDecimal("0.002"));
    assertThat(prices.rules().getFirst().price()).isEqualTo(new BigDecimal("1.10"));
    String h100 = "NVIDIA H100 80GB HBM3";
    assertThat(rule(prices, "2026-11-01T23:00:00Z", h100, "physics")).hasValue("physics at night");
    assertThat(rule(prices, "2026-11-01T05:59:59Z", h100, "physics")).hasValue("physics at night");
    assertThat(rule(prices, "2026-11-01T06:00:00Z", h100, "physics")).hasValue("H100 in 2026");
    assertThat(rule(prices, "2026-11-01T23:00:00Z", h100, "chem")).hasValue("H100 in 2026");
    assertThat(rule(prices, "2027-01-01T00:00:00Z", h100, "chem")).isEmpty();
    assertThat(rule(prices, "2025-12-31T23:59:59Z", h100, "chem")).isEmpty();
    assertThat(rule(prices, "2027-01-01T00:00:00Z", "NVIDIA A100", "chem")).hasValue("entry 3");
    assertThat(rule(prices, "2027-01-01T00:00:00Z", "A10", "chem")).isEmpty();
  }

  @Test
  void changesAreTheTimesAtWhichOtherRulesApply() {
    Prices prices =
        read(
            """
            zone: Europe/Berlin
            prices:
              - {name: night, hours: 22-6, from: 2026-10-24, price: 1}
              - {name: day, price: 2}
            """);
    assertThat(
            prices.changes(time("2026-10-23T12:00:00Z"), time("2026-10-25T23:00:00Z")).stream()
                .map(each -> Instant.ofEpochMilli(each).toString()))
        .as("clocks are put back in the night to the 25th")
        .containsExactly(
            "2026-10-23T22:00:00Z",
            "2026-10-24T04:00:00Z",
            "2026-10-24T20:00:00Z",
            "2026-10-25T05:00:00Z",
            "2026-10-25T21:00:00Z");
    assertThat(read("prices: [{price: 1}]").changes(0, time("2026-10-25T23:00:00Z"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void betweenTwoChangesTheRulesAreTheSame(long seed) {
    Random random = new Random(seed);
    String[] zones = {
      "UTC", "Europe/Berlin", "Asia/Kolkata", "America/St_Johns", "Australia/Lord_Howe"
    };
    StringBuilder yaml = new StringBuilder("zone: " + zones[random.nextInt(zones.length)]);
    yaml.append("\nprices:\n");
    long origin = time(random.nextBoolean() ? "2026-03-28T00:00:00Z" : "2026-10-03T00:00:00Z");
    for (int i = 0; i < 1 + random.nextInt(5); i++) {
      int hour = random.nextInt(24);
      yaml.append("  - {price: ").append(i);
      yaml.append(", hours: ")
          .append(hour)
          .append('-')
          .append((hour + 1 + random.nextInt(23)) % 24);
      if (random.nextBoolean()) {
        yaml.append(", from: ")
            .append(Instant.ofEpochMilli(origin + random.nextInt(40) * HOUR / 4));
      }
      yaml.append("}\n");
    }
    Prices prices = read(yaml.toString());
    long to = origin + 3 * 24 * HOUR;
    List<Long> starts = new ArrayList<>(List.of(origin));
    starts.addAll(prices.changes(origin, to));
    int at = 0;
    for (long time = origin; time < to; time += HOUR / 12) {
      while (at + 1 < starts.size() && starts.get(at + 1) <= time) {
        at++;
        assertThat(prices.at(starts.get(at))).isNotEqualTo(prices.at(starts.get(at) - 1));
      }
      assertThat(prices.at(time)).as(yaml + " at " + time).isEqualTo(prices.at(starts.get(at)));
    }
  }

  @Test
  void anEntryThatIsNotUnderstoodCostsThatEntryAndIsNamed() {
    RateFile.Content<Prices> content =
        PricesReader.read(
            """
            currency: "much too long a currency"
            cpu: -3
            zone: Mars/Base
            color: red
            prices:
              - {name: good, price: 1}
              - {name: good, price: 2}
              - {price: -1}
              - {price: 1e3}
              - {price: 1.0000000001}
              - {model: "(", price: 1}
              - {from: 2026-02-30, price: 1}
              - {from: 2026-02-03, to: 2026-02-03, price: 1}
              - {hours: 24-6, price: 1}
              - {hours: 6-6, price: 1}
              - {hours: "６-8", price: 1}
              - {name: "", price: 1}
              - {name: "a\\tb", price: 1}
              - {model: [a], price: 1}
              - {colour: red, price: 1}
              - {model: "x\uFFFD", price: 1}
              - 7
              - {name: last, price: 0.000000001}
            """,
            Prices.NONE);
    assertThat(content.value().rules()).extracting(PriceRule::name).containsExactly("good", "last");
    assertThat(content.value().cpu()).isEmpty();
    assertThat(content.value().currency()).isEmpty();
    assertThat(content.leftOut()).isEqualTo(20);
    assertThat(content.problems())
        .hasSize(20)
        .contains(
            "\"color\" is unknown; known is [cpu, currency, memory, prices, zone]",
            "cpu is left out: price is \"-3\"; it has to be a number of at most 9 digits and 9"
                + " decimals",
            "entry 2 of prices is left out: an entry before has the name \"good\"",
            "entry 3 of prices is left out: price is \"-1\"; it has to be a number of at most 9"
                + " digits and 9 decimals",
            "entry 6 of prices is left out: model is no regular expression: \"(\"",
            "entry 9 of prices is left out: hours is \"24-6\"; it has to be such as 8-18 or 22-6",
            "entry 16 of prices is left out: model has bytes that are no text in UTF-8",
            "entry 17 of prices is left out: it has no keys");
  }

  @Test
  void whatIsNoListOfPricesChangesNothing() {
    Prices before = read("prices: [{name: kept, price: 1}]");
    for (String yaml :
        List.of("prices: 7", "[1]", "a: [", "prices: [{price: 1}]\n---\nb", "x\0y")) {
      RateFile.Content<Prices> content = PricesReader.read(yaml, before);
      assertThat(content.value()).isEqualTo(before);
      assertThat(content.leftOut()).isEqualTo(1);
      assertThat(content.problems().getFirst()).startsWith("what it said before stays: ");
    }
    assertThat(PricesReader.read("# nothing\n", before).value()).isEqualTo(Prices.NONE);
  }
}
