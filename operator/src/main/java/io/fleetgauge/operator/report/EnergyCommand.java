package io.fleetgauge.operator.report;

import io.fleetgauge.operator.status.Table.Column;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine;

/** {@code fleetgauge report energy}. */
@CommandLine.Command(
    name = "energy",
    description = {
      "Prints whose GPUs took how much energy: those with the most first.",
      "Energy that nobody had allocated is in the row of the group without a name."
    })
final class EnergyCommand extends SortedReport {
  @Override
  protected ToDoubleFunction<JsonObject> most() {
    return row -> UsageReport.figure(row, "energy_kwh");
  }

  @Override
  protected List<Column> columns(UsageReport report) {
    return List.of(
        UsageReport.number("KWH", "energy_kwh"),
        UsageReport.number("ESTIMATED", "energy_estimated_kwh"),
        UsageReport.number("GPU H", "gpu_hours_allocated"),
        Column.right("W A GPU", EnergyCommand::watts));
  }

  /** Mean power of an allocated GPU; null if none was. */
  private static String watts(JsonObject row) {
    double hours = UsageReport.figure(row, "gpu_hours_allocated");
    return hours <= 0
        ? null
        : String.format(Locale.ROOT, "%.0f", 1_000 * UsageReport.figure(row, "energy_kwh") / hours);
  }
}
