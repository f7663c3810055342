package io.fleetgauge.sample.regexp;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * A regular expression of RE2, anchored at both ends, a dot matching a line feed too. Refuses what
 * would take much time or memory to compile, as Go's RE2 does. Immutable and safe for all threads.
 */
public final class Regexp {
  /** Longest expression, UTF-16 units. */
  static final int MAX_LENGTH = 1 << 16;

  private static final int MAX_DEPTH = 1_000;
  private static final int MAX_REPEAT = 1_000;

  private final String text;
  private final Pattern pattern;

  private Regexp(String text, Pattern pattern) {
    this.text = text;
    this.pattern = pattern;
  }

  /**
   * @throws IllegalArgumentException if {@code regex} is no regular expression, or too costly a
   *     one; the message is RE2's
   */
  public static Regexp anchored(String regex) {
    return compiled(regex, "^(?s:", ")$");
  }

  /**
   * An expression that is searched for in a text, where a dot matches no line feed.
   *
   * @throws IllegalArgumentException as {@link #anchored}
   */
  public static Regexp searched(String regex) {
    return compiled(regex, "", "");
  }

  private static Regexp compiled(String regex, String before, String behind) {
    StringBuilder escaped = new StringBuilder(regex);
    // A brace that begins no repetition stands for itself; RE2/J refuses to repeat it.
    plainBraces(regex).reversed().forEach(at -> escaped.insert(at, "\\"));
    try {
      return new Regexp(regex, Pattern.compile(before + escaped + behind));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(complaint(regex, e), e);
    }
  }

  /**
   * A text with every match replaced by a template, as {@link Match#expand} fills it in. An empty
   * match right behind another one does not count.
   *
   * @param enough when the result is longer than this, it may end early, but has more characters
   *     than this
   */
  public String replaced(String in, String template, int enough) {
    Matcher matcher = pattern.matcher(in);
    StringBuilder out = new StringBuilder();
    int end = 0;
    boolean first = true;
    while (out.length() <= enough && matcher.find()) {
      boolean behind = !first && matcher.start() == matcher.end() && matcher.start() == end;
      if (!behind) {
        out.append(in, end, matcher.start()).append(new Match(matcher).expand(template, enough));
        end = matcher.end();
        first = false;
      }
    }
    return out.append(in, end, in.length()).toString();
  }

  /**
   * Returns true if a whole text matches. It is searched for, as Go does it: the anchors are part
   * of the expression, and one that closes a group that it did not open has alternatives without
   * them.
   */
  public boolean matches(String in) {
    return pattern.matcher(in).find();
  }

  /** The match of a whole text; empty when it does not match. */
  public Optional<Match> match(String in) {
    Matcher matcher = pattern.matcher(in);
    return matcher.find() ? Optional.of(new Match(matcher)) : Optional.empty();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Regexp that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }

  /** The problem, told of the expression as it was written. */
  private static String complaint(String regex, PatternSyntaxException anchored) {
    try {
      Pattern.compile(regex);
      return anchored.getMessage();
    } catch (PatternSyntaxException e) {
      return e.getMessage();
    }
  }

  /** The most repetitions of one thing in a group. */
  private static final class Group {
    int inner = 1;
    int lastAtom = 1;

    void atom(int repeats) {
      lastAtom = repeats;
      inner = Math.max(inner, repeats);
    }
  }

  /**
   * Checks what is seen without compiling it.
   *
   * @throws IllegalArgumentException if {@code regex} is too costly; the message is RE2's
   */
  public static void check(String regex) {
    plainBraces(regex);
  }

  private static List<Integer> plainBraces(String regex) {
    if (regex.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "a regular expression of "
              + regex.length()
              + " characters is too long, allowed are "
              + MAX_LENGTH);
    }
    List<Integer> plain = new ArrayList<>();
    Deque<Group> groups = new ArrayDeque<>();
    groups.push(new Group());
    for (int i = 0; i < regex.length(); i++) {
      switch (regex.charAt(i)) {
        case '\\' -> {
          i = endOfEscape(regex, i);
          groups.peek().atom(1);
        }
        case '[' -> {
          i = endOfClass(regex, i);
          groups.peek().atom(1);
        }
        case '(' -> {
          if (groups.size() > MAX_DEPTH) {
            throw new IllegalArgumentException("error parsing regexp: expression nests too deeply");
          }
          groups.push(new Group());
        }
        case ')' -> {
          if (groups.size() > 1) {
            int inner = groups.pop().inner;
            groups.peek().atom(inner);
          }
        }
        case '{' -> {
          int end = regex.indexOf('}', i);
          if (end < 0 || !regex.substring(i + 1, end).matches("\\d+(,\\d*)?")) {
            plain.add(i);
            groups.peek().atom(1);
            continue;
          }
          int count = repeats(regex.substring(i + 1, end));
          if (count > 1) {
            int total = groups.peek().lastAtom * count;
            if (total > MAX_REPEAT) {
              throw new IllegalArgumentException(
                  "error parsing regexp: invalid repeat count: `"
                      + regex.substring(i, end + 1)
                      + "`");
            }
            groups.peek().atom(total);
          }
          i = count > 0 && end > 0 && count != 1 ? end : i;
        }
        case '*', '+', '?', '|' -> {}
        default -> groups.peek().atom(1);
      }
    }
    return plain;
  }

  private static int endOfEscape(String regex, int from) {
    if (regex.startsWith("\\Q", from)) {
      return endOfQuote(regex, from);
    }
    // A class or a character by its name or number.
    boolean named = regex.startsWith("{", from + 2) && "pPx".indexOf(regex.charAt(from + 1)) >= 0;
    int end = named ? regex.indexOf('}', from) : from + 1;
    return end < 0 ? from + 1 : end;
  }

  private static int endOfQuote(String regex, int from) {
    int end = regex.indexOf("\\E", from);
    return end < 0 ? regex.length() : end + 1;
  }

  private static int endOfClass(String regex, int from) {
    int at = from + 1;
    if (regex.startsWith("^", at)) {
      at++;
    }
    // A bracket that stands first is a member.
    if (regex.startsWith("]", at)) {
      at++;
    }
    while (at < regex.length() && regex.charAt(at) != ']') {
      if (regex.charAt(at) == '\\') {
        at++;
      } else if (regex.startsWith("[:", at)) {
        int end = regex.indexOf(":]", at);
        at = end < 0 ? at : end + 1;
      }
      at++;
    }
    return at;
  }

  /** The larger number of {@code n}, {@code n,} or {@code n,m}; 1 for what is no repetition. */
  private static int repeats(String text) {
    if (!text.matches("\\d{1,9}(,(\\d{1,9})?)?")) {
      return 1;
    }
    String[] numbers = text.split(",");
    return Math.min(Integer.parseInt(numbers[numbers.length - 1]), MAX_REPEAT + 1);
  }
}
