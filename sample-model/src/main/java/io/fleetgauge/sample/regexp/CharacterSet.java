package io.fleetgauge.sample.regexp;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** Some characters, by code point. Immutable. */
@FunctionalInterface
interface CharacterSet {
  boolean contains(int point);

  CharacterSet ANY = point -> true;
  CharacterSet ANY_IN_LINE = point -> point != '\n';
  CharacterSet DIGIT = range('0', '9');
  CharacterSet SPACE = of("\t\n\f\r ");
  CharacterSet LOWER = range('a', 'z');
  CharacterSet UPPER = range('A', 'Z');
  CharacterSet LETTER = LOWER.or(UPPER);
  CharacterSet WORD = LETTER.or(DIGIT).or(of("_"));

  static CharacterSet range(int first, int last) {
    return point -> first <= point && point <= last;
  }

  static CharacterSet of(String characters) {
    int[] points = characters.codePoints().toArray();
    return point -> Arrays.stream(points).anyMatch(each -> each == point);
  }

  default CharacterSet or(CharacterSet other) {
    return point -> contains(point) || other.contains(point);
  }

  default CharacterSet negated() {
    return point -> !contains(point);
  }

  /** With every character that differs from one of these only in case. */
  default CharacterSet inAnyCase() {
    return point -> {
      for (int each : Cases.of(point)) {
        if (contains(each)) {
          return true;
        }
      }
      return false;
    };
  }

  /**
   * A set by its name between {@code [:} and {@code :]}.
   *
   * @return null if there is no such set
   */
  static CharacterSet posix(String name) {
    return switch (name) {
      case "alnum" -> LETTER.or(DIGIT);
      case "alpha" -> LETTER;
      case "ascii" -> range(0, 0x7f);
      case "blank" -> of("\t ");
      case "cntrl" -> range(0, 0x1f).or(range(0x7f, 0x7f));
      case "digit" -> DIGIT;
      case "graph" -> range('!', '~');
      case "lower" -> LOWER;
      case "print" -> range(' ', '~');
      case "punct" -> range('!', '/').or(range(':', '@')).or(range('[', '`')).or(range('{', '~'));
      case "space" -> of("\t\n\u000b\f\r ");
      case "upper" -> UPPER;
      case "word" -> WORD;
      case "xdigit" -> DIGIT.or(range('a', 'f')).or(range('A', 'F'));
      default -> null;
    };
  }

  /**
   * A Unicode category or script by its name.
   *
   * @return null if there is no such set
   */
  static CharacterSet unicode(String name) {
    if (name.equals("Any")) {
      return ANY;
    }
    if (Categories.TYPES.containsKey(name)) {
      long types = Categories.TYPES.get(name);
      return point -> (types >>> Character.getType(point) & 1) != 0;
    }
    if (!name.matches("[A-Z][a-z]+(_[A-Z][a-z]+)*")) {
      return null;
    }
    try {
      Character.UnicodeScript script =
          Character.UnicodeScript.valueOf(name.toUpperCase(Locale.ROOT));
      return point -> Character.UnicodeScript.of(point) == script;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /** The general categories, as bits of the JDK's numbers of them. */
  final class Categories {
    private static final Map<String, Long> TYPES = new HashMap<>();

    static {
      put("Lu", Character.UPPERCASE_LETTER);
      put("Ll", Character.LOWERCASE_LETTER);
      put("Lt", Character.TITLECASE_LETTER);
      put("Lm", Character.MODIFIER_LETTER);
      put("Lo", Character.OTHER_LETTER);
      put("Mn", Character.NON_SPACING_MARK);
      put("Mc", Character.COMBINING_SPACING_MARK);
      put("Me", Character.ENCLOSING_MARK);
      put("Nd", Character.DECIMAL_DIGIT_NUMBER);
      put("Nl", Character.LETTER_NUMBER);
      put("No", Character.OTHER_NUMBER);
      put("Pc", Character.CONNECTOR_PUNCTUATION);
      put("Pd", Character.DASH_PUNCTUATION);
      put("Ps", Character.START_PUNCTUATION);
      put("Pe", Character.END_PUNCTUATION);
      put("Pi", Character.INITIAL_QUOTE_PUNCTUATION);
      put("Pf", Character.FINAL_QUOTE_PUNCTUATION);
      put("Po", Character.OTHER_PUNCTUATION);
      put("Sm", Character.MATH_SYMBOL);
      put("Sc", Character.CURRENCY_SYMBOL);
      put("Sk", Character.MODIFIER_SYMBOL);
      put("So", Character.OTHER_SYMBOL);
      put("Zs", Character.SPACE_SEPARATOR);
      put("Zl", Character.LINE_SEPARATOR);
      put("Zp", Character.PARAGRAPH_SEPARATOR);
      put("Cc", Character.CONTROL);
      put("Cf", Character.FORMAT);
      put("Cs", Character.SURROGATE);
      put("Co", Character.PRIVATE_USE);
    }

    private Categories() {}

    private static void put(String name, byte type) {
      TYPES.put(name, 1L << type);
      TYPES.merge(name.substring(0, 1), 1L << type, (a, b) -> a | b);
    }
  }

  /** Which characters differ only in case. */
  final class Cases {
    private static final Map<Integer, int[]> ALL = new HashMap<>();

    static {
      for (int point = 0; point <= Character.MAX_CODE_POINT; point++) {
        int folded = fold(point);
        if (folded != point) {
          ALL.merge(folded, new int[] {folded, point}, Cases::union);
        }
      }
      for (int[] together : ALL.values().toArray(int[][]::new)) {
        for (int point : together) {
          ALL.put(point, together);
        }
      }
    }

    private Cases() {}

    /** The dotted and the dotless i of Turkish are letters of their own. */
    private static int fold(int point) {
      return point == 0x130 || point == 0x131
          ? point
          : Character.toLowerCase(Character.toUpperCase(point));
    }

    private static int[] union(int[] some, int[] more) {
      return IntStream.concat(Arrays.stream(some), Arrays.stream(more)).distinct().toArray();
    }

    static int[] of(int point) {
      int[] together = ALL.get(point);
      return together == null ? new int[] {point} : together;
    }
  }
}
