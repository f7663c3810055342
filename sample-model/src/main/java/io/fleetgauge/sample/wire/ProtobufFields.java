package io.fleetgauge.sample.wire;

/** Reads fields of protobuf messages one after the other. Not for several threads. */
public final class ProtobufFields {
  public static final int VARINT = 0;
  public static final int FIXED64 = 1;
  public static final int BYTES = 2;
  public static final int FIXED32 = 5;

  private static final long MAX_FIELD = 0x1fffffff;

  private final WireReader in;

  /**
   * @param size how many of the bytes are the message
   */
  public ProtobufFields(byte[] bytes, int size) {
    this.in = new WireReader(bytes, 0, size);
  }

  public int position() {
    return in.position();
  }

  public void moveTo(int position) {
    in.moveTo(position);
  }

  public int left() {
    return in.left();
  }

  public long uvar(String what) throws WireException {
    return in.uvar(what);
  }

  public long svar(String what) throws WireException {
    return in.svar(what);
  }

  public int uint(int max, String what) throws WireException {
    return in.uint(max, what);
  }

  public double f64(String what) throws WireException {
    return in.f64(what);
  }

  public String string(String what) throws WireException {
    return in.string(what);
  }

  public void skip(int length, String what) throws WireException {
    in.skip(length, what);
  }

  /**
   * Reads the length of an embedded message.
   *
   * @param to end of the message around it
   * @return the position after its last byte
   */
  public int end(int to, String what) throws WireException {
    int length = in.uint(in.left(), "the length of " + what);
    int end = in.position() + length;
    require(end <= to, what, in.position());
    return end;
  }

  /**
   * Returns true if a message or list has more to read.
   *
   * @param end the position after its last byte
   * @throws WireException if what was read last goes beyond the end
   */
  public boolean isBefore(int end, String what) throws WireException {
    require(in.position() <= end, what, end);
    return in.position() < end;
  }

  /** Skips the value of a field that is not read. */
  public void skipField(long tag, int end) throws WireException {
    if (tag >>> 3 == 0 || tag >>> 3 > MAX_FIELD) {
      throw new WireException("no field begins before byte " + in.position());
    }
    switch ((int) tag & 7) {
      case VARINT -> in.uvar("a number");
      case FIXED64 -> in.skip(8, "a number");
      case BYTES -> in.skip(in.uint(in.left(), "a length"), "bytes");
      case FIXED32 -> in.skip(4, "a number");
      default ->
          throw new WireException(
              "a field of the unknown wire type " + (tag & 7) + " before byte " + in.position());
    }
    require(in.position() <= end, "a field", in.position());
  }

  /**
   * @throws WireException if a message or field does not end where its length says
   */
  public static void require(boolean fits, String what, int at) throws WireException {
    if (!fits) {
      throw new WireException(what + " at byte " + at + " does not end where it says");
    }
  }
}
