package io.fleetgauge.gateway.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.sample.Histogram;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.journal.Packing.Part;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.Inflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FramePackingTest {
  private final FramePacking packing = new FramePacking();

  private static Labels series(String name, int number) {
    return Labels.of(Labels.NAME, name, "Hostname", "n1", "i", Integer.toString(number));
  }

  private static Tick tick(long time, Labels series, double value) {
    return new Tick(time, List.of(series), new double[] {value});
  }

  @Test
  void theFormIsHeldByItsBytes() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 5);
    List<byte[]> records =
        List.of(
            run.encode(tick(1_000, series("a", 1), 7)), run.encode(tick(2_000, series("a", 1), 8)));
    byte[] part = packing.pack(records).getFirst().bytes();
    byte[] raw = new byte[part[0]];
    try (Inflater inflater = new Inflater(true)) {
      inflater.setInput(part, 1, part.length - 1);
      assertThat(inflater.inflate(raw)).isEqualTo(raw.length);
    }
    assertThat(HexFormat.of().formatHex(raw))
        .isEqualTo(
            // The host, two records; one frame: the first tick of run 5, at 1,000 ms.
            "026e3102010100050000000000000002d00f"
                // Six strings from 0 on, one label set from 0 on, and its number.
                + "000608486f73746e616d65026e31085f5f6e616d655f5f016101690131"
                + "000106000102030405"
                + "010100"
                // The second tick: one more and 1,000 ms later, with all that was sent before.
                + "01010002d00f0c00020000"
                // The values of the series: 7, and one piece of 8.
                + "06010e01000002");
  }

  /** Runs whose series come and go, dictionaries, other bytes, and several hosts. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatIsUnpackedIsWhatWasPacked(long seed) throws Exception {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> hosts = List.of("n1", "n2", "n3").subList(0, 1 + random.nextInt(3));
    List<FrameEncoder> runs = new ArrayList<>();
    List<byte[]> records = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      if (runs.size() < hosts.size() || random.nextInt(40) == 0) {
        runs.add(
            new FrameEncoder(hosts.get(runs.size() % hosts.size()), 1 + random.nextInt(1 << 20)));
      }
      FrameEncoder run = runs.get(random.nextInt(runs.size()));
      ByteArrayOutputStream record = new ByteArrayOutputStream();
      if (random.nextInt(10) == 0) {
        record.writeBytes(run.dictionary());
      }
      for (int more = random.nextInt(4); more >= 0; more--) {
        record.writeBytes(run.encode(tick(random, 1_700_000_000_000L + 15_000L * i)));
      }
      if (random.nextInt(30) == 0) {
        record.write(random.nextInt());
      }
      records.add(random.nextInt(50) == 0 ? noise(random) : record.toByteArray());
    }
    List<Part> parts = packing.pack(records);
    assertThat(parts.stream().mapToInt(Part::records).sum()).isEqualTo(records.size());
    List<byte[]> found = new ArrayList<>();
    for (Part part : parts) {
      List<byte[]> unpacked = packing.unpack(part.bytes());
      assertThat(unpacked).hasSize(part.records());
      found.addAll(unpacked);
    }
    for (String host : hosts) {
      assertThat(of(host, found)).isNotEmpty().isEqualTo(of(host, records));
    }
    assertThat(hex(found)).containsExactlyInAnyOrderElementsOf(hex(records));
  }

  private static List<String> of(String host, List<byte[]> records) {
    byte[] name = host.getBytes();
    return hex(
        records.stream()
            .filter(each -> each.length > 15 && Arrays.equals(each, 13, 15, name, 0, 2))
            .toList());
  }

  private static List<String> hex(List<byte[]> records) {
    return records.stream().map(HexFormat.of()::formatHex).toList();
  }

  private static byte[] noise(SplittableRandom random) {
    byte[] bytes = new byte[random.nextInt(40)];
    random.nextBytes(bytes);
    return bytes;
  }

  private static Tick tick(SplittableRandom random, long time) {
    List<Labels> series = new ArrayList<>();
    List<Double> values = new ArrayList<>();
    Histogram[] histograms = new Histogram[40];
    boolean all = random.nextBoolean();
    for (int i = 0; i < 40; i++) {
      if (all || random.nextInt(4) > 0) {
        boolean histogram = i % 13 == 5 && random.nextBoolean();
        histograms[series.size()] = histogram ? HostWriter.histogram(random.nextInt(9)) : null;
        series.add(series("m", i));
        values.add(histogram || random.nextInt(60) == 0 ? Staleness.MARKER : value(random, i));
      }
    }
    return new Tick(
        time,
        series,
        values.stream().mapToDouble(Double::doubleValue).toArray(),
        random.nextBoolean() ? null : Arrays.copyOf(histograms, series.size()));
  }

  private static double value(SplittableRandom random, int i) {
    return switch (i % 5) {
      case 0 -> 7;
      case 1 -> random.nextInt(100);
      case 2 -> random.nextInt(70_000) / 1_000.0;
      case 3 -> random.nextDouble();
      default -> random.nextInt(20) == 0 ? -0.0 : Double.longBitsToDouble(random.nextLong());
    };
  }

  @Test
  void ticksOfAHostTakeFewBytes() {
    FrameEncoder run = new FrameEncoder("n1", 5);
    SplittableRandom random = new SplittableRandom(1);
    List<byte[]> records = new ArrayList<>();
    long before = 0;
    for (int i = 0; i < 120; i++) {
      List<Labels> series = new ArrayList<>();
      double[] values = new double[100];
      for (int j = 0; j < values.length; j++) {
        series.add(series("metric", j));
        values[j] = j % 2 == 0 ? 100 : random.nextInt(70_000, 80_000) / 1_000.0;
      }
      records.add(run.encode(new Tick(15_000L * i, series, values)));
      before += records.getLast().length;
    }
    Part part = packing.pack(records).getFirst();
    assertThat(part.name()).isEqualTo("host n1");
    assertThat(before).isGreaterThan(5 * 120 * 100L);
    assertThat(part.bytes().length).isLessThan(120 * 100);
  }

  @Test
  void anyBytesAreUnpackedOrRefused() throws Exception {
    FrameEncoder run = new FrameEncoder("n1", 5);
    byte[] part =
        packing.pack(List.of(run.encode(tick(1_000, series("a", 1), 7)))).getFirst().bytes();
    for (int length = 0; length < part.length - 4; length++) {
      byte[] cut = Arrays.copyOf(part, length);
      assertThatThrownBy(() -> packing.unpack(cut)).isInstanceOf(IOException.class);
    }
    SplittableRandom random = new SplittableRandom(1);
    int refused = 0;
    for (int round = 0; round < 2_000; round++) {
      byte[] changed = part.clone();
      changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
      try {
        packing.unpack(changed);
      } catch (IOException e) {
        refused++;
      }
    }
    assertThat(refused).isBetween(1_000, 2_000);
  }
}
