package io.fleetgauge.operator.backup;

import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The list of a backup's hosts and files; the package draws its JSON.
 *
 * @param taken every sample that was acknowledged before is in it, ms since the epoch
 * @param finished when the last file was written, ms since the epoch
 * @param dimensions as the gateways give them
 * @param missing gateways that could not be asked
 */
public record Manifest(
    String cluster,
    long taken,
    long finished,
    JsonObject dimensions,
    List<String> gateways,
    List<String> missing,
    List<Host> hosts) {
  static final int VERSION = 1;
  private static final int CHECK_DIGITS = 16;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  /**
   * A host in the backup.
   *
   * @param whole whether one copy has all of the host
   */
  public record Host(String host, String tenant, long admitted, boolean whole, List<Copy> copies) {}

  /** The files that one gateway had of a host. */
  public record Copy(String gateway, List<BackupFile> files) {}

  /**
   * A file.
   *
   * @param name {@code FROM-TO.block} or {@code FROM-TO.page}, times in ms; {@code
   *     YYYY-MM-DD.usage}
   */
  public record BackupFile(String name, long size, String sha256) {
    /** Its name in the repository. */
    String stored() {
      return Repositories.FILES + sha256.substring(0, 2) + "/" + sha256;
    }

    boolean isBlock() {
      return name.endsWith(".block");
    }

    /** Returns true if it is what GPUs were used for on a day. */
    boolean isUsage() {
      return name.endsWith(".usage");
    }

    /** The time after its last sample, ms; of a block or a page. */
    long to() {
      return Long.parseLong(name.substring(name.indexOf('-', 1) + 1, name.lastIndexOf('.')));
    }
  }

  /** All files, of each copy. */
  public Stream<BackupFile> files() {
    return hosts.stream()
        .flatMap(host -> host.copies.stream())
        .flatMap(copy -> copy.files.stream());
  }

  /** Every file once, by its name in the repository. */
  public Map<String, BackupFile> distinctFiles() {
    Map<String, BackupFile> all = new LinkedHashMap<>();
    files().forEach(each -> all.putIfAbsent(each.stored(), each));
    return all;
  }

  byte[] toBytes() {
    return new JsonObject()
        .put("version", VERSION)
        .put("cluster", cluster)
        .put("taken", taken)
        .put("finished", finished)
        .put("dimensions", dimensions)
        .put("gateways", new JsonArray(gateways))
        .put("missing", new JsonArray(missing))
        .put("hosts", array(hosts, Manifest::json))
        .encodePrettily()
        .getBytes(StandardCharsets.UTF_8);
  }

  private static JsonObject json(Host of) {
    return new JsonObject()
        .put("host", of.host)
        .put("tenant", of.tenant)
        .put("admitted", of.admitted)
        .put("whole", of.whole)
        .put(
            "copies",
            array(
                of.copies,
                copy ->
                    new JsonObject()
                        .put("gateway", copy.gateway)
                        .put(
                            "files",
                            array(
                                copy.files,
                                file ->
                                    new JsonObject()
                                        .put("name", file.name)
                                        .put("size", file.size)
                                        .put("sha256", file.sha256)))));
  }

  private static <T> JsonArray array(List<T> all, Function<T, JsonObject> json) {
    JsonArray array = new JsonArray();
    all.forEach(each -> array.add(json.apply(each)));
    return array;
  }

  /** The id of a manifest with these bytes. */
  static String id(long taken, byte[] bytes) {
    return TIME.format(Instant.ofEpochMilli(taken))
        + "-"
        + Repositories.sha256(bytes).substring(0, CHECK_DIGITS);
  }

  /**
   * Reads a manifest.
   *
   * @param id its name, which has a checksum of the bytes
   * @param place where it is, for messages
   * @throws CommandFailure if it is damaged, or of a version that this program does not know
   */
  static Manifest read(String id, String place, byte[] bytes) throws CommandFailure {
    String found = Repositories.sha256(bytes).substring(0, CHECK_DIGITS);
    if (!id.endsWith("-" + found)) {
      throw new CommandFailure(
          "the backup "
              + place
              + " is damaged: its bytes have the check "
              + found
              + ", which is not the one in its name");
    }
    try {
      JsonObject json = new JsonObject(new String(bytes, StandardCharsets.UTF_8));
      Repositories.requireVersion(json.getInteger("version", 0), VERSION, place);
      List<Host> hosts = new ArrayList<>();
      for (Object each : json.getJsonArray("hosts")) {
        hosts.add(host((JsonObject) each));
      }
      return new Manifest(
          json.getString("cluster"),
          json.getLong("taken"),
          json.getLong("finished"),
          json.getJsonObject("dimensions"),
          strings(json, "gateways"),
          strings(json, "missing"),
          hosts);
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      throw new CommandFailure("the backup " + place + " is not a manifest of a backup: " + e, e);
    }
  }

  private static List<String> strings(JsonObject json, String name) {
    return json.getJsonArray(name).stream().map(String::valueOf).toList();
  }

  private static Host host(JsonObject json) throws CommandFailure {
    List<Copy> copies = new ArrayList<>();
    for (Object each : json.getJsonArray("copies")) {
      JsonObject copy = (JsonObject) each;
      copies.add(new Copy(copy.getString("gateway"), files(copy.getJsonArray("files"))));
    }
    return new Host(
        json.getString("host"),
        json.getString("tenant"),
        json.getLong("admitted"),
        json.getBoolean("whole"),
        copies);
  }

  /** Files as a manifest and as a gateway's snapshot name them. */
  static List<BackupFile> files(JsonArray all) throws CommandFailure {
    List<BackupFile> files = new ArrayList<>();
    for (Object each : all) {
      JsonObject file = (JsonObject) each;
      BackupFile kept =
          new BackupFile(file.getString("name"), file.getLong("size"), file.getString("sha256"));
      if (!kept.name.matches(
              "-?[0-9]{1,19}--?[0-9]{1,19}[.](block|page)|[0-9]{4}-[0-9]{2}-[0-9]{2}[.]usage")
          || !kept.sha256.matches("[0-9a-f]{64}")) {
        throw new CommandFailure(
            "no file of a backup has the name " + kept.name + " and the SHA-256 " + kept.sha256);
      }
      files.add(kept);
    }
    return files;
  }
}
