package io.fleetgauge.runtime.tenant;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/** Hashes of tokens, compared in constant time. */
final class TokenHash {
  private static final Pattern ARGON2ID =
      Pattern.compile("\\$argon2id\\$v=19\\$m=(\\d+),t=(\\d+),p=(\\d+)\\$([^$]+)\\$([^$]+)");

  private TokenHash() {}

  static byte[] sha256(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  static byte[] sha256FromHex(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  /** Tells whether a token has this hash; takes some 10 ms, as it is meant to. */
  static boolean isArgon2id(String token, String hash) {
    Matcher parts = ARGON2ID.matcher(hash);
    if (!parts.matches()) {
      return false;
    }
    byte[] wanted = Base64.getDecoder().decode(parts.group(5));
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
            .withVersion(Argon2Parameters.ARGON2_VERSION_13)
            .withMemoryAsKB(Integer.parseInt(parts.group(1)))
            .withIterations(Integer.parseInt(parts.group(2)))
            .withParallelism(Integer.parseInt(parts.group(3)))
            .withSalt(Base64.getDecoder().decode(parts.group(4)))
            .build());
    byte[] found = new byte[wanted.length];
    generator.generateBytes(token.getBytes(StandardCharsets.UTF_8), found);
    return MessageDigest.isEqual(found, wanted);
  }
}
