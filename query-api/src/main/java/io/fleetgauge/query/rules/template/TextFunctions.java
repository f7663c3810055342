package io.fleetgauge.query.rules.template;

import io.fleetgauge.sample.regexp.Regexp;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Pattern;

/** The functions of templates that change texts. */
final class TextFunctions {
  /** Numbers without leading zeros. */
  private static final Pattern IPV4 = Pattern.compile("(0|[1-9]\\d{0,2})(\\.(0|[1-9]\\d{0,2})){3}");

  private TextFunctions() {}

  static String replaced(String pattern, String template, String in) throws TemplateFailure {
    try {
      return Regexp.searched(pattern).replaced(in, template, TemplateRun.MAX_OUTPUT);
    } catch (IllegalArgumentException e) {
      throw new TemplateFailure(e.getMessage());
    }
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
    int[] points = text.codePoints().toArray();
    boolean inWord = false;
    for (int i = 0; i < points.length; i++) {
      int c = points[i];
      int before = i > 0 ? points[i - 1] : ' ';
      int after = i + 1 < points.length ? points[i + 1] : ' ';
      boolean begins = !inWord && Character.isLetter(c);
      boolean goesOn =
          Character.isLetterOrDigit(c)
              || c == '_'
              || Character.getType(c) == Character.NON_SPACING_MARK
              || Character.isLetter(before)
                  && Character.isLetter(after)
                  && isIn("'.:\u2019\u00b7", c)
              || Character.isDigit(before) && Character.isDigit(after) && isIn(".,';", c);
      inWord = begins || inWord && goesOn;
      out.appendCodePoint(begins ? Character.toTitleCase(c) : c);
    }
    return out.toString();
  }

  private static boolean isIn(String characters, int c) {
    return characters.indexOf(c) >= 0;
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
    boolean isV4 = IPV4.matcher(host).matches();
    if (!isV4 && !(host.contains(":") && host.matches("[0-9a-fA-F:.]{2,45}"))) {
      return false;
    }
    try {
      InetAddress.ofLiteral(host);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
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
}
