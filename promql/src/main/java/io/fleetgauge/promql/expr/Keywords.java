package io.fleetgauge.promql.expr;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Words that mean something of their own in some places, in any case of letters. */
public final class Keywords {
  private static final Set<String> RESERVED =
      Set.of("bool", "on", "ignoring", "group_left", "group_right", "atan2", "inf", "nan");

  private static final Set<String> MODIFIERS =
      Set.of("by", "without", "on", "ignoring", "group_left", "group_right", "bool", "offset");

  private static final Map<String, BinaryOp> OPERATORS =
      Stream.of(BinaryOp.values()).collect(Collectors.toMap(op -> op.text, op -> op));

  private Keywords() {}

  /** A word in messages: what kind of keyword it is, if it is one. */
  public static String described(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    if (OPERATORS.containsKey(lower)) {
      return "<op:" + lower + ">";
    }
    if (Aggregation.named(word).isPresent()) {
      return "<aggr:" + lower + ">";
    }
    return MODIFIERS.contains(lower) ? "<" + lower + ">" : "identifier \"" + word + "\"";
  }

  /** Returns true if a word cannot be the name of a metric outside braces. */
  public static boolean isReserved(String word) {
    return RESERVED.contains(word.toLowerCase(Locale.ROOT));
  }

  /** Returns true if a word is a number wherever it does not stand in braces. */
  public static boolean isNumber(String word) {
    return word.equalsIgnoreCase("inf") || word.equalsIgnoreCase("nan");
  }

  /** The binary operator that a word or symbol is; null for any other. */
  public static BinaryOp operator(String text) {
    return OPERATORS.get(text.toLowerCase(Locale.ROOT));
  }
}
