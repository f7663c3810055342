package io.fleetgauge.gateway.backup;

import io.fleetgauge.gateway.store.owner.Dimensions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * The samples of a gateway at one moment; the package draws its JSON. Its files do not change.
 *
 * @param taken every sample that was acknowledged before is in it, if the gateway was whole, ms
 */
record Snapshot(
    String gateway, String cluster, long taken, Dimensions dimensions, List<OfHost> hosts) {
  static final int VERSION = 1;

  /**
   * @param whole whether the gateway owned the host and had all of it
   * @param damaged blocks that are left out, because they cannot be read
   */
  record OfHost(
      String host,
      boolean whole,
      String tenant,
      long admitted,
      List<String> damaged,
      List<SnapshotFile> files) {}

  /** A file of a host: a block or a page. */
  record SnapshotFile(String name, long size, String sha256, Path file) {}

  /** All files, in the order of their numbers. */
  List<Path> files() {
    return hosts.stream().flatMap(host -> host.files.stream()).map(SnapshotFile::file).toList();
  }

  JsonObject toJson() {
    int number = 0;
    List<JsonObject> all = new ArrayList<>();
    for (OfHost host : hosts) {
      JsonArray files = new JsonArray();
      for (SnapshotFile each : host.files) {
        files.add(
            new JsonObject()
                .put("name", each.name)
                .put("size", each.size)
                .put("sha256", each.sha256)
                .put("file", number++));
      }
      all.add(
          new JsonObject()
              .put("host", host.host)
              .put("whole", host.whole)
              .put("tenant", host.tenant)
              .put("admitted", host.admitted)
              .put("damaged", new JsonArray(host.damaged))
              .put("files", files));
    }
    return new JsonObject()
        .put("version", VERSION)
        .put("gateway", gateway)
        .put("cluster", cluster)
        .put("taken", taken)
        .put("dimensions", json(dimensions))
        .put("hosts", new JsonArray(all));
  }

  static JsonObject json(Dimensions dimensions) {
    return new JsonObject()
        .put("identifier", dimensions.identifier())
        .put("names", new JsonArray(List.copyOf(new TreeSet<>(dimensions.names()))));
  }
}
