package io.fleetgauge.promql.syntax;

/** Numbers as PromQL writes them, which is as Go reads them: base 0 integers, else decimals. */
final class NumberLiteral {
  private NumberLiteral() {}

  /** The value, or NaN for text that is no number. */
  static double parse(String text) {
    String digits = withoutSeparators(text);
    if (digits == null) {
      return Double.NaN;
    }
    if (digits.startsWith("0x") || digits.startsWith("0X")) {
      return integer(digits.substring(2), 16);
    }
    if (digits.length() > 1 && digits.charAt(0) == '0') {
      double octal = integer(digits.substring(1), 8);
      if (!Double.isNaN(octal)) {
        return octal;
      }
    }
    if (!digits.chars().allMatch(c -> c >= '0' && c <= '9' || "eE+-.".indexOf(c) >= 0)) {
      return Double.NaN;
    }
    try {
      double value = Double.parseDouble(digits);
      return Double.isInfinite(value) ? Double.NaN : value;
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  private static double integer(String digits, int radix) {
    if (digits.isEmpty() || Character.digit(digits.charAt(0), radix) < 0) {
      return Double.NaN;
    }
    try {
      return Long.parseLong(digits, radix);
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /** An underscore may stand between two digits, and behind the base; null when it does not. */
  private static String withoutSeparators(String text) {
    if (text.indexOf('_') < 0) {
      return text;
    }
    boolean hex = text.startsWith("0x") || text.startsWith("0X");
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '_') {
        boolean behindBase = hex && i == 2;
        boolean digitBefore = i > 0 && Character.digit(text.charAt(i - 1), hex ? 16 : 10) >= 0;
        boolean digitAfter =
            i + 1 < text.length() && Character.digit(text.charAt(i + 1), hex ? 16 : 10) >= 0;
        if (!digitAfter || !digitBefore && !behindBase) {
          return null;
        }
      }
    }
    return text.replace("_", "");
  }
}
