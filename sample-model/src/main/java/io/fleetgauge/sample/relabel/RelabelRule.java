package io.fleetgauge.sample.relabel;

import io.fleetgauge.sample.regexp.Regexp;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;

/**
 * One rule. Immutable.
 *
 * @param sources {@code source_labels}
 * @param separator between the values of the source labels
 * @param regex matches the joined values
 * @param modulus of {@link RelabelAction#HASHMOD}, unsigned
 * @param target {@code target_label}; may name groups of the regex with {@link
 *     RelabelAction#REPLACE}
 * @param replacement may name groups of the regex
 */
public record RelabelRule(
    RelabelAction action,
    List<String> sources,
    String separator,
    Regexp regex,
    long modulus,
    String target,
    String replacement) {
  public RelabelRule {
    sources = List.copyOf(sources);
  }

  /** Changes the labels; false if the series is dropped. */
  boolean keeps(LabelChanges labels) {
    String source = sources.stream().map(labels::value).collect(Collectors.joining(separator));
    switch (action) {
      case KEEP -> {
        return regex.matches(source);
      }
      case DROP -> {
        return !regex.matches(source);
      }
      case KEEPEQUAL -> {
        return labels.value(target).equals(source);
      }
      case DROPEQUAL -> {
        return !labels.value(target).equals(source);
      }
      case REPLACE -> replace(labels, source);
      case HASHMOD -> labels.set(target, Long.toUnsignedString(hash(source)));
      case LOWERCASE -> labels.set(target, eachPoint(source, Character::toLowerCase));
      case UPPERCASE -> labels.set(target, eachPoint(source, Character::toUpperCase));
      case LABELMAP ->
          labels
              .all()
              .forEach(
                  (name, value) -> {
                    regex
                        .match(name)
                        .ifPresent(match -> labels.set(match.expand(replacement), value));
                  });
      case LABELDROP, LABELKEEP ->
          labels
              .all()
              .forEach(
                  (name, value) -> {
                    if (regex.matches(name) == (action == RelabelAction.LABELDROP)) {
                      labels.set(name, "");
                    }
                  });
    }
    return true;
  }

  private void replace(LabelChanges labels, String source) {
    regex
        .match(source)
        .ifPresent(
            match -> {
              String name = match.expand(target);
              if (!name.isEmpty()) {
                labels.set(name, match.expand(replacement));
              }
            });
  }

  private long hash(String source) {
    try {
      byte[] md5 = MessageDigest.getInstance("MD5").digest(source.getBytes(StandardCharsets.UTF_8));
      return Long.remainderUnsigned(ByteBuffer.wrap(md5).getLong(8), modulus);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has MD5", e);
    }
  }

  /** Character by character, as Go does it: a character stays one character. */
  private static String eachPoint(String text, IntUnaryOperator change) {
    int[] points = text.codePoints().map(change).toArray();
    return new String(points, 0, points.length);
  }
}
