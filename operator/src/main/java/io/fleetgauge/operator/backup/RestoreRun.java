package io.fleetgauge.operator.backup;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Sends what a backup has to the gateways that hold the hosts now. The cluster may have other
 * gateways than the one that was backed up, and samples: it has the union afterwards.
 */
final class RestoreRun {
  private static final long OWNER_SECONDS = 60;

  private final GatewayClient client;
  private final HostTransfer transfer;
  private final Repository repository;
  private final Rate rate;
  private final int transfers;
  private final LongSupplier clock;
  private final Consumer<String> out;

  private final Map<String, AtomicLong> counts = new LinkedHashMap<>();

  /**
   * @param transfers how many hosts are restored at once
   * @param clock ms since the epoch
   * @param out takes lines about the progress
   */
  RestoreRun(
      GatewayClient client,
      Repository repository,
      Rate rate,
      int transfers,
      LongSupplier clock,
      Consumer<String> out) {
    this.client = client;
    this.transfer = new HostTransfer(client);
    this.repository = repository;
    this.rate = rate;
    this.transfers = transfers;
    this.clock = clock;
    this.out = out;
    for (String each :
        List.of(
            "hosts", "adopted", "known", "united", "merged", "pages", "days", "expired", "bytes")) {
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
   *     their owners; pages; days of usage; files with expired samples only; bytes read
   */
  Map<String, Long> run(
      URI gateway, Manifest manifest, Predicate<String> hosts, boolean mayLack, boolean isDry)
      throws CommandFailure, IOException {
    JsonObject about =
        GatewayClient.json(gateway, client.ask(gateway, HttpMethod.GET, "/v1/backup"), 200);
    Repositories.requireVersion(about.getInteger("version", 0), Manifest.VERSION, "" + gateway);
    if (!about.getJsonObject("dimensions").equals(manifest.dimensions())) {
      throw new CommandFailure(
          "the backup has other owner labels than "
              + gateway
              + ": "
              + manifest.dimensions().encode()
              + ", not "
              + about.getJsonObject("dimensions").encode()
              + "; set store.gpuLabel and store.ownerLabels of the gateways as they were");
    }
    long expired = clock.getAsLong() - about.getLong("retention");
    List<Manifest.Host> wanted =
        manifest.hosts().stream().filter(each -> hosts.test(each.host())).toList();
    if (wanted.isEmpty()) {
      throw new CommandFailure(
          "the backup has no such host; it has " + manifest.hosts().size() + " hosts");
    }
    List<Manifest.Host> undamaged = undamaged(wanted, mayLack);
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
  private List<Manifest.Host> undamaged(List<Manifest.Host> wanted, boolean mayLack)
      throws CommandFailure, IOException {
    List<String> wrong = new ArrayList<>();
    List<Manifest.Host> undamaged = new ArrayList<>();
    for (Manifest.Host host : wanted) {
      int before = wrong.size();
      for (Manifest.Copy copy : host.copies()) {
        for (Manifest.BackupFile file : copy.files()) {
          rate.take(file.size());
          try {
            Repositories.read(repository, file);
          } catch (CommandFailure e) {
            wrong.add("host " + host.host() + ": " + e.getMessage());
          }
        }
      }
      if (wrong.size() == before) {
        undamaged.add(host);
      }
    }
    if (!wrong.isEmpty() && !mayLack) {
      throw new CommandFailure(
          "nothing was restored, because the backup is damaged:\n  "
              + Repositories.some(wrong)
              + "\nUse another backup, or restore the hosts that are undamaged with --partial");
    }
    wrong.forEach(each -> out.accept("not restored: " + each));
    return undamaged;
  }

  private void host(URI gateway, Manifest.Host of, long expired)
      throws CommandFailure, IOException {
    transfer.send(
        gateway,
        of.host(),
        of.tenant(),
        of.admitted(),
        (holder, isOwner) -> {
          for (Manifest.Copy copy : of.copies()) {
            blocks(holder, of.host(), copy, expired, isOwner);
          }
          for (Manifest.Copy copy : of.copies()) {
            usage(holder, of.host(), copy, isOwner);
          }
          for (Manifest.Copy copy : of.copies()) {
            pages(holder, of.host(), copy, expired, isOwner);
          }
        });
    counts.get("hosts").incrementAndGet();
  }

  private void blocks(URI gateway, String host, Manifest.Copy copy, long expired, boolean isCounted)
      throws CommandFailure, IOException, HostTransfer.OwnerChange {
    JsonObject there =
        GatewayClient.json(
            gateway, client.ask(gateway, HttpMethod.GET, HostTransfer.path(host, "/blocks")), 200);
    for (Manifest.BackupFile file : copy.files()) {
      if (!file.isBlock()) {
        continue;
      }
      if (file.to() <= expired) {
        counts.get("expired").addAndGet(isCounted ? 1 : 0);
      } else if (file.sha256().equals(there.getString(file.name()))) {
        counts.get("known").addAndGet(isCounted ? 1 : 0);
      } else {
        HostTransfer.checked(
            gateway,
            client.ask(
                gateway,
                HttpMethod.PUT,
                HostTransfer.path(host, "/blocks/" + file.name()),
                read(file),
                file.sha256()),
            host);
      }
    }
    JsonObject taken = transfer.post(gateway, host, "/blocks", null, "");
    if (isCounted) {
      for (String each : List.of("adopted", "known", "united", "merged")) {
        counts.get(each).addAndGet(taken.getInteger(each, 0));
      }
    }
  }

  /** Days that the holder has are its own: its samples are as good as the backup's. */
  private void usage(URI gateway, String host, Manifest.Copy copy, boolean isCounted)
      throws CommandFailure, IOException, HostTransfer.OwnerChange {
    for (Manifest.BackupFile file : copy.files()) {
      if (file.isUsage()) {
        JsonObject answer =
            HostTransfer.checked(
                gateway,
                client.ask(
                    gateway,
                    HttpMethod.PUT,
                    HostTransfer.path(host, "/usage/" + file.name()),
                    read(file),
                    file.sha256()),
                host);
        boolean isNew = isCounted && Boolean.TRUE.equals(answer.getBoolean("taken"));
        counts.get("days").addAndGet(isNew ? 1 : 0);
      }
    }
  }

  private void pages(URI gateway, String host, Manifest.Copy copy, long expired, boolean isCounted)
      throws CommandFailure, IOException, HostTransfer.OwnerChange {
    for (Manifest.BackupFile file : copy.files()) {
      if (file.isBlock() || file.isUsage()) {
        continue;
      }
      if (file.to() <= expired) {
        counts.get("expired").addAndGet(isCounted ? 1 : 0);
      } else {
        transfer.post(gateway, host, "/samples", read(file), file.sha256());
        counts.get("pages").addAndGet(isCounted ? 1 : 0);
      }
    }
  }

  private byte[] read(Manifest.BackupFile file) throws CommandFailure, IOException {
    rate.take(file.size());
    counts.get("bytes").addAndGet(file.size());
    return Repositories.read(repository, file);
  }

  /** Waits for a while until the replicas have what the owners have. */
  private void awaitCopies(URI gateway, List<Manifest.Host> restored) throws CommandFailure {
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
        HostTransfer.pause();
      }
    }
    if (!open.isEmpty()) {
      out.accept(
          "the replicas of "
              + open.size()
              + " hosts do not have all of it yet ("
              + Repositories.some(List.copyOf(open))
              + "); they continue to fetch");
    }
  }
}
