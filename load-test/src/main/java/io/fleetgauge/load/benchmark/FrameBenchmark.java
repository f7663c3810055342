package io.fleetgauge.load.benchmark;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.wire.WireException;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;

/**
 * A steady tick of a node with 8 GPUs, some 300 samples; the baseline is the checksum of its bytes,
 * which no reader can do without.
 *
 * <p>Last result, 2 cores, JDK 25.0.3, times the baseline of 60 ns: encode 75, decode 34, which is
 * 15 and 7 ns a sample.
 */
public class FrameBenchmark extends AverageTimeBenchmark {
  private final FrameEncoder encoder = new FrameEncoder("gpu-node-01", 1);
  private final Tick tick;
  private final byte[] frame;

  public FrameBenchmark() {
    SplittableRandom random = new SplittableRandom(1);
    Tick.Builder readings = new Tick.Builder();
    for (int i = 0; i < 300; i++) {
      double value = i % 3 == 0 ? random.nextDouble() : random.nextInt(100_000);
      readings.add(Labels.of(Labels.NAME, "metric_" + i % 30, "gpu", "" + i / 30), value);
    }
    tick = readings.at(1_700_000_000_000L);
    encoder.encode(tick);
    frame = encoder.encode(tick);
  }

  @Benchmark
  public long baselineChecksum() {
    CRC32C crc = new CRC32C();
    crc.update(frame);
    return crc.getValue();
  }

  @Benchmark
  public byte[] encode() {
    return encoder.encode(tick);
  }

  @Benchmark
  public Frame decode() throws WireException {
    return new FrameDecoder(frame).next();
  }
}
