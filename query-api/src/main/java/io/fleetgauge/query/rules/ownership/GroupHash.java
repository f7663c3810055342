package io.fleetgauge.query.rules.ownership;

import io.fleetgauge.query.rules.definition.RuleGroup;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Short names of groups and definitions, equal in all processes. */
public final class GroupHash {
  private GroupHash() {}

  /** Names a group, whatever its definition. */
  public static long of(RuleGroup.Id id) {
    return hash("group", id.tenant(), id.file(), id.name());
  }

  /** Names a definition. */
  public static long ofDefinition(String definition) {
    return hash("definition", definition);
  }

  /** Rank of a member in the order of those that could own a group. */
  static long rank(String member, long group) {
    return hash("rank", member, Long.toHexString(group));
  }

  private static long hash(String... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String part : parts) {
        byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
        digest.update(bytes);
      }
      return ByteBuffer.wrap(digest.digest()).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
