package io.fleetgauge.sample.relabel;

import io.fleetgauge.sample.regexp.Regexp;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Reads one rule from its fields. A field may be missing, null, a text, a number, a boolean or a
 * list; which of them the YAML has decides, as in Prometheus, what the rule is. One use.
 */
public final class RelabelFields {
  private static final List<String> KNOWN =
      List.of(
          "source_labels",
          "separator",
          "regex",
          "modulus",
          "target_label",
          "replacement",
          "action");
  private static final BigInteger MAX_MODULUS = BigInteger.TWO.pow(64).subtract(BigInteger.ONE);
  private static final String DEFAULT_REPLACEMENT = "$1";
  private static final String DEFAULT_SEPARATOR = ";";

  /** Most digits of a number with an exponent, whose digits take memory. */
  private static final int MOST_DIGITS = 30;

  private final Map<String, Object> fields;
  private final BiConsumer<String, String> problems;
  private boolean isWrong;

  /**
   * @param fields by name; a value is null, a {@link String}, a {@link Number}, a {@link Boolean},
   *     a {@link List} of these, or anything else, which is wrong
   * @param problems receives a field and what is wrong with it
   */
  public RelabelFields(Map<String, Object> fields, BiConsumer<String, String> problems) {
    this.fields = fields;
    this.problems = problems;
  }

  /**
   * @return empty after a problem
   */
  public Optional<RelabelRule> rule() {
    for (String field : fields.keySet()) {
      if (!KNOWN.contains(field)) {
        problem(field, "no such field; known here are " + String.join(", ", KNOWN));
      }
    }
    RelabelAction action = action();
    List<String> sources = sources();
    String separator = text("separator", DEFAULT_SEPARATOR);
    Regexp regex = regex();
    BigInteger modulus = modulus();
    String target = text("target_label", "");
    String replacement = text("replacement", DEFAULT_REPLACEMENT);
    if (isWrong) {
      return Optional.empty();
    }
    check(action, separator, modulus, target, replacement);
    return isWrong
        ? Optional.empty()
        : Optional.of(
            new RelabelRule(
                action, sources, separator, regex, modulus.longValue(), target, replacement));
  }

  private void check(
      RelabelAction action,
      String separator,
      BigInteger modulus,
      String target,
      String replacement) {
    String name = action.name().toLowerCase(Locale.ROOT);
    boolean hasModulus = modulus.signum() != 0;
    boolean isPlain =
        !hasModulus
            && separator.equals(DEFAULT_SEPARATOR)
            && replacement.equals(DEFAULT_REPLACEMENT);
    if (action == RelabelAction.HASHMOD && !hasModulus) {
      problem("modulus", "the action hashmod requires a modulus other than 0");
    }
    if (action.needsTarget() && target.isEmpty()) {
      problem("target_label", "the action " + name + " requires a target label");
    }
    switch (action) {
      case LOWERCASE, UPPERCASE -> {
        if (!replacement.equals(DEFAULT_REPLACEMENT)) {
          problem("replacement", "the action " + name + " takes no replacement");
        }
      }
      case KEEPEQUAL, DROPEQUAL -> {
        if (!isPlain || fields.containsKey("regex")) {
          problem("action", "the action " + name + " takes only source_labels and target_label");
        }
      }
      case LABELMAP -> {
        if (replacement.isEmpty()) {
          problem("replacement", "the action labelmap requires a replacement that is not empty");
        }
      }
      case LABELDROP, LABELKEEP -> {
        if (!isPlain || !target.isEmpty() || fields.get("source_labels") != null) {
          problem("action", "the action " + name + " takes only regex");
        }
      }
      case REPLACE, KEEP, DROP, HASHMOD -> {}
    }
  }

  private void problem(String field, String what) {
    isWrong = true;
    problems.accept(field, what);
  }

  private RelabelAction action() {
    String name = text("action", "replace");
    for (RelabelAction action : RelabelAction.values()) {
      if (action.name().equalsIgnoreCase(name)) {
        return action;
      }
    }
    if (!isWrong) {
      problem("action", name.isEmpty() ? "the action is empty" : "no such action: " + name);
    }
    return RelabelAction.REPLACE;
  }

  /** A field that is there without a value is empty; only a missing one has its default. */
  private String text(String field, String missing) {
    if (!fields.containsKey(field)) {
      return missing;
    }
    Object value = fields.get(field);
    return value == null ? "" : scalar(field, value);
  }

  private String scalar(String field, Object value) {
    if (value instanceof String || value instanceof Number || value instanceof Boolean) {
      return value.toString();
    }
    problem(field, value + " is not a text");
    return "";
  }

  private Regexp regex() {
    String text = text("regex", "(.*)");
    try {
      return Regexp.anchored(text);
    } catch (IllegalArgumentException e) {
      problem("regex", text + " is not a regular expression (RE2): " + e.getMessage());
      return null;
    }
  }

  private List<String> sources() {
    Object value = fields.get("source_labels");
    List<String> names = new ArrayList<>();
    if (value instanceof List<?> all) {
      for (Object each : all) {
        String name = each == null ? "" : scalar("source_labels", each);
        if (name.isEmpty()) {
          problem("source_labels", "the name of a label is empty");
        }
        names.add(name);
      }
    } else if (value != null) {
      problem("source_labels", value + " is not a list of label names");
    }
    return names;
  }

  private BigInteger modulus() {
    Object value = fields.get("modulus");
    if (value == null) {
      return BigInteger.ZERO;
    }
    if (value instanceof Number) {
      try {
        BigInteger modulus = whole(value.toString());
        if (modulus.signum() >= 0 && modulus.compareTo(MAX_MODULUS) <= 0) {
          return modulus;
        }
      } catch (NumberFormatException e) {
        // Said below.
      }
    }
    problem("modulus", value + " is not a whole number from 0 to " + MAX_MODULUS);
    return BigInteger.ZERO;
  }

  /** As Go reads it: 8.0 and 8.5 are 8, and 0x10 is 16. */
  private static BigInteger whole(String text) {
    String digits = text.replace("_", "");
    String prefix = digits.length() < 3 ? "" : digits.substring(0, 2).toLowerCase(Locale.ROOT);
    return switch (prefix) {
      case "0x" -> new BigInteger(digits.substring(2), 16);
      case "0o" -> new BigInteger(digits.substring(2), 8);
      case "0b" -> new BigInteger(digits.substring(2), 2);
      default -> digits.matches("0[0-7]+") ? new BigInteger(digits, 8) : fraction(digits);
    };
  }

  private static BigInteger fraction(String digits) {
    BigDecimal value = new BigDecimal(digits);
    if (value.precision() - (long) value.scale() > MOST_DIGITS) {
      throw new NumberFormatException(digits);
    }
    return value.toBigInteger();
  }

  /** A number as it was written, which a text field takes as it is. */
  public static final class WrittenNumber extends Number {
    private static final long serialVersionUID = 1L;

    private final String text;

    public WrittenNumber(String text) {
      this.text = text;
    }

    @Override
    public int intValue() {
      return (int) longValue();
    }

    @Override
    public long longValue() {
      return whole(text).longValue();
    }

    @Override
    public float floatValue() {
      return (float) doubleValue();
    }

    @Override
    public double doubleValue() {
      return whole(text).doubleValue();
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
