package io.fleetgauge.query.prometheus;

import com.fasterxml.jackson.core.JsonGenerator;
import io.fleetgauge.cluster.status.HostSilence;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.lookup.HostState;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.answer.Querier;
import io.fleetgauge.query.answer.Reply;
import io.fleetgauge.query.answer.Request;
import io.fleetgauge.query.answer.SeriesFilter;
import io.fleetgauge.query.config.QueryConfig;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.sample.Labels;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * {@code /api/v1/sd}: the probes of the hosts that the caller sees, in the form that Prometheus's
 * {@code http_sd_configs} read. The address and the labels of a probe are those of its series
 * {@code up}; a caller whose scope leaves that out gets the host's name.
 *
 * <p>Who asks removes a target that is not in the answer: one that is not whole is an error, after
 * which the targets stay.
 */
final class HttpDiscoveryRoute {
  private static final String META = "__meta_fleetgauge_";
  private static final String PROBE = "fleetgauge-probe";
  private static final int PROBE_PORT = 9400;
  private static final int MAX_PORT = 65_535;
  private static final long HOUR_MILLIS = 3_600_000;
  private static final int BYTES_OF_HOST = 256;

  private final QueryConfig config;
  private final Querier querier;
  private final LongSupplier clock;

  HttpDiscoveryRoute(QueryConfig config, Querier querier, LongSupplier clock) {
    this.config = config;
    this.querier = querier;
    this.clock = clock;
  }

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/sd", this::targets);
  }

  /** A host, with what the caller sees of its series {@code up}. */
  private record Target(HostState host, Labels up) {}

  private Future<Body> targets(ApiRequest request) throws QueryFailure {
    Parameters parameters = request.parameters();
    int port = port(parameters);
    long maxAge = parameters.duration("max_age", HOUR_MILLIS);
    int limit = parameters.limit();
    boolean isSelected = !parameters.texts("match[]").isEmpty();
    long now = clock.getAsLong();
    SeriesFilter filter = probes(parameters, now - maxAge, now);
    return request
        .askStrictly(querier, new Request.HostStates(), config.timeout().toMillis())
        .compose(
            states ->
                next(request, filter)
                    .map(series -> chosen(states, series, isSelected, now - maxAge, limit)))
        .map(
            targets ->
                Body.large(
                    () ->
                        Json.write(
                            BYTES_OF_HOST * (targets.size() + 1),
                            (json, out) -> write(json, targets, port, now))));
  }

  private Future<Reply<List<Labels>>> next(ApiRequest request, SeriesFilter filter) {
    try {
      return request.askStrictly(
          querier, new Request.SeriesLabels(filter), config.timeout().toMillis());
    } catch (QueryFailure e) {
      return Future.failedFuture(e);
    }
  }

  private static int port(Parameters parameters) throws QueryFailure {
    String text = parameters.text("port");
    if (text.isEmpty()) {
      return PROBE_PORT;
    }
    int port = text.matches("\\d{1,5}") ? Integer.parseInt(text) : 0;
    if (port < 1 || port > MAX_PORT) {
      throw Parameters.invalid("port", text + " is not a port; allowed is 1 to " + MAX_PORT);
    }
    return port;
  }

  /** The series {@code up} of probes that one of the selectors matches. */
  private static SeriesFilter probes(Parameters parameters, long from, long to)
      throws QueryFailure {
    String job = parameters.text("job");
    List<Matcher> up =
        List.of(
            Matcher.of(Matcher.Kind.EQUAL, Labels.NAME, "up"),
            Matcher.of(Matcher.Kind.EQUAL, "job", job.isEmpty() ? PROBE : job));
    List<List<Matcher>> selectors = new ArrayList<>();
    for (String selector : parameters.texts("match[]")) {
      List<Matcher> both = new ArrayList<>(up);
      both.addAll(Parameters.selector("match[]", selector));
      selectors.add(both);
    }
    return new SeriesFilter(from, to, 0, selectors.isEmpty() ? List.of(up) : selectors);
  }

  private static List<Target> chosen(
      Reply<List<HostState>> states,
      Reply<List<Labels>> series,
      boolean isSelected,
      long oldest,
      int limit) {
    Map<String, Labels> ups = new HashMap<>();
    series.value().forEach(up -> ups.put(up.value("Hostname"), up));
    List<Target> targets =
        states.value().stream()
            .filter(host -> host.newest() >= oldest)
            .filter(host -> !isSelected || ups.containsKey(host.name()))
            .map(host -> new Target(host, ups.getOrDefault(host.name(), Labels.EMPTY)))
            .toList();
    return limit > 0 && targets.size() > limit ? targets.subList(0, limit) : targets;
  }

  private static void write(JsonGenerator json, List<Target> targets, int port, long now)
      throws IOException {
    json.writeStartArray();
    for (Target target : targets) {
      json.writeStartObject();
      json.writeArrayFieldStart("targets");
      json.writeString(address(target, port));
      json.writeEndArray();
      json.writeObjectFieldStart("labels");
      json.writeStringField(META + "host", target.host().name());
      boolean isUp = HostSilence.isUp(target.host().newest(), target.host().tickMillis(), now);
      json.writeStringField(META + "health", isUp ? "up" : "down");
      for (int i = 0; i < target.up().size(); i++) {
        String name = target.up().name(i);
        if (!name.equals(Labels.NAME) && !name.equals("host") && !name.equals("health")) {
          json.writeStringField(META + name, target.up().value(i));
        }
      }
      json.writeEndObject();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static String address(Target target, int port) {
    String instance = target.up().value("instance");
    String host = instance.isEmpty() ? target.host().name() : instance;
    if (host.startsWith("[") || host.matches("[^:]+:\\d{1,5}")) {
      return host.matches(".*:\\d{1,5}") ? host : host + ":" + port;
    }
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }
}
