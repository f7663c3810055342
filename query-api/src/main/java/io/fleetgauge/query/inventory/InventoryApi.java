package io.fleetgauge.query.inventory;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.inventory.InventoryHost.State;
import io.fleetgauge.sample.prometheus.Numbers;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongSupplier;

/** {@code GET /api/v1/inventory}: the hosts, GPUs, links and NVLink domains that a caller sees. */
public final class InventoryApi {
  private final QueryConfig config;
  private final Querier querier;
  private final InventoryFile file;
  private final InventoryReader reader;
  private final LongSupplier clock;

  private InventoryApi(
      QueryConfig config, Querier querier, InventoryFile file, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.file = file;
    this.reader = new InventoryReader(config.lookback(), config.inventory().keep());
    this.clock = clock;
  }

  /**
   * @param clock ms since the epoch
   */
  public static void mount(
      ApiRoutes routes,
      QueryConfig config,
      Querier querier,
      InventoryFile file,
      LongSupplier clock) {
    InventoryApi api = new InventoryApi(config, querier, file, clock);
    routes.get("/api/v1/inventory", api::inventory);
  }

  /** Values that hosts have to have; an empty set allows all. */
  private record Filter(Set<String> hosts, Set<String> racks, Set<String> domains, Set<String> in) {
    static Filter of(Parameters parameters) throws QueryFailure {
      Set<String> states = new LinkedHashSet<>(parameters.texts("state"));
      for (String state : states) {
        if (Arrays.stream(State.values()).noneMatch(each -> each.text().equals(state))) {
          throw Parameters.invalid(
              "state", state + " is unknown; allowed is present, silent or missing");
        }
      }
      return new Filter(
          Set.copyOf(parameters.texts("host")),
          Set.copyOf(parameters.texts("rack")),
          Set.copyOf(parameters.texts("domain")),
          states);
    }

    boolean allows(InventoryHost host) {
      return allows(hosts, host.name())
          && allows(racks, host.rack())
          && allows(domains, host.domain())
          && allows(in, host.state().text());
    }

    private static boolean allows(Set<String> values, String value) {
      return values.isEmpty() || values.contains(value);
    }
  }

  private Future<Body> inventory(ApiRequest request) throws QueryFailure {
    Filter filter = Filter.of(request.parameters());
    int limit = request.parameters().limit();
    long now = clock.getAsLong();
    // What the file says is of hosts, and a caller with a scope may not see these.
    InventoryFile.Content planned =
        request.caller().seesAllHosts() ? file.content() : InventoryFile.Content.NONE;
    Set<String> warnings = new LinkedHashSet<>();
    InventoryReader.Source source =
        new InventoryReader.Source() {
          @Override
          public <T> Future<Reply<T>> ask(Request<T> asked) {
            try {
              return request
                  .ask(querier, asked, config.timeout().toMillis())
                  .onSuccess(reply -> warnings.addAll(reply.warnings()));
            } catch (QueryFailure e) {
              return Future.failedFuture(e);
            }
          }
        };
    return reader
        .read(source, now)
        .map(
            observed ->
                Body.large(
                    () -> {
                      Inventory all =
                          Inventory.of(observed, planned.hosts(), config.inventory().keep(), now);
                      planned
                          .problems()
                          .forEach(problem -> warnings.add("inventory.file: " + problem));
                      List<InventoryHost> hosts =
                          all.hosts().stream().filter(filter::allows).toList();
                      boolean isCut = limit > 0 && hosts.size() > limit;
                      if (isCut) {
                        warnings.add(Reply.TRUNCATED);
                      }
                      List<InventoryHost> shown = isCut ? hosts.subList(0, limit) : hosts;
                      return Json.success(json -> write(json, all, shown), List.copyOf(warnings));
                    }));
  }

  private static void write(JsonGenerator json, Inventory inventory, List<InventoryHost> hosts)
      throws IOException {
    json.writeStartObject();
    json.writeArrayFieldStart("hosts");
    Set<String> domains = new TreeSet<>();
    for (InventoryHost host : hosts) {
      domains.add(host.domain());
      write(json, host);
    }
    json.writeEndArray();
    json.writeArrayFieldStart("domains");
    for (InventoryDomain domain : inventory.domains()) {
      if (domains.contains(domain.name())) {
        json.writeStartObject();
        json.writeStringField("domain", domain.name());
        json.writeNumberField("hosts", domain.hosts());
        write(json, domain.count());
        write(json, domain.links());
        json.writeEndObject();
      }
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, InventoryHost host) throws IOException {
    json.writeStartObject();
    json.writeStringField("host", host.name());
    json.writeStringField("rack", host.rack());
    json.writeStringField("domain", host.domain());
    json.writeStringField("state", host.state().text());
    if (host.seen().isPresent()) {
      json.writeFieldName("lastSeen");
      json.writeRawValue(Numbers.seconds(host.seen().getAsLong()));
    }
    write(json, host.count());
    write(json, host.links());
    texts(json, host.faults());
    json.writeArrayFieldStart("devices");
    for (InventoryGpu gpu : host.gpus()) {
      json.writeStartObject();
      json.writeStringField("UUID", gpu.uuid());
      json.writeStringField("gpu", gpu.index());
      json.writeStringField("modelName", gpu.model());
      json.writeStringField("domain", gpu.domain());
      json.writeBooleanField("present", gpu.isPresent());
      write(json, gpu.links());
      texts(json, gpu.faults());
      json.writeEndObject();
    }
    json.writeEndArray();
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, GpuCount count) throws IOException {
    json.writeObjectFieldStart("gpus");
    json.writeNumberField("expected", count.expected());
    json.writeNumberField("present", count.present());
    json.writeNumberField("healthy", count.healthy());
    json.writeEndObject();
  }

  private static void write(JsonGenerator json, LinkCount links) throws IOException {
    json.writeObjectFieldStart("links");
    json.writeNumberField("expected", links.expected());
    json.writeNumberField("active", links.active());
    json.writeEndObject();
  }

  private static void texts(JsonGenerator json, List<String> faults) throws IOException {
    json.writeArrayFieldStart("faults");
    for (String fault : faults) {
      json.writeString(fault);
    }
    json.writeEndArray();
  }
}
