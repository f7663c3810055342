package io.fleetgauge.sample.regexp;

import java.util.ArrayList;
import java.util.List;

/** Reads an expression. One thread, one use. */
final class ExpressionParser {
  private static final int MAX_REPEAT = 1_000;
  private static final int MAX_DEPTH = 500;
  private static final int MAX_LENGTH = 100_000;

  private final int[] in;
  private final List<String> groupNames = new ArrayList<>(List.of(""));
  private int at;
  private int depth;
  private boolean anyCase;
  private boolean manyLines;
  private boolean dotIsAny;
  private boolean lazy;

  ExpressionParser(String text) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "expression too large: it has " + text.length() + " characters of at most " + MAX_LENGTH);
    }
    this.in = text.codePoints().toArray();
  }

  /** By number; empty for groups without a name. */
  List<String> groupNames() {
    return groupNames;
  }

  Node parse() {
    Node tree = choice();
    if (at < in.length) {
      throw wrong("unexpected )", at, at + 1);
    }
    return tree;
  }

  private IllegalArgumentException wrong(String what, int from, int to) {
    int end = Math.min(in.length, Math.min(to, from + 60));
    return new IllegalArgumentException(
        end <= from ? what : what + ": `" + new String(in, from, end - from) + "`");
  }

  private boolean has(int ahead) {
    return at + ahead < in.length;
  }

  private boolean sees(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!has(i) || in[at + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private boolean take(String text) {
    boolean seen = sees(text);
    at += seen ? text.length() : 0;
    return seen;
  }

  private Node choice() {
    List<Node> all = new ArrayList<>();
    do {
      all.add(sequence());
    } while (take("|"));
    return all.size() == 1 ? all.getFirst() : new Node.Choice(List.copyOf(all));
  }

  private Node sequence() {
    List<Node> parts = new ArrayList<>();
    boolean repeated = false;
    int repeatFrom = 0;
    while (has(0) && in[at] != '|' && in[at] != ')') {
      int from = at;
      int[] times = times();
      if (times == null) {
        repeated = false;
        item(parts);
        continue;
      }
      boolean greedy = !take("?") != lazy;
      if (repeated) {
        throw wrong("invalid nested repetition operator", repeatFrom, at);
      }
      if (parts.isEmpty()) {
        throw wrong("missing argument to repetition operator", from, at);
      }
      Node repeat = new Node.Repeat(parts.removeLast(), times[0], times[1], greedy);
      if (!mayRepeat(repeat, MAX_REPEAT)) {
        throw wrong("invalid repeat count", from, at);
      }
      parts.add(repeat);
      repeated = true;
      repeatFrom = from;
    }
    return switch (parts.size()) {
      case 0 -> new Node.Empty();
      case 1 -> parts.getFirst();
      default -> new Node.Sequence(List.copyOf(parts));
    };
  }

  /** Takes a repetition; null if there is none here. */
  private int[] times() {
    if (take("*")) {
      return new int[] {0, -1};
    } else if (take("+")) {
      return new int[] {1, -1};
    } else if (take("?")) {
      return new int[] {0, 1};
    } else if (in[at] == '{') {
      return counted();
    }
    return null;
  }

  /** A brace that begins no repetition stands for itself. */
  private int[] counted() {
    int from = at++;
    int min = number();
    int max = min;
    boolean is = min >= 0;
    if (is && take(",")) {
      max = sees("}") ? -1 : number();
      is = sees("}") || max >= 0;
    }
    if (!is || !take("}")) {
      at = from;
      return null;
    }
    if (min > MAX_REPEAT || max > MAX_REPEAT || max >= 0 && min > max) {
      throw wrong("invalid repeat count", from, at);
    }
    return new int[] {min, max};
  }

  /** A number without leading zeros, at most {@link #MAX_REPEAT} and one; -1 if there is none. */
  private int number() {
    int from = at;
    int number = 0;
    while (has(0) && in[at] >= '0' && in[at] <= '9') {
      number = Math.min(MAX_REPEAT + 1, 10 * number + in[at++] - '0');
    }
    return at == from || at - from > 1 && in[from] == '0' ? -1 : number;
  }

  /** Whether repetitions inside each other repeat at most so often together. */
  private static boolean mayRepeat(Node node, int limit) {
    return switch (node) {
      case Node.Empty _, Node.One _, Node.At _ -> true;
      case Node.Group group -> mayRepeat(group.of(), limit);
      case Node.Sequence sequence -> sequence.parts().stream().allMatch(n -> mayRepeat(n, limit));
      case Node.Choice choice -> choice.of().stream().allMatch(n -> mayRepeat(n, limit));
      case Node.Repeat repeat -> {
        boolean counted = repeat.min() > 1 || repeat.max() > 1;
        int most = repeat.max() < 0 ? repeat.min() : repeat.max();
        yield repeat.max() == 0
            || !counted && mayRepeat(repeat.of(), limit)
            || counted && most <= limit && mayRepeat(repeat.of(), limit / most);
      }
    };
  }

  private void item(List<Node> parts) {
    int point = in[at];
    switch (point) {
      case '(' -> group(parts);
      case '[' -> parts.add(new Node.One(cased(bracket())));
      case '.' -> {
        at++;
        parts.add(new Node.One(dotIsAny ? CharacterSet.ANY : CharacterSet.ANY_IN_LINE));
      }
      case '^' -> {
        at++;
        parts.add(new Node.At(manyLines ? Assertion.LINE_BEGINS : Assertion.TEXT_BEGINS));
      }
      case '$' -> {
        at++;
        parts.add(new Node.At(manyLines ? Assertion.LINE_ENDS : Assertion.TEXT_ENDS));
      }
      case '\\' -> escape(parts);
      default -> {
        at++;
        parts.add(literal(point));
      }
    }
  }

  private Node literal(int point) {
    return new Node.One(cased(CharacterSet.range(point, point)));
  }

  private CharacterSet cased(CharacterSet set) {
    return anyCase ? set.inAnyCase() : set;
  }

  private void group(List<Node> parts) {
    int from = at++;
    if (++depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "expression nests too deeply: at most " + MAX_DEPTH + " levels are allowed");
    }
    boolean caseBefore = anyCase;
    boolean linesBefore = manyLines;
    boolean dotBefore = dotIsAny;
    boolean lazyBefore = lazy;
    int number = 0;
    if (take("?P<") || take("?<")) {
      number = groupNames.size();
      groupNames.add(groupName(from));
    } else if (take("?")) {
      if (flags(from)) {
        depth--;
        return; // to the end of the enclosing group
      }
    } else {
      number = groupNames.size();
      groupNames.add("");
    }
    Node of = choice();
    if (!take(")")) {
      throw wrong("missing closing )", from, in.length);
    }
    depth--;
    anyCase = caseBefore;
    manyLines = linesBefore;
    dotIsAny = dotBefore;
    lazy = lazyBefore;
    parts.add(number == 0 ? of : new Node.Group(number, of));
  }

  private String groupName(int from) {
    int begin = at;
    while (has(0) && CharacterSet.WORD.contains(in[at])) {
      at++;
    }
    String name = new String(in, begin, at - begin);
    if (name.isEmpty() || !take(">")) {
      throw wrong("invalid named capture", from, at + 1);
    }
    if (groupNames.contains(name)) {
      throw wrong("duplicate capture group name", begin, at - 1);
    }
    return name;
  }

  /** Whether the flags hold from here on, and not in a group. */
  private boolean flags(int from) {
    boolean set = true;
    boolean any = false;
    while (has(0)) {
      int flag = in[at++];
      switch (flag) {
        case 'i' -> anyCase = set;
        case 'm' -> manyLines = set;
        case 's' -> dotIsAny = set;
        case 'U' -> lazy = set;
        case '-' -> {
          if (!set) {
            throw wrong("invalid or unsupported Perl syntax", from, at);
          }
          set = false;
          any = false;
          continue;
        }
        case ':', ')' -> {
          if (!set && !any) {
            throw wrong("invalid or unsupported Perl syntax", from, at);
          }
          return flag == ')';
        }
        default -> throw wrong("invalid or unsupported Perl syntax", from, at);
      }
      any = true;
    }
    throw wrong("missing closing )", from, in.length);
  }

  private void escape(List<Node> parts) {
    if (take("\\A")) {
      parts.add(new Node.At(Assertion.TEXT_BEGINS));
    } else if (take("\\z")) {
      parts.add(new Node.At(Assertion.TEXT_ENDS));
    } else if (take("\\b")) {
      parts.add(new Node.At(Assertion.WORD_BOUNDARY));
    } else if (take("\\B")) {
      parts.add(new Node.At(Assertion.NO_WORD_BOUNDARY));
    } else if (take("\\Q")) {
      while (has(0) && !take("\\E")) {
        parts.add(literal(in[at++]));
      }
    } else {
      CharacterSet set = escapedSet();
      parts.add(set == null ? literal(escapedCharacter()) : new Node.One(cased(set)));
    }
  }

  /** Takes a set such as {@code \d} or {@code \pL}; null if there is none here. */
  private CharacterSet escapedSet() {
    if (!has(1) || in[at] != '\\') {
      return null;
    }
    int kind = in[at + 1];
    CharacterSet set =
        switch (kind) {
          case 'd', 'D' -> CharacterSet.DIGIT;
          case 's', 'S' -> CharacterSet.SPACE;
          case 'w', 'W' -> CharacterSet.WORD;
          default -> null;
        };
    if (set != null) {
      at += 2;
      return Character.isUpperCase(kind) ? set.negated() : set;
    }
    return kind == 'p' || kind == 'P' ? unicode(kind == 'P') : null;
  }

  private CharacterSet unicode(boolean negated) {
    int from = at;
    at += 2;
    String name;
    if (take("{")) {
      int begin = at;
      while (has(0) && in[at] != '}') {
        at++;
      }
      name = new String(in, begin, at - begin);
      if (!take("}")) {
        throw wrong("invalid character class range", from, at);
      }
    } else {
      name = has(0) ? Character.toString(in[at++]) : "";
    }
    boolean caret = name.startsWith("^");
    CharacterSet set = CharacterSet.unicode(caret ? name.substring(1) : name);
    if (set == null) {
      throw wrong("invalid character class range", from, at);
    }
    return negated == caret ? set : cased(set).negated();
  }

  private int escapedCharacter() {
    int from = at++;
    if (!has(0)) {
      throw wrong("trailing backslash at end of expression", 0, 0);
    }
    int point = in[at++];
    switch (point) {
      case 'a':
        return 7;
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'v':
        return 0x0b;
      case 'x':
        return hexadecimal(from);
      default:
        break;
    }
    boolean octal = point >= '1' && point <= '7' && has(0) && in[at] >= '0' && in[at] <= '7';
    if (point == '0' || octal) {
      int value = point - '0';
      for (int i = 1; i < 3 && has(0) && in[at] >= '0' && in[at] <= '7'; i++) {
        value = 8 * value + in[at++] - '0';
      }
      return value;
    }
    boolean isPunctuation =
        point < 0x80 && !CharacterSet.LETTER.or(CharacterSet.DIGIT).contains(point);
    if (!isPunctuation) {
      throw wrong("invalid escape sequence", from, at);
    }
    return point;
  }

  private int hexadecimal(int from) {
    int value = 0;
    int digits = 0;
    boolean braced = take("{");
    while (has(0) && (braced || digits < 2) && hexDigit(in[at]) >= 0) {
      value = Math.min(Character.MAX_CODE_POINT + 1, 16 * value + hexDigit(in[at++]));
      digits++;
    }
    boolean complete = braced ? digits > 0 && take("}") : digits == 2;
    if (!complete || value > Character.MAX_CODE_POINT) {
      throw wrong("invalid escape sequence", from, at);
    }
    return value;
  }

  private static int hexDigit(int point) {
    return point < 0x80 ? Character.digit(point, 16) : -1;
  }

  private CharacterSet bracket() {
    int from = at++;
    boolean negated = take("^");
    CharacterSet set = null;
    boolean first = true;
    while (first || !sees("]")) {
      if (!has(0)) {
        throw wrong("missing closing ]", from, in.length);
      }
      CharacterSet more = named();
      more = more == null ? escapedSet() : more;
      more = more == null ? range() : more;
      set = set == null ? more : set.or(more);
      first = false;
    }
    at++;
    return negated ? cased(set).negated() : set;
  }

  /** Takes a set such as {@code [:alpha:]}; null if there is none here. */
  private CharacterSet named() {
    if (!sees("[:")) {
      return null;
    }
    int end = at + 2;
    while (end + 1 < in.length && !(in[end] == ':' && in[end + 1] == ']')) {
      end++;
    }
    if (end + 1 >= in.length) {
      return null;
    }
    String name = new String(in, at + 2, end - at - 2);
    boolean negated = name.startsWith("^");
    CharacterSet set = CharacterSet.posix(negated ? name.substring(1) : name);
    if (set == null) {
      throw wrong("invalid character class range", at, end + 2);
    }
    at = end + 2;
    return negated ? cased(set).negated() : set;
  }

  private CharacterSet range() {
    int from = at;
    int low = classCharacter();
    int high = low;
    if (has(1) && in[at] == '-' && in[at + 1] != ']') {
      at++;
      high = classCharacter();
      if (high < low) {
        throw wrong("invalid character class range", from, at);
      }
    }
    return CharacterSet.range(low, high);
  }

  private int classCharacter() {
    if (!has(0)) {
      throw wrong("missing closing ]", 0, in.length);
    }
    return in[at] == '\\' ? escapedCharacter() : in[at++];
  }
}
