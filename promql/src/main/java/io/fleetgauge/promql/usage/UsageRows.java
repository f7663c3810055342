package io.fleetgauge.promql.usage;

import java.util.List;

/**
 * What the GPUs of several hosts were used for.
 *
 * @param rows in order; each device, owner and interval once
 * @param notes remarks about how it was counted, for readers
 */
public record UsageRows(List<UsageRow> rows, List<String> notes) {}
