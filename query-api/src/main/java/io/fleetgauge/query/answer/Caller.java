package io.fleetgauge.query.answer;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.usage.series.UsageMetric;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Who asks, and what of the data the caller sees.
 *
 * @param tenant name of the tenant; names of several are joined by {@code |}
 * @param scope matchers that every selector gets
 * @param seesAllHosts true if the caller may see the names of all hosts; a filter that the caller
 *     sets does not change that, a scope does
 * @param limits of the tenant
 */
public record Caller(
    String tenant, List<Matcher> scope, boolean seesAllHosts, TenantLimits limits) {

  /**
   * @param scopes the scopes of the caller's tenants as selectors; an empty text sees everything
   * @throws QueryFailure if the scopes cannot be expressed by one list of matchers
   */
  public static Caller of(String tenant, List<String> scopes, TenantLimits limits)
      throws QueryFailure {
    boolean all = scopes.isEmpty() || scopes.contains("");
    return new Caller(tenant, withoutUsage(Scopes.of(scopes)), all, limits);
  }

  /**
   * A scope by the label {@code class} leaves out series of usage, whose label of that name says
   * something else.
   */
  private static List<Matcher> withoutUsage(List<Matcher> scope) {
    if (scope.stream().noneMatch(each -> each.name().equals(UsageMetric.CLASS))) {
      return scope;
    }
    String names =
        Arrays.stream(UsageMetric.values())
            .map(each -> each.metric)
            .collect(Collectors.joining("|"));
    List<Matcher> all = new ArrayList<>(scope);
    all.add(Matcher.of(Matcher.Kind.NOT_REGEX, Labels.NAME, names));
    return List.copyOf(all);
  }

  /** The same caller, with a filter of its own besides the scope. */
  public Caller narrowedBy(List<Matcher> filter) {
    if (filter.isEmpty()) {
      return this;
    }
    return new Caller(tenant, scoped(filter), seesAllHosts, limits);
  }

  /** A selector with the scope in it. */
  List<Matcher> scoped(List<Matcher> selector) {
    if (scope.isEmpty()) {
      return selector;
    }
    List<Matcher> all = new ArrayList<>(scope);
    all.addAll(selector);
    return List.copyOf(all);
  }

  /** The names of the caller's tenants. */
  public List<String> tenants() {
    return List.of(tenant.split("\\|"));
  }

  /**
   * @param millis length of time that a request reads
   */
  void checkRange(long millis) throws QueryFailure {
    if (millis > limits.range().toMillis()) {
      throw over("range", millis / 1000 + " s", limits.range().toSeconds() + " s");
    }
  }

  void checkSeries(long series) throws QueryFailure {
    if (series > limits.series()) {
      throw over("series", series, limits.series());
    }
  }

  void checkSamples(long samples) throws QueryFailure {
    if (samples > limits.samples()) {
      throw over("samples", samples, limits.samples());
    }
  }

  /**
   * The failure of a request that is over one of the tenant's limits. To repeat it does not help,
   * so it is no failure of load.
   */
  QueryFailure over(String limit, Object figure, Object most) {
    return new QueryFailure(
        QueryFailure.Kind.EXECUTION,
        "the query of tenant "
            + tenant
            + " is over its limit "
            + limit
            + ": "
            + figure
            + " of at most "
            + most
            + "; reduce the query");
  }
}
