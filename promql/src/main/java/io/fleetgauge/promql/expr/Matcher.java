package io.fleetgauge.promql.expr;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.regexp.Regexp;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** A label matcher: a label's name, how it is compared, and with what. Immutable. */
public final class Matcher {
  /** The comparisons of a label's value. */
  public enum Kind {
    EQUAL("="),
    NOT_EQUAL("!="),
    REGEX("=~"),
    NOT_REGEX("!~");

    public final String text;

    Kind(String text) {
      this.text = text;
    }
  }

  private final Kind kind;
  private final String name;
  private final String value;
  private final Predicate<String> pattern;

  private Matcher(Kind kind, String name, String value, Predicate<String> pattern) {
    this.kind = kind;
    this.name = name;
    this.value = value;
    this.pattern = pattern;
  }

  /**
   * @throws IllegalArgumentException if {@code value} should be a regular expression and is none;
   *     the message is RE2's
   */
  public static Matcher of(Kind kind, String name, String value) {
    return switch (kind) {
      case EQUAL, NOT_EQUAL -> new Matcher(kind, name, value, null);
      case REGEX, NOT_REGEX -> new Matcher(kind, name, value, pattern(value));
    };
  }

  private static Predicate<String> pattern(String regex) {
    Regexp.check(regex);
    Optional<SimplePattern> simple = SimplePattern.of(regex);
    if (simple.isPresent()) {
      return simple.get()::matches;
    }
    return Regexp.anchored(regex)::matches;
  }

  public static Matcher equal(String name, String value) {
    return of(Kind.EQUAL, name, value);
  }

  public Kind kind() {
    return kind;
  }

  public String name() {
    return name;
  }

  public String value() {
    return value;
  }

  /**
   * Returns true if a label with this value matches; a label that is not there has the empty value.
   */
  public boolean matches(String labelValue) {
    return switch (kind) {
      case EQUAL -> value.equals(labelValue);
      case NOT_EQUAL -> !value.equals(labelValue);
      case REGEX -> pattern.test(labelValue);
      case NOT_REGEX -> !pattern.test(labelValue);
    };
  }

  public boolean matches(Labels labels) {
    return matches(labels.value(name));
  }

  /** The values that this matcher names, if only these match: one, or the alternatives. */
  public Set<String> namedValues() {
    return switch (kind) {
      case EQUAL -> Set.of(value);
      case REGEX -> SimplePattern.of(value).flatMap(SimplePattern::texts).orElse(Set.of());
      case NOT_EQUAL, NOT_REGEX -> Set.of();
    };
  }

  public boolean isName() {
    return kind == Kind.EQUAL && name.equals(Labels.NAME);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Matcher that
        && kind == that.kind
        && name.equals(that.name)
        && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, name, value);
  }

  @Override
  public String toString() {
    return Printer.labelName(name) + kind.text + Printer.quote(value);
  }
}
