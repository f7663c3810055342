package io.fleetgauge.gateway.packing;

import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.journal.Packing;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Packs records of frames: a part for each host. */
public final class FramePacking implements Packing {
  /** Records whose first frame cannot be read. */
  private static final String NO_HOST = "";

  @Override
  public List<Part> pack(List<byte[]> records) {
    Map<String, List<byte[]>> byHost = new LinkedHashMap<>();
    for (byte[] record : records) {
      byHost.computeIfAbsent(host(record), none -> new ArrayList<>()).add(record);
    }
    List<Part> parts = new ArrayList<>();
    byHost.forEach(
        (host, ofHost) ->
            parts.add(
                new Part(
                    host.isEmpty() ? "no host" : "host " + host,
                    ofHost.size(),
                    new PartWriter(host).write(ofHost))));
    return parts;
  }

  private static String host(byte[] record) {
    try {
      return FrameDecoder.host(record);
    } catch (WireException e) {
      return NO_HOST;
    }
  }

  @Override
  public List<byte[]> unpack(byte[] part) throws IOException {
    try {
      return PartReader.read(part);
    } catch (WireException | IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new IOException(e.toString(), e);
    }
  }
}
