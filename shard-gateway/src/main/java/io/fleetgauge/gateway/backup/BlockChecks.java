package io.fleetgauge.gateway.backup;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The checksums of blocks. A block is read once, and then known by the file system's key: blocks do
 * not change. Safe for all threads.
 */
final class BlockChecks {
  private static final int BUFFER_BYTES = 1 << 16;

  private record Key(Object file, long size, long changed) {}

  private final Map<Key, String> known = new ConcurrentHashMap<>();
  private final Set<Key> used = ConcurrentHashMap.newKeySet();

  /**
   * @throws DamagedBlock if samples of it cannot be read
   * @throws IOException if it is not there or cannot be read
   */
  String of(Path file) throws IOException, DamagedBlock {
    BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
    Object id = now.fileKey() == null ? file : now.fileKey();
    Key key = new Key(id, now.size(), now.lastModifiedTime().toMillis());
    used.add(key);
    String before = known.get(key);
    if (before != null) {
      return before;
    }
    Block.check(file);
    String sha256 = sha256(file);
    known.put(key, sha256);
    return sha256;
  }

  /** Forgets the blocks that were not asked for since the last call. */
  void forgetOthers() {
    known.keySet().retainAll(new HashSet<>(used));
    used.clear();
  }

  private static String sha256(Path file) throws IOException {
    MessageDigest digest = digest();
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
        digest.update(buffer, 0, read);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(digest().digest(bytes));
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
