package io.fleetgauge.load.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.load.nodes.jobs.FleetLayout;
import io.fleetgauge.load.nodes.jobs.Place;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.HostUsage;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Usage of simulated nodes is what was played there. */
class PlayedUsageTest {
  private static final long START = 1_790_000_000_000L / 3_600_000 * 3_600_000;
  private static final Duration TICK = Duration.ofSeconds(15);
  private static final int TICKS = 1_000;
  private static final FleetLayout FLEET = FleetLayout.of(10, TICK, 7);
  private static final Set<Amount> CLASSES =
      Set.of(Amount.BUSY, Amount.EXECUTION_IDLE, Amount.IDLE, Amount.UNKNOWN);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 20_260_801})
  void usageIsWhatWasPlayedUnderChurnSharingInstancesSilenceAndDriverReloads(long seed)
      throws Exception {
    UsagePeriod period =
        UsagePeriod.every(START + 100_000, START + TICKS * TICK.toMillis(), 3_600_000);
    for (Place place : List.of(FLEET.places().get(0), FLEET.places().get(6))) {
      PlayedLedger ledger = new PlayedLedger(place, period.from(), period.to());
      HostUsage usage = new HostUsage(period, UsageTerms.DEFAULT, Set.of());
      play(place, seed, ledger, usage);
      ledger.end();
      compare(place, ledger, usage.rows());
    }
  }

  private static void play(Place place, long seed, PlayedLedger ledger, HostUsage usage)
      throws Exception {
    Map<Labels, List<double[]>> piece = new TreeMap<>();
    try (PlayedHost host =
        new PlayedHost(place, FLEET, seed, KeptSeries.OF_DASHBOARDS, START, 1, List.of(ledger))) {
      for (int i = 0; i < TICKS; i++) {
        Optional<Tick> tick = host.next();
        if (tick.isPresent()) {
          for (int j = 0; j < tick.get().size(); j++) {
            piece
                .computeIfAbsent(tick.get().series().get(j), none -> new ArrayList<>())
                .add(new double[] {host.time(), tick.get().values()[j]});
          }
        }
        if (i % 50 == 49 || i == TICKS - 1) {
          usage.feed(host.time(), piece.entrySet().stream().map(PlayedUsageTest::series).toList());
          piece.clear();
        }
      }
    }
  }

  private static Series series(Map.Entry<Labels, List<double[]>> samples) {
    return new Series(
        samples.getKey(),
        samples.getValue().stream().mapToLong(each -> (long) each[0]).toArray(),
        samples.getValue().stream().mapToDouble(each -> each[1]).toArray());
  }

  private static void compare(Place place, PlayedLedger ledger, List<UsageRow> rows) {
    Map<PlayedLedger.Key, PlayedLedger.Entry> counted = new TreeMap<>();
    for (UsageRow row : rows) {
      String instance = row.device().value("GPU_I_ID");
      PlayedLedger.Entry entry =
          counted.computeIfAbsent(
              new PlayedLedger.Key(
                  row.owner().value("job"),
                  row.owner().value("hpc_job"),
                  row.owner().value("user"),
                  row.owner().value("tenant"),
                  row.device().value("UUID"),
                  instance.isEmpty() || row.owner().value("job").isEmpty()
                      ? 0
                      : Integer.parseInt(instance)),
              none -> new PlayedLedger.Entry());
      for (Amount kind : CLASSES) {
        long time = number(row, kind);
        if (time != 0) {
          entry.time.merge(kind, time, Long::sum);
        }
      }
      entry.joules += number(row, Amount.ENERGY) / 1e3 + number(row, Amount.ENERGY_ESTIMATED) / 1e6;
      entry.byteSeconds += row.amount(Amount.MEMORY).toBigInteger().doubleValue() / 1e3;
      entry.hostByteSeconds += row.amount(Amount.HOST_MEMORY).toBigInteger().doubleValue() / 1e3;
    }
    assertThat(counted).hasSizeGreaterThan(60);
    ledger.entries().values().removeIf(PlayedUsageTest::isEmpty);
    counted.values().removeIf(PlayedUsageTest::isEmpty);
    List<String> differences = new ArrayList<>();
    for (PlayedLedger.Key key : counted.keySet()) {
      PlayedLedger.Entry expected = ledger.entries().getOrDefault(key, new PlayedLedger.Entry());
      PlayedLedger.Entry is = counted.get(key);
      expected.time.values().removeIf(time -> time == 0);
      if (!is.time.equals(expected.time)
          || isFar(is.joules, expected.joules)
          || isFar(is.byteSeconds, expected.byteSeconds)
          || isFar(is.hostByteSeconds, expected.hostByteSeconds)) {
        differences.add(key + " has " + is + ", and was played " + expected);
      }
    }
    assertThat(differences).as(place.toString()).isEmpty();
    assertThat(counted.keySet()).containsAll(ledger.entries().keySet());
  }

  private static long number(UsageRow row, Amount amount) {
    return row.amount(amount).toBigInteger().longValueExact();
  }

  private static boolean isFar(double value, double expected) {
    return Math.abs(value - expected) > 0.001 * expected + 1;
  }

  private static boolean isEmpty(PlayedLedger.Entry entry) {
    return entry.time.values().stream().allMatch(time -> time == 0)
        && entry.joules < 0.001
        && entry.byteSeconds < 1
        && entry.hostByteSeconds < 1;
  }
}
