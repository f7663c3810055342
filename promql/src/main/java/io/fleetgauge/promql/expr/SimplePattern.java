package io.fleetgauge.promql.expr;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Regular expressions that need none: alternatives that are literal, with {@code .*} or {@code .+}
 * at either end at the most. They are most of those that dashboards send, and take no automaton.
 */
final class SimplePattern {
  private static final String SPECIAL = "\\.+*?()|[]{}^$";

  private final Set<String> literals;
  private final List<Part> parts;

  /** A literal with something before or behind it. */
  private record Part(Rest before, String literal, Rest behind) {
    boolean matches(String text) {
      int spare = text.length() - literal.length();
      if (spare < before.fewest + behind.fewest) {
        return false;
      }
      if (before == Rest.NOTHING) {
        return text.startsWith(literal) && (behind != Rest.NOTHING || spare == 0);
      }
      if (behind == Rest.NOTHING) {
        return text.endsWith(literal);
      }
      int at = text.indexOf(literal, before.fewest);
      return at >= 0 && text.length() - at - literal.length() >= behind.fewest;
    }
  }

  private enum Rest {
    NOTHING(0),
    ANYTHING(0),
    SOMETHING(1);

    final int fewest;

    Rest(int fewest) {
      this.fewest = fewest;
    }
  }

  private SimplePattern(Set<String> literals, List<Part> parts) {
    this.literals = literals;
    this.parts = parts;
  }

  /** The expression, if it is one of these. */
  static Optional<SimplePattern> of(String regex) {
    String inner = regex;
    if (inner.startsWith("(?:") && closesAtEnd(inner)) {
      inner = inner.substring(3, inner.length() - 1);
    } else if (inner.startsWith("(") && !inner.startsWith("(?") && closesAtEnd(inner)) {
      inner = inner.substring(1, inner.length() - 1);
    }
    Set<String> literals = new HashSet<>();
    List<Part> parts = new ArrayList<>();
    int from = 0;
    while (true) {
      int to = endOfAlternative(inner, from);
      Optional<Part> part = part(inner, from, to);
      if (part.isEmpty()) {
        return Optional.empty();
      }
      Part found = part.get();
      if (found.before() == Rest.NOTHING && found.behind() == Rest.NOTHING) {
        literals.add(found.literal());
      } else {
        parts.add(found);
      }
      if (to == inner.length()) {
        return Optional.of(new SimplePattern(literals, parts));
      }
      from = to + 1;
    }
  }

  /** All texts that match, if they are alternatives without anything before or behind them. */
  Optional<Set<String>> texts() {
    return parts.isEmpty() ? Optional.of(Set.copyOf(literals)) : Optional.empty();
  }

  private static boolean closesAtEnd(String regex) {
    return regex.indexOf(')') == regex.length() - 1 && !regex.endsWith("\\)");
  }

  private static int endOfAlternative(String regex, int from) {
    int at = from;
    while (at < regex.length() && regex.charAt(at) != '|') {
      at += regex.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(at, regex.length());
  }

  private static Optional<Part> part(String regex, int from, int to) {
    int begin = from;
    int end = to;
    Rest before = rest(regex, begin, to);
    begin += before == Rest.NOTHING ? 0 : 2;
    Rest behind = Rest.NOTHING;
    if (end - begin >= 2 && !isEscaped(regex, begin, end - 2)) {
      behind = rest(regex, end - 2, end);
      end -= behind == Rest.NOTHING ? 0 : 2;
    }
    StringBuilder literal = new StringBuilder(end - begin);
    for (int i = begin; i < end; i++) {
      char c = regex.charAt(i);
      if (c == '\\') {
        if (++i >= end || SPECIAL.indexOf(regex.charAt(i)) < 0) {
          return Optional.empty();
        }
        c = regex.charAt(i);
      } else if (SPECIAL.indexOf(c) >= 0) {
        return Optional.empty();
      }
      literal.append(c);
    }
    return Optional.of(new Part(before, literal.toString(), behind));
  }

  private static boolean isEscaped(String regex, int from, int at) {
    int slashes = 0;
    for (int i = at - 1; i >= from && regex.charAt(i) == '\\'; i--) {
      slashes++;
    }
    return slashes % 2 == 1;
  }

  private static Rest rest(String regex, int from, int to) {
    if (to - from < 2 || regex.charAt(from) != '.') {
      return Rest.NOTHING;
    }
    boolean lazy = from + 2 < to && regex.charAt(from + 2) == '?';
    return lazy
        ? Rest.NOTHING
        : switch (regex.charAt(from + 1)) {
          case '*' -> Rest.ANYTHING;
          case '+' -> Rest.SOMETHING;
          default -> Rest.NOTHING;
        };
  }

  boolean matches(String text) {
    if (literals.contains(text)) {
      return true;
    }
    for (Part part : parts) {
      if (part.matches(text)) {
        return true;
      }
    }
    return false;
  }
}
