package io.fleetgauge.sample.vocabulary;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A factor by which stored values are multiplied, and a divisor. A hundredth is a division by 100,
 * which is exact more often than a product with 0.01.
 *
 * @param multiply above 0
 * @param divide above 0
 */
public record Factor(double multiply, double divide) {
  /** Changes nothing. */
  public static final Factor ONE = new Factor(1, 1);

  private static final Pattern FORM = Pattern.compile("(\\d{1,15})(?:/(\\d{1,15}))?");

  public Factor {
    if (!isUsable(multiply) || !isUsable(divide)) {
      throw new IllegalArgumentException(
          "a factor needs finite numbers above 0, got " + multiply + "/" + divide);
    }
  }

  private static boolean isUsable(double number) {
    return number > 0 && number < Double.POSITIVE_INFINITY;
  }

  /** A factor such as {@code 1000000} or {@code 1/100}; empty for any other text. */
  public static Optional<Factor> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    double multiply = Double.parseDouble(form.group(1));
    double divide = form.group(2) == null ? 1 : Double.parseDouble(form.group(2));
    return isUsable(multiply) && isUsable(divide)
        ? Optional.of(new Factor(multiply, divide))
        : Optional.empty();
  }

  public boolean isOne() {
    return multiply == divide;
  }

  /** A stored value in the unit of the alias; what is no number stays as it is, bit for bit. */
  public double apply(double value) {
    if (Double.isNaN(value)) {
      return value;
    }
    double product = multiply == 1 ? value : value * multiply;
    return divide == 1 ? product : product / divide;
  }

  @Override
  public String toString() {
    String text = Long.toString((long) multiply);
    return divide == 1 ? text : text + "/" + (long) divide;
  }
}
