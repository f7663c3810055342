package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fair.Load;

/**
 * A {@link Fragment} as it is sent to a gateway.
 *
 * @param load whose query it is a part of, and how much work the query is
 */
public record FragmentRequest(Load load, Fragment fragment) {}
