package io.fleetgauge.load.fleet;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.prometheus.RemoteWriteReader.Version;
import io.fleetgauge.sample.prometheus.RemoteWriteWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.xerial.snappy.Snappy;

/** The body of a remote write as it is sent. Not for several threads. */
public final class RemoteWriteBody {
  public static final String V1_TYPE = Version.V1.contentType();
  public static final String V2_TYPE = Version.V2.contentType();

  private final RemoteWriteWriter writer;

  private RemoteWriteBody(Version version) {
    writer = new RemoteWriteWriter(version);
  }

  public static RemoteWriteBody v1() {
    return new RemoteWriteBody(Version.V1);
  }

  public static RemoteWriteBody v2() {
    return new RemoteWriteBody(Version.V2);
  }

  public RemoteWriteBody series(Labels labels, long time, double value) {
    writer.series(labels).sample(time, value);
    return this;
  }

  public RemoteWriteBody series(Labels labels, long[] times, double[] values) {
    return samples(writer.series(labels), times, values);
  }

  /** A series whose labels need not be a label set. */
  public RemoteWriteBody series(String[] pairs, long[] times, double[] values) {
    return samples(writer.series(pairs), times, values);
  }

  private RemoteWriteBody samples(RemoteWriteWriter to, long[] times, double[] values) {
    for (int i = 0; i < times.length; i++) {
      to.sample(times[i], values[i]);
    }
    return this;
  }

  /** The message as it is before compression. */
  public byte[] message() {
    return writer.toBytes();
  }

  /** The message as a snappy block. */
  public byte[] compressed() {
    try {
      return Snappy.compress(message());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
