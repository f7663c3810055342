package io.fleetgauge.cluster.table;

import io.fleetgauge.cluster.table.Membership.Standing;
import io.fleetgauge.cluster.table.Membership.Start;
import io.fleetgauge.cluster.table.Membership.Stated;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;

/** Statement of a gateway about itself as bytes, as the package draws them. */
public final class StatusForm {
  /** Other versions are not read. */
  public static final int VERSION = 1;

  private StatusForm() {}

  public static byte[] toBytes(Stated stated) {
    return new WireWriter(48)
        .u8(VERSION)
        .u8(stated.standing().ordinal())
        .u64(stated.generation())
        .u64(stated.start().number())
        .u64(stated.start().generation())
        .uvar(stated.start().kept())
        .toBytes();
  }

  /**
   * @throws WireException if the bytes are not a status of this version
   */
  public static Stated fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a status");
    int standing = in.u8("a standing");
    if (standing >= Standing.values().length) {
      throw new WireException("a status with standing " + standing);
    }
    long generation = in.u64("a generation");
    Start start =
        new Start(in.u64("a start"), in.u64("a kept generation"), in.uvar("a kept epoch"));
    in.end("the status");
    return new Stated(Standing.values()[standing], generation, start);
  }
}
