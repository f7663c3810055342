package io.fleetgauge.operator.backup;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Writes samples of the past to a cluster that runs, as if they came from a backup: they may be as
 * old as the samples that it keeps, and are united with what is there.
 */
public final class PastSamples {
  /** As long as most blocks are: a page becomes a block where there is none. */
  private static final long PAGE_MILLIS = 7_200_000;

  /** A page with more bytes is followed by another one. */
  private static final int PAGE_BYTES = 8 << 20;

  private static final int TRANSFERS = 8;

  private final GatewayClient client;
  private final HostTransfer transfer;
  private final URI gateway;

  /**
   * @param gateway any gateway of the cluster
   */
  public PastSamples(GatewayClient client, URI gateway) {
    this.client = client;
    this.transfer = new HostTransfer(client);
    this.gateway = gateway;
  }

  /** The time for which the cluster keeps samples, ms. */
  public long retention() throws CommandFailure {
    return GatewayClient.json(gateway, client.ask(gateway, HttpMethod.GET, "/v1/backup"), 200)
        .getLong("retention");
  }

  /** Returns when queries see the samples. */
  public void write(List<Series> all) throws CommandFailure, IOException {
    Map<String, List<Series>> byHost = byHost(all);
    try (Transfers hosts = new Transfers(TRANSFERS)) {
      hosts.all(
          byHost.entrySet(),
          each -> {
            String host = each.getKey();
            List<byte[]> pages = pages(host, each.getValue());
            transfer.send(
                gateway,
                host,
                "",
                0,
                (holder, isOwner) -> {
                  for (byte[] page : pages) {
                    transfer.post(holder, host, "/samples", page, Repositories.sha256(page));
                  }
                });
          });
    }
  }

  /** The gateways decide under which labels a series is stored, and of which host it is. */
  private Map<String, List<Series>> byHost(List<Series> all) throws CommandFailure {
    JsonArray asked = new JsonArray();
    for (Series each : all) {
      JsonObject labels = new JsonObject();
      Labels of = each.labels();
      for (int i = 0; i < of.size(); i++) {
        labels.put(of.name(i), of.value(i));
      }
      asked.add(labels);
    }
    byte[] body = new JsonObject().put("series", asked).encode().getBytes(StandardCharsets.UTF_8);
    JsonArray answer =
        GatewayClient.json(
                gateway,
                client.ask(
                    gateway,
                    HttpMethod.POST,
                    "/v1/restore/series",
                    body,
                    Repositories.sha256(body)),
                200)
            .getJsonArray("series");
    Map<String, List<Series>> byHost = new TreeMap<>();
    Set<Labels> known = new HashSet<>();
    for (int i = 0; i < all.size(); i++) {
      JsonObject stored = answer.getJsonObject(i);
      if (stored == null) {
        continue; // dropped by relabelling
      }
      Map<String, String> texts = new TreeMap<>();
      stored
          .getJsonObject("labels")
          .forEach(each -> texts.put(each.getKey(), "" + each.getValue()));
      Labels labels = Labels.of(texts);
      if (!known.add(labels)) {
        throw new CommandFailure(
            "ingest.relabel of the gateways makes one series of two: " + labels);
      }
      Series of = all.get(i);
      byHost
          .computeIfAbsent(stored.getString("host"), none -> new ArrayList<>())
          .add(new Series(labels, of.times(), of.values()));
    }
    return byHost;
  }

  private static List<byte[]> pages(String host, List<Series> all) {
    TreeMap<Long, Tick.Builder> ticks = new TreeMap<>();
    for (Series series : all) {
      for (int i = 0; i < series.size(); i++) {
        ticks
            .computeIfAbsent(series.times()[i], none -> new Tick.Builder())
            .add(series.labels(), series.values()[i]);
      }
    }
    List<byte[]> pages = new ArrayList<>();
    WireWriter page = new WireWriter(1 << 12);
    FrameEncoder encoder = new FrameEncoder(host, IntakeProtocol.PAGE_RUN);
    long begun = Long.MIN_VALUE;
    for (Map.Entry<Long, Tick.Builder> each : ticks.entrySet()) {
      long window = Math.floorDiv(each.getKey(), PAGE_MILLIS);
      if (page.size() > 0 && (window != begun || page.size() > PAGE_BYTES)) {
        pages.add(page.toBytes());
        page = new WireWriter(1 << 12);
        encoder = new FrameEncoder(host, IntakeProtocol.PAGE_RUN);
      }
      begun = window;
      byte[] frame = encoder.encode(each.getValue().at(each.getKey()));
      page.raw(frame, 0, frame.length);
    }
    if (page.size() > 0) {
      pages.add(page.toBytes());
    }
    return pages;
  }
}
