package io.fleetgauge.query.rules.evaluation;

import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/** A digest of a group's definition, the same on every machine. */
final class Digest {
  private static final int HEX_DIGITS = 32;

  private Digest() {}

  static String of(RuleGroup group) {
    StringBuilder text = new StringBuilder();
    put(text, group.id().tenant());
    put(text, group.id().file());
    put(text, group.id().name());
    put(text, group.interval() + " " + group.queryOffset() + " " + group.limit());
    put(text, group.partial().toString());
    put(text, group.labels());
    for (Rule rule : group.rules()) {
      put(text, rule.name());
      put(text, rule.expression().toString());
      put(text, rule.labels());
      switch (rule) {
        case Rule.Recording recording -> put(text, "record");
        case Rule.Alerting alerting -> {
          put(text, "alert " + alerting.forMillis() + " " + alerting.keepFiringMillis());
          put(text, alerting.annotations());
        }
      }
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(text.toString().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, HEX_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static void put(StringBuilder out, Map<String, String> map) {
    out.append(map.size()).append('#');
    map.forEach(
        (name, value) -> {
          put(out, name);
          put(out, value);
        });
  }

  private static void put(StringBuilder out, String text) {
    out.append(text.length()).append(':').append(text);
  }
}
