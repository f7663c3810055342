package io.fleetgauge.query.http;

import io.fleetgauge.cluster.config.QueryConfig;
import io.fleetgauge.promql.exec.QueryFailure;
import io.fleetgauge.promql.plan.Planner;
import io.fleetgauge.promql.syntax.Matcher;
import io.fleetgauge.promql.syntax.ParseException;
import io.fleetgauge.promql.syntax.Parser;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** Who asks, and how: what a request's headers say. */
final class Asker {
  private static final String PLAN = "X-Fleetgauge-Plan";
  private static final String TENANT = "X-Scope-OrgID";
  private static final String ANONYMOUS = "anonymous";
  private static final String BEARER = "Bearer ";

  private final QueryConfig config;
  private final List<Matcher> scope;
  private final Map<String, List<Matcher>> scopes = new HashMap<>();

  /**
   * @throws ParseException if a tenant's scope is no selector
   */
  Asker(QueryConfig config) throws ParseException {
    this.config = config;
    this.scope = parsed(config.limits().scope());
    for (var tenant : config.tenants().entrySet()) {
      scopes.put(tenant.getKey(), parsed(tenant.getValue().scope()));
    }
  }

  private static List<Matcher> parsed(String selector) throws ParseException {
    return selector.isEmpty() ? List.of() : Parser.parseSelector(selector);
  }

  String tenant(RoutingContext http) {
    String named = http.request().getHeader(TENANT);
    return named == null || named.isBlank() ? ANONYMOUS : named;
  }

  /** What everything that a tenant asks for has to match besides. */
  List<Matcher> scope(String tenant) {
    return scopes.getOrDefault(tenant, scope);
  }

  Planner.Mode mode(RoutingContext http) throws QueryFailure {
    String wanted = http.request().getHeader(PLAN);
    if (wanted == null || wanted.equals("auto")) {
      return Planner.Mode.AUTO;
    }
    if (wanted.equals("raw")) {
      return Planner.Mode.RAW;
    }
    throw new QueryFailure(
        QueryFailure.Kind.BAD_DATA,
        "the header " + PLAN + " is \"" + wanted + "\"; it may be auto or raw");
  }

  /** Whether what was answered before may be taken. */
  boolean takesKnown(RoutingContext http, Parameters parameters) {
    String control = http.request().getHeader("Cache-Control");
    return (control == null || !control.contains("no-store"))
        && !parameters.text("nocache").equals("1");
  }

  boolean isStrict(String tenant, Parameters parameters) {
    String asked = parameters.text("strict");
    return asked.isEmpty() ? config.of(tenant).strict() : asked.equals("1");
  }

  /** Whether the request has the operator's token. */
  boolean isOperator(RoutingContext http) {
    String header = http.request().getHeader("Authorization");
    if (config.operatorToken().isEmpty() || header == null || !header.startsWith(BEARER)) {
      return false;
    }
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(header.substring(BEARER.length()).getBytes(StandardCharsets.UTF_8));
      return MessageDigest.isEqual(hash, HexFormat.of().parseHex(config.operatorToken()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
