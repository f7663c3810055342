package io.fleetgauge.query.rules.definition;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeId;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.resolver.Resolver;

/** Texts and numbers of YAML as Go's decoder takes them, which Prometheus uses. */
public final class YamlScalar {
  private static final Resolver IMPLICIT = new Resolver();
  private static final Set<Tag> CHECKED =
      Set.of(Tag.NULL, Tag.BOOL, Tag.INT, Tag.FLOAT, Tag.TIMESTAMP);
  private static final Pattern FLOAT =
      Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
  private static final BigInteger MAX = BigInteger.valueOf(Long.MAX_VALUE);

  private YamlScalar() {}

  /** Returns true if a node is nothing: {@code ~}, {@code null}, or no text at all. */
  public static boolean isNull(Node node) {
    return node instanceof ScalarNode scalar
        && node.getTag().equals(Tag.NULL)
        && implicit(scalar).equals(Tag.NULL);
  }

  /**
   * The text of a node of any scalar type. Empty for no text, and after a problem.
   *
   * @param what the node is, for messages
   */
  public static Optional<String> text(Node node, String what, Problems problems) {
    if (!(node instanceof ScalarNode scalar)) {
      problems.add(node, what + " is " + kind(node) + "; text is allowed");
      return Optional.empty();
    }
    if (isNull(node)) {
      return Optional.empty();
    }
    if (node.getTag().equals(Tag.BINARY)) {
      return binary(scalar, what, problems);
    }
    if (hasWrongTag(scalar)) {
      problems.add(node, what + " has the tag " + node.getTag() + ", which its value is not");
      return Optional.empty();
    }
    if (hasLoneSurrogate(scalar.getValue())) {
      problems.add(node, what + " has an escape that is no character of Unicode");
      return Optional.empty();
    }
    return Optional.of(scalar.getValue());
  }

  private static Optional<String> binary(ScalarNode node, String what, Problems problems) {
    try {
      byte[] bytes = Base64.getDecoder().decode(node.getValue().replaceAll("[\r\n]", ""));
      return Optional.of(new String(bytes, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException e) {
      problems.add(node, what + " is tagged as binary and is not base64");
      return Optional.empty();
    }
  }

  /** Returns true if a tag of a known type was written that the value does not have without it. */
  private static boolean hasWrongTag(ScalarNode node) {
    Tag tag = node.getTag();
    Tag implicit = implicit(node);
    return CHECKED.contains(tag)
        && !tag.equals(implicit)
        && !(tag.equals(Tag.FLOAT) && implicit.equals(Tag.INT));
  }

  private static Tag implicit(ScalarNode node) {
    return IMPLICIT.resolve(NodeId.scalar, node.getValue(), true);
  }

  private static boolean hasLoneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        if (i + 1 >= text.length()
            || !Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1))) {
          return true;
        }
        i++;
      }
    }
    return false;
  }

  /** A whole number; empty for no text, and after a problem. A fraction is cut off. */
  static OptionalLong whole(Node node, String what, Problems problems) {
    if (isNull(node)) {
      return OptionalLong.empty();
    }
    if (node instanceof ScalarNode scalar
        && (node.getTag().equals(Tag.INT) || node.getTag().equals(Tag.FLOAT) || isPlain(scalar))) {
      Optional<BigInteger> number = number(scalar.getValue().replace("_", ""));
      if (number.isPresent() && number.get().compareTo(MAX) <= 0) {
        return OptionalLong.of(number.get().max(BigInteger.valueOf(Long.MIN_VALUE)).longValue());
      }
    }
    String shown = node instanceof ScalarNode scalar ? '"' + scalar.getValue() + '"' : kind(node);
    problems.add(node, what + " is " + shown + "; a whole number such as 10 is allowed");
    return OptionalLong.empty();
  }

  /** SnakeYAML takes some numbers of Go, such as {@code 0o7}, for texts. */
  private static boolean isPlain(ScalarNode node) {
    return node.getScalarStyle() == ScalarStyle.PLAIN && node.getTag().equals(implicit(node));
  }

  private static Optional<BigInteger> number(String text) {
    try {
      boolean isSigned = text.startsWith("-") || text.startsWith("+");
      String digits = isSigned ? text.substring(1) : text;
      BigInteger value =
          switch (digits.length() < 2
              ? ""
              : digits.substring(0, 2).toLowerCase(java.util.Locale.ROOT)) {
            case "0x" -> digits(digits, 2, 16);
            case "0o" -> digits(digits, 2, 8);
            case "0b" -> digits(digits, 2, 2);
            default ->
                digits.matches("0[0-7]+")
                    ? new BigInteger(digits, 8)
                    : digits.matches("[0-9]+") && !digits.matches("0.+")
                        ? new BigInteger(digits)
                        : fraction(digits);
          };
      return Optional.of(text.startsWith("-") ? value.negate() : value);
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static BigInteger digits(String text, int from, int radix) {
    String digits = text.substring(from);
    if (digits.startsWith("-") || digits.startsWith("+")) {
      throw new NumberFormatException(text);
    }
    return new BigInteger(digits, radix);
  }

  private static BigInteger fraction(String text) {
    if (!FLOAT.matcher(text).matches()) {
      throw new NumberFormatException(text);
    }
    double value = Double.parseDouble(text);
    if (value >= Long.MAX_VALUE) {
      throw new NumberFormatException(text);
    }
    return BigInteger.valueOf((long) value);
  }

  /** The kind of a node, for messages. */
  public static String kind(Node node) {
    return switch (node.getNodeId()) {
      case scalar -> isNull(node) ? "empty" : "a text";
      case sequence -> "a list";
      case mapping -> "a map";
      case anchor -> "an alias";
    };
  }
}
