package io.fleetgauge.cluster.table;

import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.Situation.Registered;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;

/** Entry of a host in the registry as bytes, as the package draws them. */
public final class HostForm {
  /** Other versions are not read. */
  public static final int VERSION = 1;

  private HostForm() {}

  public static byte[] toBytes(Registered host) {
    return new WireWriter(32)
        .u8(VERSION)
        .string(host.admission().tenant())
        .uvar(host.admission().at())
        .u8(host.removed() ? 1 : 0)
        .toBytes();
  }

  /**
   * @throws WireException if the bytes are not a host of this version
   */
  public static Registered fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a host");
    Admission admission = new Admission(in.string("a tenant"), in.uvar("when it was admitted"));
    boolean removed = in.flag("whether a host is removed");
    in.end("the host");
    return new Registered(admission, removed);
  }
}
