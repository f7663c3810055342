package io.fleetgauge.sample.regexp;

import com.google.re2j.Matcher;

/**
 * The match of a text. Fills in templates, in which {@code $1}, {@code ${1}} and {@code ${name}}
 * stand for capture groups and {@code $$} for a dollar sign; a group that does not exist is empty.
 * A name extends over letters, digits and underscores, so {@code $1x} is the group named "1x".
 */
public final class Match {
  private final Matcher matcher;

  Match(Matcher matcher) {
    this.matcher = matcher;
  }

  /** A template with groups filled in. */
  public String expand(String template) {
    return expand(template, Integer.MAX_VALUE - 1);
  }

  /**
   * A template with groups filled in.
   *
   * @param enough when it is longer than this, it may end early, but has more characters than this
   */
  public String expand(String template, int enough) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < template.length() && out.length() <= enough) {
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
      out.append(group(template.substring(from, to)));
      at = braces ? to + 1 : to;
    }
    return out.append(template, at, template.length()).toString();
  }

  private static boolean isNamePart(int c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }

  private String group(String name) {
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
