package io.fleetgauge.cluster.member;

import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.net.URISyntaxException;

/** Entry that a gateway publishes of itself, as the package draws it. */
record MemberForm(String id, URI address, String zone) {
  private static final int VERSION = 1;

  byte[] toBytes() {
    return new WireWriter(64)
        .u8(VERSION)
        .string(id)
        .string(address.toString())
        .string(zone)
        .toBytes();
  }

  /**
   * @throws WireException if the bytes are not a gateway of this version
   */
  static MemberForm fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a gateway");
    String id = in.string("an id");
    URI address = address(in.string("an address"));
    String zone = in.string("a zone");
    in.end("the gateway");
    if (id.isBlank()) {
      throw new WireException("a gateway without an id");
    }
    return new MemberForm(id, address, zone);
  }

  private static URI address(String text) throws WireException {
    try {
      URI address = new URI(text);
      boolean isHttp = "http".equals(address.getScheme()) || "https".equals(address.getScheme());
      if (isHttp && address.getHost() != null && address.getPort() > 0) {
        return address;
      }
    } catch (URISyntaxException e) {
      // Said below.
    }
    throw new WireException(
        "its address is " + IgnoredEntries.quoted(text) + ", expected is http://HOST:PORT");
  }
}
