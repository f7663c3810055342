package io.fleetgauge.sample.regexp;

import java.util.List;

/** Where an expression matched. */
public final class Match {
  private final int[] in;
  private final int[] bounds;
  private final List<String> groupNames;

  Match(int[] in, int[] bounds, List<String> groupNames) {
    this.in = in;
    this.bounds = bounds;
    this.groupNames = groupNames;
  }

  int start() {
    return bounds[0];
  }

  int end() {
    return bounds[1];
  }

  /** The text of a group; empty if the group took no part. */
  private String group(int number) {
    return 2 * number + 1 >= bounds.length || bounds[2 * number] < 0 || bounds[2 * number + 1] < 0
        ? ""
        : new String(in, bounds[2 * number], bounds[2 * number + 1] - bounds[2 * number]);
  }

  private String group(String name) {
    for (int i = 1; i < groupNames.size(); i++) {
      if (groupNames.get(i).equals(name) && bounds[2 * i] >= 0) {
        return group(i);
      }
    }
    return "";
  }

  /**
   * A template with groups filled in: {@code $1} or {@code ${1}} by number, {@code $name} or {@code
   * ${name}} by name, {@code $$} for a dollar sign. A name is as long as possible; a group that is
   * not there is empty; a dollar sign before anything else stands for itself.
   */
  public String expand(String template) {
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < template.length()) {
      int dollar = template.indexOf('$', at);
      if (dollar < 0) {
        break;
      }
      out.append(template, at, dollar);
      at = dollar + 1;
      if (at < template.length() && template.charAt(at) == '$') {
        out.append('$');
        at++;
        continue;
      }
      boolean braced = at < template.length() && template.charAt(at) == '{';
      int from = braced ? at + 1 : at;
      int to = endOfName(template, from);
      boolean closed = !braced || to < template.length() && template.charAt(to) == '}';
      if (to == from || !closed) {
        out.append('$');
        continue;
      }
      String name = template.substring(from, to);
      out.append(name.matches("0|[1-9][0-9]{0,8}") ? group(Integer.parseInt(name)) : group(name));
      at = braced ? to + 1 : to;
    }
    return out.append(template, at, template.length()).toString();
  }

  private static int endOfName(String template, int from) {
    int at = from;
    while (at < template.length()) {
      int point = template.codePointAt(at);
      if (!Character.isLetter(point) && !Character.isDigit(point) && point != '_') {
        break;
      }
      at += Character.charCount(point);
    }
    return at;
  }
}
