package io.fleetgauge.query.rules.api;

import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.query.http.ApiRequest;
import io.fleetgauge.query.http.ApiRoutes;
import io.fleetgauge.query.http.Body;
import io.fleetgauge.query.http.Json;
import io.fleetgauge.query.http.Parameters;
import io.fleetgauge.query.rules.definition.Rule;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.query.rules.evaluation.AlertInstance;
import io.fleetgauge.query.rules.evaluation.GroupState;
import io.fleetgauge.query.rules.evaluation.RuleState;
import io.fleetgauge.query.rules.source.RuleSource;
import io.vertx.core.Future;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** {@code /api/v1/rules}, {@code /api/v1/alerts} and {@code /api/v1/alertmanagers}. */
final class RuleRoutes {
  /** As Prometheus sorts groups. */
  private static final Comparator<RuleGroup> ORDER =
      Comparator.comparing((RuleGroup group) -> group.id().file())
          .thenComparing(group -> group.id().name())
          .thenComparing(group -> group.id().tenant());

  private final RuleSource source;
  private final Supplier<Future<Map<RuleGroup.Id, GroupState>>> states;
  private final Supplier<List<URI>> alertmanagers;

  RuleRoutes(
      RuleSource source,
      Supplier<Future<Map<RuleGroup.Id, GroupState>>> states,
      Supplier<List<URI>> alertmanagers) {
    this.source = source;
    this.states = states;
    this.alertmanagers = alertmanagers;
  }

  void mount(ApiRoutes routes) {
    routes.get("/api/v1/rules", this::rules);
    routes.get("/api/v1/alerts", this::alerts);
    routes.get("/api/v1/alertmanagers", this::alertmanagers);
  }

  private List<RuleGroup> visible(ApiRequest request) {
    List<String> tenants = RulesApi.tenants(request);
    return source.groups().stream()
        .filter(group -> tenants.contains(group.id().tenant()))
        .sorted(ORDER)
        .toList();
  }

  private Future<Body> rules(ApiRequest request) throws QueryFailure {
    RuleFilter filter = RuleFilter.of(request.parameters());
    Page page = page(visible(request), filter);
    return states
        .get()
        .map(
            known ->
                Body.large(
                    () ->
                        Json.data(
                            json -> {
                              json.writeStartObject();
                              json.writeArrayFieldStart("groups");
                              for (GroupPart shown : page.groups()) {
                                RuleJson.group(
                                    json,
                                    shown.group(),
                                    shown.rules(),
                                    state(known, shown.group()),
                                    filter.excludesAlerts());
                              }
                              json.writeEndArray();
                              if (page.next().isPresent()) {
                                json.writeStringField("groupNextToken", token(page.next().get()));
                              }
                              json.writeEndObject();
                            })));
  }

  /**
   * The state of a group: where it has changed since, each rule has the state that it goes on with.
   */
  private static Optional<GroupState> state(Map<RuleGroup.Id, GroupState> known, RuleGroup group) {
    return Optional.ofNullable(known.get(group.id())).map(state -> state.under(group));
  }

  /**
   * A group and the rules of it that are answered.
   *
   * @param rules their places in the group
   */
  private record GroupPart(RuleGroup group, List<Integer> rules) {}

  /** Some groups, and the one that comes after. */
  private record Page(List<GroupPart> groups, Optional<RuleGroup> next) {}

  private static Page page(List<RuleGroup> groups, RuleFilter filter) throws QueryFailure {
    List<GroupPart> page = new ArrayList<>();
    boolean hasBegun = filter.token().isEmpty();
    for (RuleGroup group : groups) {
      hasBegun |= !hasBegun && filter.token().equals(token(group));
      if (!hasBegun || !filter.takes(group)) {
        continue;
      }
      List<Integer> rules = new ArrayList<>();
      for (int i = 0; i < group.rules().size(); i++) {
        Rule rule = group.rules().get(i);
        if (filter.takes(rule, group.labels(rule))) {
          rules.add(i);
        }
      }
      if (!rules.isEmpty()) {
        if (filter.limit() > 0 && page.size() == filter.limit()) {
          return new Page(page, Optional.of(group));
        }
        page.add(new GroupPart(group, rules));
      }
    }
    if (!hasBegun) {
      throw Parameters.invalid(
          "group_next_token",
          "invalid group_next_token '" + filter.token() + "'. were rule groups changed?");
    }
    return new Page(page, Optional.empty());
  }

  private static String token(RuleGroup group) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-1")
                  .digest(group.id().key().getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  private Future<Body> alerts(ApiRequest request) {
    List<RuleGroup> visible = visible(request);
    return states
        .get()
        .map(
            known ->
                Body.large(
                    () ->
                        Json.data(
                            json -> {
                              json.writeStartObject();
                              json.writeArrayFieldStart("alerts");
                              for (RuleGroup group : visible) {
                                for (AlertInstance alert : active(state(known, group)).toList()) {
                                  RuleJson.alert(json, alert);
                                }
                              }
                              json.writeEndArray();
                              json.writeEndObject();
                            })));
  }

  private static Stream<AlertInstance> active(Optional<GroupState> state) {
    return state.stream()
        .flatMap(known -> known.rules().stream())
        .map(RuleState::alerts)
        .flatMap(List::stream)
        .filter(RuleJson::isActive);
  }

  /** The addresses to which alerts are sent; a token with a scope sees none. */
  private Future<Body> alertmanagers(ApiRequest request) {
    List<URI> seen = request.scopedTenants().isEmpty() ? alertmanagers.get() : List.of();
    return Future.succeededFuture(
        Body.small(
            () ->
                Json.data(
                    json -> {
                      json.writeStartObject();
                      json.writeArrayFieldStart("activeAlertmanagers");
                      for (URI each : seen) {
                        json.writeStartObject();
                        json.writeStringField("url", each.toString());
                        json.writeEndObject();
                      }
                      json.writeEndArray();
                      json.writeArrayFieldStart("droppedAlertmanagers");
                      json.writeEndArray();
                      json.writeEndObject();
                    })));
  }
}
