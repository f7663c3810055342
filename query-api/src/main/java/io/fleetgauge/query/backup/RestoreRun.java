package io.fleetgauge.query.backup;

import io.fleetgauge.cluster.process.OutgoingRequest;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Sends what a backup has to the gateways that hold the hosts now. The cluster may have other
 * gateways than the one that was backed up, and samples: it has the union afterwards.
 */
public final class RestoreRun {
  private static final long PAUSE_MILLIS = 200;
  private static final long OWNER_SECONDS = 60;
  private static final int ATTEMPTS = 5;
  private static final int MOVED = 409;

  private final GatewayClient client;
  private final Repository repository;
  private final Rate rate;
  private final int transfers;
  private final LongSupplier clock;
  private final Consumer<String> out;

  private final Map<String, AtomicLong> counts = new LinkedHashMap<>();

  /** The host has other holders than before. */
  private static final class Moved extends Exception {
    private static final long serialVersionUID = 1L;

    Moved(String message) {
      super(message);
    }
  }

  /** Who holds a host now, replicas first. */
  private record Holders(String owner, Map<String, URI> all) {
    URI ownerAddress() {
      return all.get(owner);
    }
  }

  /**
   * @param transfers how many hosts are restored at once
   * @param clock ms since the epoch
   * @param out is told how it goes on, line by line
   */
  public RestoreRun(
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
    for (String each :
        List.of("hosts", "adopted", "known", "united", "merged", "pages", "expired", "bytes")) {
      counts.put(each, new AtomicLong());
    }
  }

  /**
   * Restores a backup.
   *
   * @param gateway any gateway of the cluster
   * @param hosts which hosts are restored
   * @param mayLack whether hosts are left out that the backup does not have undamaged; otherwise
   *     nothing is sent if a file is damaged
   * @param isDry whether nothing is sent
   * @return how much was restored: hosts; blocks that were adopted, known, united and merged on
   *     their owners; pages; files with expired samples only; bytes read
   */
  public Map<String, Long> run(
      URI gateway, Manifest manifest, Predicate<String> hosts, boolean mayLack, boolean isDry)
      throws BackupFailure, IOException {
    JsonObject about =
        GatewayClient.json(gateway, client.ask(gateway, HttpMethod.GET, "/v1/backup"), 200);
    Repositories.requireVersion(about.getInteger("version", 0), Manifest.VERSION, "" + gateway);
    if (!about.getJsonObject("dimensions").equals(manifest.dimensions())) {
      throw new BackupFailure(
          "the backup has other owner labels than "
              + gateway
              + ": "
              + manifest.dimensions().encode()
              + ", not "
              + about.getJsonObject("dimensions").encode()
              + "; set store.gpuLabel and store.ownerLabels of the gateways as they were");
    }
    long expired = clock.getAsLong() - about.getLong("retention");
    List<Manifest.OfHost> wanted =
        manifest.hosts().stream().filter(each -> hosts.test(each.host())).toList();
    if (wanted.isEmpty()) {
      throw new BackupFailure(
          "the backup has no such host; it has " + manifest.hosts().size() + " hosts");
    }
    List<Manifest.OfHost> undamaged = undamaged(wanted, mayLack);
    if (!isDry) {
      try (Transfers all = new Transfers(transfers)) {
        all.all(undamaged, each -> host(gateway, each, expired));
      }
      awaitCopies(gateway, undamaged);
    }
    Map<String, Long> done = new LinkedHashMap<>();
    counts.forEach((name, count) -> done.put(name, count.get()));
    return done;
  }

  /** Reads all files of the hosts before any is sent. */
  private List<Manifest.OfHost> undamaged(List<Manifest.OfHost> wanted, boolean mayLack)
      throws BackupFailure, IOException {
    List<String> wrong = new ArrayList<>();
    List<Manifest.OfHost> undamaged = new ArrayList<>();
    for (Manifest.OfHost host : wanted) {
      int before = wrong.size();
      for (Manifest.Copy copy : host.copies()) {
        for (Manifest.Kept file : copy.files()) {
          rate.take(file.size());
          try {
            Repositories.read(repository, file);
          } catch (BackupFailure e) {
            wrong.add("host " + host.host() + ": " + e.getMessage());
          }
        }
      }
      if (wrong.size() == before) {
        undamaged.add(host);
      }
    }
    if (!wrong.isEmpty() && !mayLack) {
      throw new BackupFailure(
          "nothing was restored, because the backup is damaged:\n  "
              + Repositories.some(wrong)
              + "\nUse another backup, or restore the hosts that are undamaged with --partial");
    }
    wrong.forEach(each -> out.accept("not restored: " + each));
    return undamaged;
  }

  private void host(URI gateway, Manifest.OfHost of, long expired)
      throws BackupFailure, IOException {
    String why = "";
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        Holders holders = holders(gateway, of);
        for (Map.Entry<String, URI> each : holders.all.entrySet()) {
          boolean isOwner = each.getKey().equals(holders.owner);
          for (Manifest.Copy copy : of.copies()) {
            blocks(each.getValue(), of.host(), copy, expired, isOwner);
          }
        }
        // The owner last: its replicas fetch what is in its memory.
        for (Map.Entry<String, URI> each : holders.all.entrySet()) {
          boolean isOwner = each.getKey().equals(holders.owner);
          for (Manifest.Copy copy : of.copies()) {
            pages(each.getValue(), of.host(), copy, expired, isOwner);
          }
        }
        post(holders.ownerAddress(), of.host(), "/end", null, "");
        counts.get("hosts").incrementAndGet();
        return;
      } catch (Moved e) {
        why = e.getMessage();
        pause();
      }
    }
    throw new BackupFailure("host " + of.host() + " cannot be restored: " + why);
  }

  private static void pause() {
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
  }

  private static String path(String host, String rest) {
    return IntakeProtocol.hostPath(host, "")
            .replaceFirst("^/v1/", "/v1/restore/")
            .replaceFirst("/$", "")
        + rest;
  }

  private Holders holders(URI gateway, Manifest.OfHost of) throws BackupFailure {
    String query =
        "?tenant="
            + URLEncoder.encode(of.tenant(), StandardCharsets.UTF_8)
            + "&admitted="
            + of.admitted();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(OWNER_SECONDS);
    while (System.nanoTime() < deadline) {
      OutgoingRequest.Answer answer = client.ask(gateway, HttpMethod.POST, path(of.host(), query));
      JsonObject json = GatewayClient.json(gateway, answer, 200, 202);
      if (answer.status() == 200) {
        String owner = json.getString("owner");
        Map<String, URI> all = new LinkedHashMap<>();
        json.getJsonObject("holders")
            .forEach(
                each -> {
                  if (!each.getKey().equals(owner)) {
                    all.put(each.getKey(), URI.create("" + each.getValue()));
                  }
                });
        all.put(owner, URI.create(json.getJsonObject("holders").getString(owner)));
        return new Holders(owner, all);
      }
      pause();
    }
    throw new BackupFailure(
        "host "
            + of.host()
            + " has got no owner in "
            + OWNER_SECONDS
            + " s; see the logs of the gateways");
  }

  private JsonObject post(URI gateway, String host, String rest, byte[] body, String sha256)
      throws BackupFailure, Moved {
    return checked(
        gateway, client.ask(gateway, HttpMethod.POST, path(host, rest), body, sha256), host);
  }

  private static JsonObject checked(URI gateway, OutgoingRequest.Answer answer, String host)
      throws BackupFailure, Moved {
    if (answer.status() == MOVED) {
      throw new Moved(answer.body().toString().strip());
    }
    if (answer.status() != 200) {
      throw new BackupFailure(
          gateway
              + " does not take host "
              + host
              + ": status "
              + answer.status()
              + ": "
              + answer.body().toString().strip());
    }
    return answer.body().toJsonObject();
  }

  private void blocks(URI gateway, String host, Manifest.Copy copy, long expired, boolean isCounted)
      throws BackupFailure, IOException, Moved {
    JsonObject there =
        GatewayClient.json(
            gateway, client.ask(gateway, HttpMethod.GET, path(host, "/blocks")), 200);
    for (Manifest.Kept file : copy.files()) {
      if (!file.isBlock()) {
        continue;
      }
      if (file.to() <= expired) {
        counts.get("expired").addAndGet(isCounted ? 1 : 0);
      } else if (file.sha256().equals(there.getString(file.name()))) {
        counts.get("known").addAndGet(isCounted ? 1 : 0);
      } else {
        checked(
            gateway,
            client.ask(
                gateway,
                HttpMethod.PUT,
                path(host, "/blocks/" + file.name()),
                read(file),
                file.sha256()),
            host);
      }
    }
    JsonObject taken = post(gateway, host, "/blocks", null, "");
    if (isCounted) {
      for (String each : List.of("adopted", "known", "united", "merged")) {
        counts.get(each).addAndGet(taken.getInteger(each, 0));
      }
    }
  }

  private void pages(URI gateway, String host, Manifest.Copy copy, long expired, boolean isCounted)
      throws BackupFailure, IOException, Moved {
    for (Manifest.Kept file : copy.files()) {
      if (file.isBlock()) {
        continue;
      }
      if (file.to() <= expired) {
        counts.get("expired").addAndGet(isCounted ? 1 : 0);
      } else {
        post(gateway, host, "/samples", read(file), file.sha256());
        counts.get("pages").addAndGet(isCounted ? 1 : 0);
      }
    }
  }

  private byte[] read(Manifest.Kept file) throws BackupFailure, IOException {
    rate.take(file.size());
    counts.get("bytes").addAndGet(file.size());
    return Repositories.read(repository, file);
  }

  /** Waits for a while until the replicas have what the owners have. */
  private void awaitCopies(URI gateway, List<Manifest.OfHost> restored) throws BackupFailure {
    TreeSet<String> open = new TreeSet<>();
    restored.forEach(each -> open.add(each.host()));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(OWNER_SECONDS);
    while (!open.isEmpty() && System.nanoTime() < deadline) {
      JsonObject hosts =
          GatewayClient.json(gateway, client.ask(gateway, HttpMethod.GET, "/v1/table"), 200)
              .getJsonObject("hosts");
      open.removeIf(
          host ->
              hosts.containsKey(host)
                  && hosts.getJsonObject(host).getJsonObject("copies").stream()
                      .allMatch(copy -> Boolean.TRUE.equals(copy.getValue())));
      if (!open.isEmpty()) {
        pause();
      }
    }
    if (!open.isEmpty()) {
      out.accept(
          "the replicas of "
              + open.size()
              + " hosts do not have all of it yet ("
              + Repositories.some(List.copyOf(open))
              + "); they go on fetching");
    }
  }
}
