package io.fleetgauge.runtime.tenant;

import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A token, which only its bearer knows. The keys stand under {@code tenants.TENANT.tokens.NAME}.
 *
 * @param name what logs call it
 * @param sha256 {@code sha256}: its SHA-256 in hex; empty when {@code argon2id} is set
 * @param argon2id {@code argon2id}: its hash as {@code argon2 -id -e} prints it, for tokens that
 *     somebody made up; empty when {@code sha256} is set
 * @param expires {@code expires}: the first moment at which the token is no longer accepted
 * @param permissions {@code rights}
 */
public record TokenSettings(
    String name,
    String sha256,
    String argon2id,
    Optional<Instant> expires,
    Set<Permission> permissions) {
  private static final Pattern SHA256_HEX = Pattern.compile("[0-9a-f]{64}");
  private static final Pattern ARGON2ID_HASH =
      Pattern.compile(
          "\\$argon2id\\$v=19\\$m=[1-9]\\d{0,6},t=[1-9]\\d{0,2},p=[1-9]\\d?"
              + "\\$[A-Za-z0-9+/]{11,86}\\$[A-Za-z0-9+/]{22,171}");

  private static final Key<String> SHA256 =
      Key.optional(
          "sha256",
          KeyType.secretForm(
              "hash",
              "the SHA-256 of a token in 64 hexadecimal digits, as printf %s TOKEN | sha256sum"
                  + " prints it",
              text -> Optional.of(text).filter(SHA256_HEX.asMatchPredicate())),
          "Hash of a random token; each token needs this or `argon2id`.");
  private static final Key<String> ARGON2ID =
      Key.optional(
          "argon2id",
          KeyType.secretForm(
              "hash",
              "of the form $argon2id$v=19$m=19456,t=2,p=1$SALT$HASH, as argon2 -id -e prints it",
              text -> Optional.of(text).filter(TokenSettings::isArgon2id)),
          "Hash of a password that a person chose; slower to check, and harder to guess.");
  private static final Key<Instant> EXPIRES =
      Key.derived(
          "expires",
          KeyType.form(
              "date",
              "a day such as 2027-01-31 or an instant such as 2027-01-31T12:00:00Z",
              Instant::toString,
              TokenSettings::expiry),
          "never",
          "Time at which the token expires; a day means its end in UTC.");
  private static final Key<List<Permission>> PERMISSIONS =
      Key.of(
          "rights",
          KeyType.listOf(KeyType.choice(Permission.class), 1),
          List.of(Permission.READ),
          "Permissions of the token: query data, send samples, or operate the cluster.");

  static TokenSettings read(ConfigReader in, String section, String name) {
    Optional<String> sha256 = in.find(SHA256.in(section));
    Optional<String> argon2id = in.find(ARGON2ID.in(section));
    if (in.has(SHA256.in(section)) == in.has(ARGON2ID.in(section))) {
      in.problem(section + ": exactly one of sha256 and argon2id is required");
    }
    return new TokenSettings(
        name,
        sha256.orElse(""),
        argon2id.orElse(""),
        in.find(EXPIRES.in(section)),
        Set.copyOf(in.get(PERMISSIONS.in(section))));
  }

  boolean isExpired(Instant now) {
    return expires.isPresent() && !now.isBefore(expires.get());
  }

  private static boolean isArgon2id(String hash) {
    if (!ARGON2ID_HASH.matcher(hash).matches()) {
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

  private static Optional<Instant> expiry(String text) {
    try {
      return Optional.of(
          text.contains("T")
              ? Instant.parse(text)
              : LocalDate.parse(text).plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant());
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
