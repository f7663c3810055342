package io.fleetgauge.load.fleet;

import com.google.protobuf.CodedOutputStream;
import io.fleetgauge.sample.Labels;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.xerial.snappy.Snappy;

/** The body of a remote write, made as senders make it. Not for several threads. */
public final class RemoteWriteBody {
  public static final String V1_TYPE = "application/x-protobuf";
  public static final String V2_TYPE =
      "application/x-protobuf;proto=io.prometheus.write.v2.Request";

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final CodedOutputStream out = CodedOutputStream.newInstance(bytes);
  private final boolean second;
  private final Map<String, Integer> symbols = new HashMap<>();
  private final List<String> symbolList = new ArrayList<>(List.of(""));

  private RemoteWriteBody(boolean second) {
    this.second = second;
    symbols.put("", 0);
  }

  public static RemoteWriteBody v1() {
    return new RemoteWriteBody(false);
  }

  public static RemoteWriteBody v2() {
    return new RemoteWriteBody(true);
  }

  public RemoteWriteBody series(Labels labels, long time, double value) {
    return series(labels, new long[] {time}, new double[] {value});
  }

  public RemoteWriteBody series(Labels labels, long[] times, double[] values) {
    String[] pairs = new String[2 * labels.size()];
    for (int i = 0; i < labels.size(); i++) {
      pairs[2 * i] = labels.name(i);
      pairs[2 * i + 1] = labels.value(i);
    }
    return series(pairs, times, values);
  }

  /** A series whose labels need not be a label set. */
  public RemoteWriteBody series(String[] pairs, long[] times, double[] values) {
    ByteArrayOutputStream series = new ByteArrayOutputStream();
    CodedOutputStream seriesOut = CodedOutputStream.newInstance(series, 512);
    try {
      if (second) {
        ByteArrayOutputStream references = new ByteArrayOutputStream();
        CodedOutputStream referencesOut = CodedOutputStream.newInstance(references, 64);
        for (String text : pairs) {
          referencesOut.writeUInt32NoTag(symbol(text));
        }
        referencesOut.flush();
        seriesOut.writeByteArray(1, references.toByteArray());
      } else {
        for (int i = 0; i < pairs.length; i += 2) {
          ByteArrayOutputStream label = new ByteArrayOutputStream();
          CodedOutputStream labelOut = CodedOutputStream.newInstance(label, 64);
          labelOut.writeString(1, pairs[i]);
          labelOut.writeString(2, pairs[i + 1]);
          labelOut.flush();
          seriesOut.writeByteArray(1, label.toByteArray());
        }
      }
      for (int i = 0; i < times.length; i++) {
        ByteArrayOutputStream sample = new ByteArrayOutputStream();
        CodedOutputStream sampleOut = CodedOutputStream.newInstance(sample, 32);
        // The bits of a double, NaN payload and all.
        sampleOut.writeFixed64(1, Double.doubleToRawLongBits(values[i]));
        sampleOut.writeInt64(2, times[i]);
        sampleOut.flush();
        seriesOut.writeByteArray(2, sample.toByteArray());
      }
      seriesOut.flush();
      out.writeByteArray(second ? 5 : 1, series.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a byte array has no output to fail
    }
    return this;
  }

  private int symbol(String text) {
    return symbols.computeIfAbsent(
        text,
        none -> {
          symbolList.add(text);
          return symbolList.size() - 1;
        });
  }

  /** The message as it is before compression. */
  public byte[] message() {
    try {
      out.flush();
      if (!second) {
        return bytes.toByteArray();
      }
      ByteArrayOutputStream whole = new ByteArrayOutputStream();
      CodedOutputStream wholeOut = CodedOutputStream.newInstance(whole);
      for (String text : symbolList) {
        wholeOut.writeString(4, text);
      }
      wholeOut.flush();
      whole.writeBytes(bytes.toByteArray());
      return whole.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
