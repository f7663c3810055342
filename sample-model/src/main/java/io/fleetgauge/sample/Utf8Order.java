package io.fleetgauge.sample;

/**
 * The order of strings by their UTF-8 bytes, which is the order of code points.
 *
 * <p>{@link String#compareTo} orders by UTF-16 units and puts U+E000..U+FFFF after the
 * supplementary characters; Prometheus, which compares bytes, puts them before.
 */
public final class Utf8Order {
  private Utf8Order() {}

  public static int compare(String a, String b) {
    // Label sets that are compared have most of their names and values in common.
    if (a.equals(b)) {
      return 0;
    }
    int length = Math.min(a.length(), b.length());
    for (int i = 0; i < length; i++) {
      char x = a.charAt(i);
      char y = b.charAt(i);
      if (x != y) {
        boolean xSurrogate = Character.isSurrogate(x);
        boolean ySurrogate = Character.isSurrogate(y);
        if (xSurrogate == ySurrogate) {
          return Character.compare(x, y);
        }
        return xSurrogate ? 1 : -1;
      }
    }
    return Integer.compare(a.length(), b.length());
  }
}
