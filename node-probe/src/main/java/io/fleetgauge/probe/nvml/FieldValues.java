package io.fleetgauge.probe.nvml;

/** An array of {@code nvmlFieldValue_t}: what one call reads of many fields. */
public final class FieldValues {
  /** The scope of all links of a GPU. */
  public static final int ALL = -1;

  private static final int ENTRY = 40;
  private static final int SCOPE = 4;
  private static final int TYPE = 24;
  private static final int CODE = 28;
  private static final int VALUE = 32;

  final NativeMemory memory;

  FieldValues(NativeMemory memory) {
    this.memory = memory;
  }

  static int bytes(int entries) {
    return ENTRY * Math.max(1, entries);
  }

  /** Asks for a field; the answer to an earlier question at {@code i} is forgotten. */
  public void ask(int i, int field, int scope) {
    int at = ENTRY * i;
    memory.put32(at, field);
    memory.put32(at + SCOPE, scope);
    memory.put32(at + CODE, NvmlReturn.UNKNOWN);
    memory.put64(at + VALUE, 0);
  }

  /** The code of the driver's answer to field {@code i}. */
  public int code(int i) {
    return memory.i32(ENTRY * i + CODE);
  }

  /** The value as a number; NaN when its type is none of NVML's or the value was never set. */
  public double number(int i) {
    int at = ENTRY * i + VALUE;
    return switch (memory.i32(at - VALUE + TYPE)) {
      case 0 -> memory.f64(at);
      case 1 -> unset(memory.u32(at), 0xffffffffL);
      case 2, 3 -> unset(memory.i64(at), -1L);
      case 4 -> memory.i64(at);
      case 5 -> memory.i32(at);
      case 6 -> memory.i32(at) & 0xffff;
      default -> Double.NaN;
    };
  }

  /** The value as a whole number without a sign; a double is cut. */
  public long whole(int i) {
    int at = ENTRY * i + VALUE;
    return switch (memory.i32(at - VALUE + TYPE)) {
      case 0 -> (long) memory.f64(at);
      case 1 -> memory.u32(at);
      case 5 -> memory.i32(at);
      case 6 -> memory.i32(at) & 0xffff;
      default -> memory.i64(at);
    };
  }

  /** Tells whether the driver counts this field with 32 bits, so that it wraps around. */
  public boolean isNarrow(int i) {
    return memory.i32(ENTRY * i + TYPE) == 1;
  }

  /** Some drivers leave all bits set in what they did not fill in. */
  private static double unset(long value, long mark) {
    return value == mark || value < 0 ? Double.NaN : value;
  }
}
