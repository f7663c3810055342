package io.fleetgauge.promql.fragment.form;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.Integral;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.UsagePlaces;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageSums;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Rows of usage in columns, from seeds. */
class UsageFormTest {
  private static final int INTERVALS = 5;

  private static List<UsageRow> rows(Random random) {
    UsageSums rows = new UsageSums(List.of(), List.of());
    int bits = random.nextInt(64);
    for (int i = random.nextInt(90); i > 0; i--) {
      List<Integral> amounts = new ArrayList<>();
      for (Amount amount : Amount.values()) {
        long low = random.nextLong() >>> random.nextInt(bits + 1);
        boolean isWide = amount == Amount.IO && bits % 3 == 0;
        amounts.add(
            switch (random.nextInt(4)) {
              case 0 -> new Integral();
              case 1 -> new Integral(isWide ? random.nextLong() >> 2 : 0, low);
              default -> new Integral(0, amount.ordinal() % 2 == 0 ? i : 7L * i);
            });
      }
      rows.add(
          new UsageRow(
              Labels.of("UUID", "g" + random.nextInt(4), "rack", "r" + random.nextInt(2)),
              random.nextInt(5) == 0
                  ? Labels.EMPTY
                  : Labels.of("job", "é" + random.nextInt(9), "user", "u" + random.nextInt(3)),
              random.nextInt(INTERVALS),
              amounts,
              random.nextBoolean() ? Amount.IO.bit() | Amount.ENERGY.bit() : 0,
              random.nextInt(-1, 3),
              random.nextInt(-1, 3),
              random.nextInt(-1, 3)));
    }
    return rows.rows();
  }

  private static byte[] bytes(List<UsageRow> rows) {
    WireWriter out = new WireWriter();
    UsageForm.write(out, rows);
    return out.toBytes();
  }

  private static List<UsageRow> read(byte[] bytes, UsageSums sums) throws WireException {
    WireReader in = new WireReader(bytes);
    UsageForm.read(in, sums, UsagePlaces.same(INTERVALS));
    in.end("rows");
    return sums.rows();
  }

  @Test
  void rowsComeBackToTheLastBit() throws WireException {
    for (long seed = 1; seed <= 200; seed++) {
      List<UsageRow> rows = rows(new Random(seed));
      assertThat(read(bytes(rows), new UsageSums(List.of(), List.of())))
          .as("seed " + seed)
          .isEqualTo(rows);
    }
  }

  @Test
  void theyAreReadIntoSumsAsIfTheyWereAddedOneByOne() throws WireException {
    List<List<Matcher>> matchers =
        List.of(
            List.of(),
            List.of(Matcher.equal("user", "u1")),
            List.of(Matcher.equal("user", "")),
            List.of(Matcher.equal("rack", "r1"), Matcher.of(Matcher.Kind.REGEX, "job", "é[0-4]")));
    for (long seed = 1; seed <= 100; seed++) {
      List<UsageRow> rows = rows(new Random(seed));
      for (List<Matcher> each : matchers) {
        for (List<String> kept :
            List.of(List.<String>of(), List.of("user"), List.of("rack", "job"), List.of("none"))) {
          UsageSums sums = new UsageSums(each, kept);
          rows.forEach(sums::add);
          assertThat(read(bytes(rows), new UsageSums(each, kept)))
              .as("seed %d, %s by %s", seed, each, kept)
              .isEqualTo(sums.rows());
        }
      }
    }
  }

  @Test
  void anyBytesGiveRowsOrAWireException() {
    Random random = new Random(11);
    byte[] bytes = bytes(rows(new Random(3)));
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
      for (int j = random.nextInt(3); j >= 0; j--) {
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      }
      try {
        assertThat(read(damaged, new UsageSums(List.of(), List.of()))).isNotNull();
      } catch (WireException e) {
        assertThat(e).hasMessageMatching("(?s).+");
      }
    }
  }
}
