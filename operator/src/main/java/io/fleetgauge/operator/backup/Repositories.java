package io.fleetgauge.operator.backup;

import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The layout of repositories, which the package draws, and what is done with all of one. */
public final class Repositories {
  static final String FILES = "files/";
  static final String BACKUPS = "backups/";
  private static final String MARK = "fleetgauge-backup.json";
  private static final String SUFFIX = ".json";
  private static final int MAX_NAMED = 10;

  private Repositories() {}

  /** The access to a store with S3's protocol. */
  public record S3Options(Optional<URI> endpoint, Optional<String> region, boolean pathStyle) {}

  /**
   * Opens {@code s3://BUCKET/PREFIX} or a folder.
   *
   * @throws CommandFailure if the address is none of these
   */
  public static Repository open(String address, S3Options s3) throws CommandFailure {
    if (!address.startsWith("s3://")) {
      if (address.contains("://")) {
        throw new CommandFailure(
            "backups are in a folder or in s3://BUCKET/PREFIX, not in " + address);
      }
      return new FolderRepository(Path.of(address));
    }
    String rest = address.substring("s3://".length());
    int slash = rest.indexOf('/');
    String bucket = slash < 0 ? rest : rest.substring(0, slash);
    String prefix = slash < 0 ? "" : rest.substring(slash + 1).replaceAll("/+$", "");
    if (bucket.isEmpty()) {
      throw new CommandFailure(address + " names no bucket; write s3://BUCKET/PREFIX");
    }
    try {
      return new S3Repository(
          bucket, prefix.isEmpty() ? "" : prefix + "/", s3.endpoint(), s3.region(), s3.pathStyle());
    } catch (RuntimeException e) {
      throw new CommandFailure(address + " cannot be used: " + e.getMessage(), e);
    }
  }

  /** Fails unless a repository is one of ours, of a version that is known. */
  static void require(Repository repository) throws CommandFailure, IOException {
    try {
      JsonObject mark = new JsonObject(new String(repository.get(MARK), StandardCharsets.UTF_8));
      requireVersion(mark.getInteger("version", 0), Manifest.VERSION, repository.place(MARK));
    } catch (NoSuchFileException e) {
      throw new CommandFailure(
          "there are no backups here: " + repository.place(MARK) + " does not exist", e);
    } catch (DecodeException | ClassCastException e) {
      throw new CommandFailure(repository.place(MARK) + " is damaged: " + e.getMessage(), e);
    }
  }

  /** As {@link #require}; an empty repository becomes one of ours. */
  static void requireOrCreate(Repository repository) throws CommandFailure, IOException {
    try {
      repository.get(MARK);
    } catch (NoSuchFileException e) {
      if (!repository.list("").isEmpty()) {
        throw new CommandFailure(
            repository.place("")
                + " has files that are not of backups; name a folder or prefix of its own",
            e);
      }
      repository.put(
          MARK,
          new JsonObject()
              .put("version", Manifest.VERSION)
              .encode()
              .getBytes(StandardCharsets.UTF_8));
    }
    require(repository);
  }

  static void requireVersion(int version, int known, String place) throws CommandFailure {
    if (version != known) {
      throw new CommandFailure(
          place
              + " is of version "
              + version
              + ", and this program knows version "
              + known
              + "; use a newer release of Fleetgauge");
    }
  }

  /** The ids of all backups, oldest first, with their sizes. */
  public static SortedMap<String, Repository.StoredFile> ids(Repository repository)
      throws CommandFailure, IOException {
    require(repository);
    SortedMap<String, Repository.StoredFile> ids = new TreeMap<>();
    repository
        .list(BACKUPS)
        .forEach(
            (name, stored) -> {
              if (name.endsWith(SUFFIX)) {
                ids.put(name.substring(BACKUPS.length(), name.length() - SUFFIX.length()), stored);
              }
            });
    return ids;
  }

  static String manifest(String id) {
    return BACKUPS + id + SUFFIX;
  }

  /**
   * Reads the manifest of a backup.
   *
   * @param id empty for the newest
   */
  public static Manifest read(Repository repository, String id) throws CommandFailure, IOException {
    SortedMap<String, Repository.StoredFile> ids = ids(repository);
    if (ids.isEmpty()) {
      throw new CommandFailure(
          "there is no backup" + (id.isEmpty() ? "" : " " + id) + " in " + repository.place(""));
    }
    String wanted = id.isEmpty() ? ids.lastKey() : id;
    if (!ids.containsKey(wanted)) {
      throw new CommandFailure(
          "there is no backup "
              + wanted
              + " in "
              + repository.place("")
              + "; there are "
              + ids.keySet());
    }
    return Manifest.read(
        wanted, repository.place(manifest(wanted)), repository.get(manifest(wanted)));
  }

  /**
   * Reads a file and compares it.
   *
   * @throws CommandFailure if it is absent, or its bytes are not those that were backed up
   */
  static byte[] read(Repository repository, Manifest.BackupFile file)
      throws CommandFailure, IOException {
    byte[] bytes;
    try {
      bytes = repository.get(file.stored());
    } catch (NoSuchFileException e) {
      throw new CommandFailure(
          repository.place(file.stored()) + " (" + file.name() + ") is not there", e);
    }
    String found = sha256(bytes);
    if (bytes.length != file.size() || !found.equals(file.sha256())) {
      throw new CommandFailure(
          repository.place(file.stored())
              + " ("
              + file.name()
              + ") is damaged: it has "
              + bytes.length
              + " bytes with the SHA-256 "
              + found
              + ", not "
              + file.size()
              + " bytes with the one in its name");
    }
    return bytes;
  }

  /**
   * Reads every file of a backup back.
   *
   * @return what is wrong, a line for each file
   */
  public static List<String> verify(Repository repository, Manifest manifest, Rate rate)
      throws IOException {
    List<String> wrong = new ArrayList<>();
    for (Manifest.BackupFile each : manifest.distinctFiles().values()) {
      rate.take(each.size());
      try {
        read(repository, each);
      } catch (CommandFailure e) {
        wrong.add(e.getMessage());
      }
    }
    return wrong;
  }

  /** Some lines of many, for a message. */
  static String some(List<String> lines) {
    return String.join("\n  ", lines.subList(0, Math.min(MAX_NAMED, lines.size())))
        + (lines.size() > MAX_NAMED ? "\n  and " + (lines.size() - MAX_NAMED) + " more" : "");
  }

  /** Backups and files that {@link #prune} has removed. */
  public record Removal(List<String> backups, int files, long bytes) {}

  /**
   * Removes all backups but the newest, and files that no backup has.
   *
   * @param keep how many backups stay, 1 at least
   * @param before files that were written later stay: a backup that runs may need them, ms since
   *     the epoch
   * @throws CommandFailure if a backup that stays cannot be read: nothing was removed
   */
  public static Removal prune(Repository repository, int keep, long before)
      throws CommandFailure, IOException {
    List<String> ids = new ArrayList<>(ids(repository).keySet());
    List<String> old = ids.subList(0, Math.max(0, ids.size() - keep));
    Set<String> needed = new HashSet<>();
    for (String id : ids.subList(old.size(), ids.size())) {
      read(repository, id).files().forEach(each -> needed.add(each.stored()));
    }
    for (String id : old) {
      repository.delete(manifest(id));
    }
    int files = 0;
    long bytes = 0;
    for (Map.Entry<String, Repository.StoredFile> each : repository.list(FILES).entrySet()) {
      if (!needed.contains(each.getKey()) && each.getValue().modified() < before) {
        repository.delete(each.getKey());
        files++;
        bytes += each.getValue().size();
      }
    }
    return new Removal(List.copyOf(old), files, bytes);
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }
}
