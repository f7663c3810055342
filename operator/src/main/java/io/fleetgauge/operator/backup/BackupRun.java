package io.fleetgauge.operator.backup;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Makes one backup: snapshots of all gateways at once, then their files, then the manifest. */
final class BackupRun {
  private static final String PATH = "/v1/backup";
  private static final long LOOK_MILLIS = 200;
  private static final long PREPARING_MINUTES = 120;
  private static final int ATTEMPTS = 3;

  private final GatewayClient client;
  private final Repository repository;
  private final Rate rate;
  private final int transfers;
  private final LongSupplier clock;
  private final Consumer<String> out;

  /** A snapshot that a gateway takes. */
  private record Snapshot(String id, URI address, String snapshot) {}

  /** A file of a snapshot, to be copied. */
  private record SnapshotFile(Snapshot from, int number, Manifest.BackupFile file) {}

  /**
   * The backup that was made.
   *
   * @param files of the backup, each once
   * @param bytes of these files
   * @param sent files that were not in the repository before
   */
  record Result(String id, Manifest manifest, long files, long bytes, int sent, long sentBytes) {}

  /**
   * @param transfers how many files are copied at once
   * @param clock ms since the epoch
   * @param out takes lines about the progress
   */
  BackupRun(
      GatewayClient client,
      Repository repository,
      Rate rate,
      int transfers,
      LongSupplier clock,
      Consumer<String> out) {
    this.client = client;
    this.repository = repository;
    this.rate = rate;
    this.transfers = transfers;
    this.clock = clock;
    this.out = out;
  }

  /**
   * @param gateway any gateway of the cluster
   * @param isAlone whether only this gateway is backed up
   * @param mayMiss whether gateways are left out that cannot be asked
   */
  Result run(URI gateway, boolean isAlone, boolean mayMiss) throws CommandFailure, IOException {
    Repositories.requireOrCreate(repository);
    JsonObject about = GatewayClient.json(gateway, client.ask(gateway, HttpMethod.GET, PATH), 200);
    Repositories.requireVersion(about.getInteger("version", 0), Manifest.VERSION, "" + gateway);
    Map<String, URI> gateways = new TreeMap<>();
    if (isAlone) {
      gateways.put(about.getString("gateway"), gateway);
    } else {
      about
          .getJsonObject("gateways")
          .forEach(each -> gateways.put(each.getKey(), URI.create("" + each.getValue())));
    }
    if (gateways.isEmpty()) {
      throw new CommandFailure(gateway + " has not joined its cluster yet");
    }
    List<Snapshot> asked = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    try {
      for (Map.Entry<String, URI> each : gateways.entrySet()) {
        try {
          asked.add(new Snapshot(each.getKey(), each.getValue(), begin(each.getValue())));
        } catch (CommandFailure e) {
          if (!mayMiss) {
            throw e;
          }
          out.accept("gateway " + each.getKey() + " is left out: " + e.getMessage());
          missing.add(each.getKey());
        }
      }
      return copy(asked, missing, about);
    } finally {
      asked.forEach(this::release);
    }
  }

  private String begin(URI gateway) throws CommandFailure {
    return GatewayClient.json(gateway, client.ask(gateway, HttpMethod.POST, PATH), 202)
        .getString("id");
  }

  private void release(Snapshot of) {
    try {
      client.ask(of.address, HttpMethod.DELETE, PATH + "/" + of.snapshot);
    } catch (CommandFailure e) {
      out.accept(
          "the snapshot "
              + of.snapshot
              + " of gateway "
              + of.id
              + " stays for two hours: "
              + e.getMessage());
    }
  }

  private JsonObject await(Snapshot of) throws CommandFailure {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(PREPARING_MINUTES);
    while (true) {
      HttpAnswer answer = client.ask(of.address, HttpMethod.GET, PATH + "/" + of.snapshot);
      JsonObject json = GatewayClient.json(of.address, answer, 200, 202);
      if (answer.status() == 200) {
        return json;
      }
      if (System.nanoTime() > deadline) {
        throw new CommandFailure(
            "gateway "
                + of.id
                + " has not taken its snapshot in "
                + PREPARING_MINUTES
                + " minutes");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS));
    }
  }

  private Result copy(List<Snapshot> asked, List<String> missing, JsonObject about)
      throws CommandFailure, IOException {
    Map<String, Map<String, JsonObject>> byHost = new TreeMap<>();
    Map<String, Snapshot> byId = new TreeMap<>();
    long taken = Long.MAX_VALUE;
    for (Snapshot each : asked) {
      JsonObject snapshot = await(each);
      byId.put(each.id, each);
      taken = Math.min(taken, snapshot.getLong("taken"));
      for (Object of : snapshot.getJsonArray("hosts")) {
        JsonObject host = (JsonObject) of;
        host.getJsonArray("damaged")
            .forEach(
                name ->
                    out.accept(
                        "gateway "
                            + each.id
                            + ": the block "
                            + name
                            + " of host "
                            + host.getString("host")
                            + " is damaged and left out"));
        byHost.computeIfAbsent(host.getString("host"), none -> new TreeMap<>()).put(each.id, host);
      }
    }
    List<Manifest.Host> hosts = new ArrayList<>();
    Map<String, SnapshotFile> wanted = new LinkedHashMap<>();
    for (Map.Entry<String, Map<String, JsonObject>> each : byHost.entrySet()) {
      hosts.add(host(each.getKey(), each.getValue(), byId, wanted));
    }
    Map<String, Repository.StoredFile> known = repository.list(Repositories.FILES);
    AtomicInteger sent = new AtomicInteger();
    AtomicLong sentBytes = new AtomicLong();
    long bytes = wanted.values().stream().mapToLong(each -> each.file.size()).sum();
    List<SnapshotFile> toSend =
        wanted.values().stream().filter(each -> !isStored(each.file, known)).toList();
    out.accept(
        wanted.size() + " files with " + bytes + " bytes; " + toSend.size() + " of them are new");
    try (Transfers all = new Transfers(transfers)) {
      all.all(
          toSend,
          each -> {
            rate.take(each.file.size());
            repository.put(each.file.stored(), read(each));
            sent.incrementAndGet();
            sentBytes.addAndGet(each.file.size());
          });
    }
    Map<String, Repository.StoredFile> now = repository.list(Repositories.FILES);
    for (SnapshotFile each : wanted.values()) {
      if (!isStored(each.file, now)) {
        throw new CommandFailure(
            repository.place(each.file.stored())
                + " disappeared while the backup was made; do not prune with another program, and"
                + " try again");
      }
    }
    Manifest manifest =
        new Manifest(
            about.getString("cluster"),
            asked.isEmpty() ? clock.getAsLong() : taken,
            clock.getAsLong(),
            about.getJsonObject("dimensions"),
            asked.stream().map(Snapshot::id).toList(),
            missing,
            hosts);
    byte[] of = manifest.toBytes();
    String id = Manifest.id(manifest.taken(), of);
    repository.put(Repositories.manifest(id), of);
    return new Result(id, manifest, wanted.size(), bytes, sent.get(), sentBytes.get());
  }

  private static boolean isStored(
      Manifest.BackupFile file, Map<String, Repository.StoredFile> known) {
    Repository.StoredFile stored = known.get(file.stored());
    return stored != null && stored.size() == file.size();
  }

  /**
   * Chooses what is backed up of a host: the copy of its owner, if that has all; otherwise all
   * copies.
   *
   * @param copies by gateway
   */
  private static Manifest.Host host(
      String host,
      Map<String, JsonObject> copies,
      Map<String, Snapshot> byId,
      Map<String, SnapshotFile> wanted)
      throws CommandFailure {
    Map<String, JsonObject> chosen = new TreeMap<>(copies);
    boolean whole = copies.values().stream().anyMatch(each -> each.getBoolean("whole"));
    if (whole) {
      chosen.values().removeIf(each -> !each.getBoolean("whole"));
    }
    String tenant = "";
    long admitted = 0;
    List<Manifest.Copy> all = new ArrayList<>();
    for (Map.Entry<String, JsonObject> each : chosen.entrySet()) {
      tenant = each.getValue().getString("tenant");
      admitted = each.getValue().getLong("admitted");
      JsonArray array = each.getValue().getJsonArray("files");
      List<Manifest.BackupFile> files = Manifest.files(array);
      for (int i = 0; i < files.size(); i++) {
        wanted.putIfAbsent(
            files.get(i).stored(),
            new SnapshotFile(
                byId.get(each.getKey()), array.getJsonObject(i).getInteger("file"), files.get(i)));
      }
      all.add(new Manifest.Copy(each.getKey(), files));
    }
    return new Manifest.Host(host, tenant, admitted, whole, all);
  }

  private byte[] read(SnapshotFile of) throws CommandFailure {
    String found = "";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      HttpAnswer answer =
          client.ask(
              of.from.address,
              HttpMethod.GET,
              PATH + "/" + of.from.snapshot + "/files/" + of.number);
      if (answer.status() != 200) {
        throw new CommandFailure(
            of.from.address
                + " responds with status "
                + answer.status()
                + ": "
                + answer.body().toString().strip());
      }
      byte[] bytes = answer.body().getBytes();
      found = Repositories.sha256(bytes);
      if (found.equals(of.file.sha256())) {
        return bytes;
      }
    }
    throw new CommandFailure(
        "gateway "
            + of.from.id
            + " returns other bytes for "
            + of.file.name()
            + " than announced: their SHA-256 is "
            + found
            + ", not "
            + of.file.sha256());
  }
}
