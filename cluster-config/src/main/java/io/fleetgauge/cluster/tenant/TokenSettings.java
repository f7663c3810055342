package io.fleetgauge.cluster.tenant;

import io.fleetgauge.cluster.config.key.ConfigReader;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A token, which only its bearer knows. Keys stand under {@code tenants.TENANT.tokens.NAME}.
 *
 * @param name what logs call it
 * @param sha256 {@code sha256}: its SHA-256 in hex; empty when {@code argon2id} is there
 * @param argon2id {@code argon2id}: its hash as {@code argon2 -id -e} prints it, for tokens that
 *     somebody made up
 * @param expires {@code expires}: a day such as 2027-01-31, whose end is meant, or an instant; it
 *     is unknown from then on
 * @param rights {@code rights}: some of read, write and operate; read by default
 */
public record TokenSettings(
    String name, String sha256, String argon2id, Optional<Instant> expires, Set<Right> rights) {
  private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern ARGON2ID =
      Pattern.compile(
          "\\$argon2id\\$v=19\\$m=\\d{1,7},t=\\d{1,3},p=\\d{1,2}"
              + "\\$[A-Za-z0-9+/]{11,86}\\$[A-Za-z0-9+/]{22,171}");

  static TokenSettings read(ConfigReader in, String key, String name) {
    String sha256 = in.text(key + ".sha256", "");
    String argon2id = in.text(key + ".argon2id", "");
    if (sha256.isEmpty() == argon2id.isEmpty()) {
      in.problem(key + ": one of sha256 and argon2id is needed");
    } else if (!sha256.isEmpty() && !SHA256.matcher(sha256).matches()) {
      in.problem(
          key
              + ".sha256: it is not the SHA-256 of a token in 64 hexadecimal digits, as printf %s"
              + " TOKEN | sha256sum prints it");
    } else if (!argon2id.isEmpty() && !isArgon2id(argon2id)) {
      in.problem(
          key
              + ".argon2id: it is not of the form $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH, as"
              + " argon2 -id -e prints it");
    }
    Set<String> words = new TreeSet<>();
    for (Right right : Right.values()) {
      words.add(right.name().toLowerCase(Locale.ROOT));
    }
    EnumSet<Right> rights = EnumSet.noneOf(Right.class);
    for (String word : in.choices(key + ".rights", words)) {
      if (words.contains(word)) {
        rights.add(Right.valueOf(word.toUpperCase(Locale.ROOT)));
      }
    }
    if (rights.isEmpty()) {
      rights.add(Right.READ);
    }
    return new TokenSettings(
        name, sha256, argon2id, expires(in, key + ".expires"), Set.copyOf(rights));
  }

  private static boolean isArgon2id(String hash) {
    if (!ARGON2ID.matcher(hash).matches()) {
      return false;
    }
    String[] parts = hash.split("\\$");
    try {
      Base64.getDecoder().decode(parts[4]);
      Base64.getDecoder().decode(parts[5]);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static Optional<Instant> expires(ConfigReader in, String key) {
    String text = in.text(key, "");
    if (text.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          text.contains("T")
              ? Instant.parse(text)
              : LocalDate.parse(text).plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant());
    } catch (DateTimeParseException e) {
      in.problem(
          key + ": " + text + " is neither a day such as 2027-01-31 nor 2027-01-31T12:00:00Z");
      return Optional.empty();
    }
  }
}
