package io.fleetgauge.query.rules.template;

import io.fleetgauge.sample.regexp.Regexp;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/** What templates do with texts. */
final class Texts {
  private Texts() {}

  static String replaced(String pattern, String template, String in) throws TemplateFailure {
    try {
      return Regexp.searched(pattern).replaced(in, template, Execution.MAX_OUTPUT);
    } catch (IllegalArgumentException e) {
      throw new TemplateFailure("regexp: Compile(" + quote(pattern) + "): " + e.getMessage());
    }
  }

  /** As Go quotes an expression: in backquotes where that is possible. */
  private static String quote(String text) {
    boolean raw = text.codePoints().allMatch(c -> c != '`' && (c == '\t' || c >= ' ' && c != 0x7f));
    return raw ? "`" + text + "`" : Quoted.of(text);
  }

  static boolean matches(String pattern, String in) throws TemplateFailure {
    try {
      return Regexp.searched(pattern).matches(in);
    } catch (IllegalArgumentException e) {
      throw new TemplateFailure(e.getMessage());
    }
  }

  /** The first letter of each word as a capital, the others as they are. */
  static String title(String text) {
    StringBuilder out = new StringBuilder();
    boolean inWord = false;
    int[] points = text.codePoints().toArray();
    for (int i = 0; i < points.length; i++) {
      int c = points[i];
      boolean letter = Character.isLetter(c);
      if (letter && !inWord) {
        out.appendCodePoint(Character.toTitleCase(c));
        inWord = true;
      } else {
        out.appendCodePoint(c);
        boolean joins =
            letter
                || Character.isDigit(c)
                || c == '_'
                || Character.getType(c) == Character.NON_SPACING_MARK;
        boolean between =
            (c == '\'' || c == '.' || c == ':' || c == '\u2019' || c == '\u00b7')
                && i + 1 < points.length
                && Character.isLetter(points[i + 1])
                && i > 0
                && Character.isLetter(points[i - 1]);
        boolean number =
            (c == '.' || c == ',' || c == '\'' || c == ';')
                && i + 1 < points.length
                && Character.isDigit(points[i + 1])
                && i > 0
                && Character.isDigit(points[i - 1]);
        inWord = inWord && (joins || between || number);
      }
    }
    return out.toString();
  }

  /** A host and a port, and where the port begins; null if it is not that. */
  private static String[] split(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 0) {
      return null;
    }
    String host = text.substring(0, colon);
    if (text.startsWith("[")) {
      int end = text.indexOf(']');
      if (end < 0 || end + 1 != colon) {
        return null;
      }
      host = text.substring(1, end);
      if (host.contains("[")) {
        return null;
      }
    } else if (host.contains(":") || text.contains("[") || text.contains("]")) {
      return null;
    }
    return new String[] {host, text.substring(colon + 1)};
  }

  static String withoutPort(String text) {
    String[] parts = split(text);
    return parts == null ? text : parts[0];
  }

  static String withoutDomain(String text) {
    String[] parts = split(text);
    String host = parts == null ? text : parts[0];
    if (isAddress(host)) {
      return text;
    }
    String name = host.split("\\.", -1)[0];
    if (parts == null || parts[1].isEmpty()) {
      return name;
    }
    return (name.contains(":") || name.contains("%") ? "[" + name + "]" : name) + ":" + parts[1];
  }

  private static boolean isAddress(String host) {
    if (host.matches("\\d{1,3}(\\.\\d{1,3}){3}")) {
      for (String part : host.split("\\.")) {
        if (Integer.parseInt(part) > 255 || part.length() > 1 && part.startsWith("0")) {
          return false;
        }
      }
      return true;
    }
    return host.contains(":") && host.matches("[0-9a-fA-F:.]{2,45}") && isIpv6(host);
  }

  private static boolean isIpv6(String host) {
    int gap = host.indexOf("::");
    if (gap >= 0 && host.indexOf("::", gap + 1) >= 0) {
      return false;
    }
    String[] groups = host.replace("::", ":x:").replaceAll("^:|:$", "").split(":", -1);
    int count = 0;
    for (int i = 0; i < groups.length; i++) {
      String group = groups[i];
      if (group.equals("x")) {
        continue;
      }
      boolean embedded = i == groups.length - 1 && group.contains(".") && isAddress(group);
      if (!embedded && !group.matches("[0-9a-fA-F]{1,4}")) {
        return false;
      }
      count += embedded ? 2 : 1;
    }
    return gap >= 0 ? count < 8 : count == 8;
  }

  /** The path of a URL. */
  static String path(String url) {
    try {
      String path = new URI(url).getPath();
      return path == null ? "" : path;
    } catch (URISyntaxException e) {
      return "";
    }
  }

  // --- escapes ---

  static String html(String text) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case 0 -> out.append('\ufffd');
        case '"' -> out.append("&#34;");
        case '\'' -> out.append("&#39;");
        case '&' -> out.append("&amp;");
        case '<' -> out.append("&lt;");
        case '>' -> out.append("&gt;");
        default -> out.append(c);
      }
    }
    return out.toString();
  }

  static String js(String text) {
    StringBuilder out = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '\\' -> out.append("\\\\");
                case '\'' -> out.append("\\'");
                case '"' -> out.append("\\\"");
                case '<', '>', '&', '=' -> out.append(unicode(c));
                default -> {
                  if (c < ' ' || c >= 0x80 && !Quoted.isPrint(c)) {
                    out.append(unicode(c));
                  } else {
                    out.appendCodePoint(c);
                  }
                }
              }
            });
    return out.toString();
  }

  private static String unicode(int c) {
    return String.format("\\u%04x", c).toUpperCase(Locale.ROOT).replace("\\U", "\\u");
  }
}
