package io.fleetgauge.promql.expr;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.Optional;

/**
 * A regular expression and a template that takes up what it caught, as {@code label_replace} has
 * them: {@code $1}, {@code ${1}} and {@code ${name}} stand for groups, {@code $$} for a dollar, and
 * a group that is not there for nothing. A name reaches as far as letters, digits and underscores
 * do, so {@code $1x} is the group called "1x".
 */
public final class Rewriting {
  private final Pattern pattern;
  private final String template;

  /**
   * @throws IllegalArgumentException if {@code regex} is no regular expression
   */
  public Rewriting(String regex, String template) {
    this.pattern = Regex.compile(regex);
    this.template = template;
  }

  /** What the template makes of a text that matches as a whole; empty when it does not. */
  public Optional<String> apply(String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.matches() ? Optional.of(expanded(matcher)) : Optional.empty();
  }

  private String expanded(Matcher matcher) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < template.length()) {
      int dollar = template.indexOf('$', at);
      if (dollar < 0) {
        break;
      }
      out.append(template, at, dollar);
      at = dollar + 1;
      if (template.startsWith("$", at)) {
        out.append('$');
        at++;
        continue;
      }
      boolean braces = template.startsWith("{", at);
      int from = braces ? at + 1 : at;
      int to = from;
      while (to < template.length() && isNamePart(template.codePointAt(to))) {
        to += Character.charCount(template.codePointAt(to));
      }
      if (to == from || braces && !template.startsWith("}", to)) {
        out.append('$'); // not a name: a dollar as it is
        continue;
      }
      out.append(group(matcher, template.substring(from, to)));
      at = braces ? to + 1 : to;
    }
    return out.append(template, at, template.length()).toString();
  }

  private static boolean isNamePart(int c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private static String group(Matcher matcher, String name) {
    String found = null;
    boolean number = name.chars().allMatch(c -> c >= '0' && c <= '9');
    boolean leadingZero = name.length() > 1 && name.charAt(0) == '0';
    if (number && !leadingZero) {
      boolean there = name.length() < 9 && Integer.parseInt(name) <= matcher.groupCount();
      found = there ? matcher.group(Integer.parseInt(name)) : null;
    } else {
      try {
        found = matcher.group(name);
      } catch (IllegalArgumentException e) {
        return ""; // no group has this name
      }
    }
    return found == null ? "" : found;
  }
}
