package io.fleetgauge.query.backup;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.wire.WireWriter;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes samples of the past to a cluster that runs, as if they came from a backup: they may be as
 * old as the samples that it keeps, and are united with what is there.
 */
public final class PastSamples {
  /** As long as most blocks are: a page becomes a block where there is none. */
  private static final long PAGE_MILLIS = 7_200_000;

  /** A page has its dictionary, so the run has no meaning outside it. */
  private static final long RUN = 1;

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

  /** How long the cluster keeps samples, ms. */
  public long retention() throws BackupFailure {
    return GatewayClient.json(gateway, client.ask(gateway, HttpMethod.GET, "/v1/backup"), 200)
        .getLong("retention");
  }

  /** Returns when queries see the samples. */
  public void write(List<Series> all) throws BackupFailure, IOException {
    Map<String, List<Series>> byHost = new TreeMap<>();
    List<String> hosts = hostsOf(all);
    for (int i = 0; i < all.size(); i++) {
      byHost.computeIfAbsent(hosts.get(i), none -> new ArrayList<>()).add(all.get(i));
    }
    for (Map.Entry<String, List<Series>> each : byHost.entrySet()) {
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
    }
  }

  /** The gateways decide which host a series is of. */
  private List<String> hostsOf(List<Series> all) throws BackupFailure {
    JsonArray series = new JsonArray();
    for (Series each : all) {
      JsonObject labels = new JsonObject();
      Labels of = each.labels();
      for (int i = 0; i < of.size(); i++) {
        labels.put(of.name(i), of.value(i));
      }
      series.add(labels);
    }
    byte[] body = new JsonObject().put("series", series).encode().getBytes(StandardCharsets.UTF_8);
    JsonObject answer =
        GatewayClient.json(
            gateway,
            client.ask(
                gateway, HttpMethod.POST, "/v1/restore/hosts", body, Repositories.sha256(body)),
            200);
    return answer.getJsonArray("hosts").stream().map(String::valueOf).toList();
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
    TreeMap<Long, WireWriter> pages = new TreeMap<>();
    FrameEncoder encoder = null;
    for (Map.Entry<Long, Tick.Builder> each : ticks.entrySet()) {
      long page = Math.floorDiv(each.getKey(), PAGE_MILLIS);
      if (!pages.containsKey(page)) {
        pages.put(page, new WireWriter(1 << 12));
        encoder = new FrameEncoder(host, RUN);
      }
      byte[] frame = encoder.encode(each.getValue().at(each.getKey()));
      pages.get(page).raw(frame, 0, frame.length);
    }
    return pages.values().stream().map(WireWriter::toBytes).toList();
  }
}
