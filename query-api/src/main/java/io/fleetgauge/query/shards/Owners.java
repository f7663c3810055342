package io.fleetgauge.query.shards;

import io.fleetgauge.promql.fragment.FragmentAnswer;
import java.util.List;

/**
 * Who owned series when.
 *
 * @param omitted how many more series match than a shard's limit allowed
 * @param series ordered by identity, each once
 */
public record Owners(long omitted, List<FragmentAnswer.OwnedSeries> series) {}
