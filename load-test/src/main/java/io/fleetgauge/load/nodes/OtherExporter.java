package io.fleetgauge.load.nodes;

import io.fleetgauge.probe.sampling.Reader;
import io.fleetgauge.probe.sampling.Readings;
import io.fleetgauge.probe.sampling.TickClass;
import io.fleetgauge.sample.prometheus.TextExpositionReader;
import io.fleetgauge.sample.prometheus.TextExpositionReader.BadLine;
import io.fleetgauge.sample.prometheus.TextExpositionReader.Sample;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Pages of nvidia_gpu_exporter that were recorded on a GeForce RTX 4080 SUPER, idle and under load,
 * in turn.
 */
final class OtherExporter implements Reader {
  private static final long TURN_MILLIS = 900_000;

  private final TickClass core;
  private final LongSupplier clock;
  private final List<Sample> idle = page("idle");
  private final List<Sample> load = page("load");

  OtherExporter(TickClass core, LongSupplier clock) {
    this.core = core;
    this.clock = clock;
  }

  private static List<Sample> page(String name) {
    try (InputStream in =
        OtherExporter.class.getResourceAsStream("nvidia-gpu-exporter-" + name + ".txt")) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return TextExpositionReader.read(text).samples();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (BadLine e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String name() {
    return "scrape";
  }

  @Override
  public Set<TickClass> classes() {
    return Set.of(core);
  }

  @Override
  public void read(Set<TickClass> due, Readings out) {
    long now = clock.getAsLong();
    for (Sample sample : now / TURN_MILLIS % 2 == 0 ? load : idle) {
      if (sample.labels().metric().startsWith("nvidia_smi_")) {
        out.add(core, sample.labels().with("job", "nvidia_gpu_exporter"), sample.value());
      }
    }
  }
}
