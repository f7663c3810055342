package io.fleetgauge.query.rules.template;

import io.fleetgauge.sample.Histogram;
import java.util.Map;

/**
 * The data that a template is expanded with: {@code .Labels}, {@code .ExternalLabels}, {@code
 * .ExternalURL} and {@code .Value} as in Prometheus, and {@code .Partial}.
 *
 * @param labels of the series
 * @param value of the series
 * @param histogram in place of the value; null when it is a number
 * @param time of the evaluation, ms since the epoch
 * @param completeness result of the function {@code completeness}
 * @param partial true if the query did not see all hosts
 */
public record TemplateData(
    Map<String, String> labels,
    Map<String, String> externalLabels,
    String externalUrl,
    double value,
    Histogram histogram,
    long time,
    String completeness,
    boolean partial) {}
