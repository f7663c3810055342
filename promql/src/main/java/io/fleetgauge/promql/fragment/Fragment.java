package io.fleetgauge.promql.fragment;

import io.fleetgauge.promql.fair.Load;
import java.util.List;

/**
 * A question to one gateway about some of its hosts.
 *
 * @param load whose query it is a part of, and how much work the query is
 * @param epoch of the table that the asker worked from
 * @param hosts that are meant; a gateway answers for these and no others
 */
public record Fragment(Load load, long epoch, List<String> hosts, Question<?> question) {}
