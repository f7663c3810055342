package io.fleetgauge.load.traffic;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.xerial.snappy.Snappy;

/** Makes request bodies of ticks, as one sender does. Not for several threads. */
public interface Bodies {
  /**
   * A request's body.
   *
   * @param host whose samples it has; {@link #MANY} when they are of several
   * @param samples without staleness markers
   */
  record Body(int host, long samples, byte[] bytes) {}

  int MANY = -1;

  /** Adds a tick of a host; ticks of a host come in the order of their times. */
  void add(int host, Tick tick, Consumer<Body> out);

  /** Completes what has been begun. */
  void flush(Consumer<Body> out);

  private static long samples(Tick tick) {
    long samples = 0;
    for (double value : tick.values()) {
      samples += Staleness.isMarker(value) ? 0 : 1;
    }
    return samples;
  }

  /** Remote write 1, the samples of several hosts in one body. */
  final class Writes implements Bodies {
    private final int largest;
    private final RemoteWriteWriter writer = new RemoteWriteWriter(Version.V1);
    private long samples;

    /**
     * @param largest samples of a body
     */
    public Writes(int largest) {
      this.largest = largest;
    }

    @Override
    public void add(int host, Tick tick, Consumer<Body> out) {
      for (int i = 0; i < tick.size(); i++) {
        Labels labels = tick.series().get(i);
        writer.series(labels).sample(tick.time(), tick.values()[i]);
        samples += Staleness.isMarker(tick.values()[i]) ? 0 : 1;
        if (writer.samples() == largest) {
          flush(out);
        }
      }
    }

    @Override
    public void flush(Consumer<Body> out) {
      if (writer.samples() > 0) {
        try {
          out.accept(new Body(MANY, samples, Snappy.compress(writer.toBytes())));
        } catch (IOException e) {
          throw new UncheckedIOException(e); // in memory
        }
        writer.clear();
        samples = 0;
      }
    }
  }

  /** Frames of the intake protocol, several ticks of one host in one body. */
  final class Frames implements Bodies {
    private final int ticks;
    private final Map<Integer, Batch> batches = new HashMap<>();

    private static final class Batch {
      final FrameEncoder encoder;
      final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int ticks;
      long samples;

      Batch(int host) {
        encoder = new FrameEncoder(GpuFleet.name(host), 1 + host);
      }
    }

    /**
     * @param ticks of a body
     */
    public Frames(int ticks) {
      this.ticks = ticks;
    }

    @Override
    public void add(int host, Tick tick, Consumer<Body> out) {
      Batch batch = batches.computeIfAbsent(host, Batch::new);
      batch.bytes.writeBytes(batch.encoder.encode(tick));
      batch.samples += samples(tick);
      if (++batch.ticks == ticks) {
        flush(host, batch, out);
      }
    }

    private static void flush(int host, Batch batch, Consumer<Body> out) {
      if (batch.ticks > 0) {
        out.accept(new Body(host, batch.samples, batch.bytes.toByteArray()));
        batch.bytes.reset();
        batch.ticks = 0;
        batch.samples = 0;
      }
    }

    @Override
    public void flush(Consumer<Body> out) {
      batches.forEach((host, batch) -> flush(host, batch, out));
    }
  }
}
