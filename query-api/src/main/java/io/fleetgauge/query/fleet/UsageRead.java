package io.fleetgauge.query.fleet;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsageTerms;
import java.util.List;

/**
 * What GPUs were used for.
 *
 * @param matchers of rows: of the labels of their owner or else of their device; with the scope
 * @param kept names of the labels that rows keep, so that there are fewer; all if there is none
 */
public record UsageRead(
    List<Matcher> matchers, List<String> kept, UsagePeriod period, UsageTerms terms) {}
