package io.fleetgauge.gateway.remotewrite;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.tenant.Grant;
import io.fleetgauge.runtime.tenant.Permission;
import io.fleetgauge.sample.frame.DerivedRuns;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.HostLabels;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.relabel.Relabelling;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TenantWritersTest {
  private static final int LIMIT = 10_000;

  private final RemoteWriteCounts counts = new RemoteWriteCounts();
  private final TenantWriters writers = writers();

  private TenantWriters writers() {
    return new TenantWriters(
        Relabelling.NONE,
        new HostLabels(List.of("Hostname")),
        60_000,
        new MetadataTable(),
        LIMIT,
        counts);
  }

  @ParameterizedTest
  @CsvSource({"a, b", "b, a"})
  void theWriterWithTheMostKeysForgetsThemWhenAllHaveTooMany(String one, String other)
      throws Exception {
    TenantWriter few = writer(one);
    TenantWriter many = writer(other);
    write(few, 10);
    write(many, 10);
    writers.keepWithinLimit();
    assertThat(counts.forgotten.sum()).isZero();
    int known = few.keyBytes();
    assertThat(known).isPositive();
    assertThat(counts.keyBytes.get()).isEqualTo(2L * known);

    write(many, 1_000);
    assertThat(many.keyBytes()).isGreaterThan(LIMIT);
    writers.keepWithinLimit();
    assertThat(many.keyBytes()).isZero();
    assertThat(few.keyBytes()).isEqualTo(known);
    assertThat(counts.keyBytes.get()).isEqualTo(known);
    assertThat(counts.forgotten.sum()).isEqualTo(1);
  }

  @Test
  void seriesThatWereForgottenGetANewRun() throws Exception {
    TenantWriter writer = writer("a");
    TenantWriter.Request first = write(writer, 1_000);
    byte[] dictionary = writer.dictionary("n1");
    writers.keepWithinLimit();
    assertThat(writer.dictionary("n1")).isEmpty();
    TenantWriter.Request again = write(writer, 1_000);
    assertThat(again.samples()).isEqualTo(1_000).isEqualTo(first.samples());
    assertThat(again.parts()).hasSameSizeAs(first.parts());
    assertThat(writer.dictionary("n1")).isNotEmpty().isNotEqualTo(dictionary);
  }

  @Test
  void derivedSamplesHaveRunsOfTheirOwnThatAreKnownByTheirNumbers() throws Exception {
    byte[] plain = write(writers.of(Optional.empty(), false), 1).parts().getFirst().body();
    byte[] derived = write(writers.of(Optional.empty(), true), 1).parts().getFirst().body();
    assertThat(DerivedRuns.isOne(new FrameDecoder(plain).next().run())).isFalse();
    assertThat(DerivedRuns.isOne(new FrameDecoder(derived).next().run())).isTrue();
  }

  /** Processes that do the same in threads of the same numbers. */
  @Tag("slow")
  @Test
  void noTwoGatewaysGiveOneNumberToTheirRuns() throws Exception {
    Set<String> runs = new HashSet<>();
    for (int gateway = 0; gateway < 2; gateway++) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  Gateway.class.getName())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      runs.add(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
      assertThat(process.waitFor()).isZero();
    }
    assertThat(runs).hasSize(2).doesNotContain("");
  }

  /** Takes a write in a thread of its own, and prints the number of its run. */
  static final class Gateway {
    private Gateway() {}

    public static void main(String[] arguments) throws Exception {
      TenantWriter writer = new TenantWritersTest().writers().of(Optional.empty(), false);
      FutureTask<TenantWriter.Request> written = new FutureTask<>(() -> write(writer, 1));
      Thread.ofPlatform().start(written);
      byte[] body = written.get(120, TimeUnit.SECONDS).parts().getFirst().body();
      System.out.print(new FrameDecoder(body).next().run());
    }
  }

  private TenantWriter writer(String tenant) {
    return writers.of(
        Optional.of(
            new Grant(tenant, List.of(), TenantLimits.DEFAULT, Set.of(Permission.WRITE), false)),
        false);
  }

  /** Sends one sample of each of so many series of one host. */
  private static TenantWriter.Request write(TenantWriter writer, int series) throws WireException {
    WireWriter request = new WireWriter();
    for (int i = 0; i < series; i++) {
      WireWriter one = new WireWriter();
      label(one, "Hostname", "n1");
      label(one, "__name__", "m");
      label(one, "i", String.format("%06d", i));
      one.u8(2 << 3 | 2).uvar(11).u8(1 << 3 | 1).f64(i).u8(2 << 3).u8(1);
      request.u8(1 << 3 | 2).uvar(one.size()).raw(one.array(), 0, one.size());
    }
    return writer.read(Version.V1, request.array(), request.size(), 1_000);
  }

  private static void label(WireWriter series, String name, String value) {
    WireWriter label = new WireWriter();
    label.u8(1 << 3 | 2).string(name).u8(2 << 3 | 2).string(value);
    series.u8(1 << 3 | 2).uvar(label.size()).raw(label.array(), 0, label.size());
  }
}
