package io.fleetgauge.runtime.key;

import java.util.Optional;

/**
 * A configuration key that describes itself: {@link ConfigReader} reads and checks by it, and the
 * reference page of all keys is written from it.
 *
 * @param name dotted, such as {@code query.timeout}
 * @param fallback what holds when the key is missing; empty when nothing does, or when the reader
 *     of the key works it out
 * @param fallbackText what the reference page says in the default's place
 * @param isRequired whether a missing key is a problem
 * @param meaning one sentence in plain English
 * @param <T> the value
 */
public record Key<T>(
    String name,
    KeyType<T> type,
    Optional<T> fallback,
    String fallbackText,
    boolean isRequired,
    String meaning) {

  /** A key with a default. */
  public static <T> Key<T> of(String name, KeyType<T> type, T fallback, String meaning) {
    return new Key<>(
        name, type, Optional.of(fallback), "`" + type.print(fallback) + "`", false, meaning);
  }

  /** A key that may be missing; {@link ConfigReader#find} reads it. */
  public static <T> Key<T> optional(String name, KeyType<T> type, String meaning) {
    return new Key<>(name, type, Optional.empty(), "none", false, meaning);
  }

  /** A key that must be there. */
  public static <T> Key<T> required(String name, KeyType<T> type, String meaning) {
    return new Key<>(name, type, Optional.empty(), "required", true, meaning);
  }

  /**
   * A key whose default depends on something else; it is passed to {@link ConfigReader#get(Key,
   * Object)}.
   *
   * @param fallbackText says what the default is
   */
  public static <T> Key<T> derived(
      String name, KeyType<T> type, String fallbackText, String meaning) {
    return new Key<>(name, type, Optional.empty(), fallbackText, false, meaning);
  }

  /** The same key below a section, such as {@code tenants.a.limits}. */
  public Key<T> in(String section) {
    return new Key<>(section + "." + name, type, fallback, fallbackText, isRequired, meaning);
  }
}
