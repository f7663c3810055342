package io.fleetgauge.operator.report;

import io.fleetgauge.operator.status.Table.Column;
import io.fleetgauge.runtime.terminal.Figures;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine;

/** {@code fleetgauge report idle}. */
@CommandLine.Command(
    name = "idle",
    description = {
      "Prints who held GPUs and did not use them: those with the most wasted GPU hours first.",
      "Wasted are the hours of the classes idle and execution-idle."
    })
final class IdleCommand extends SortedReport {
  @Override
  protected ToDoubleFunction<JsonObject> most() {
    return UsageReport::wasted;
  }

  @Override
  protected List<Column> columns(UsageReport report) {
    return List.of(
        Column.right("WASTED GPU H", row -> UsageReport.decimals(UsageReport.wasted(row))),
        Column.right(
            "SHARE",
            row ->
                Figures.percent(
                    UsageReport.wasted(row), UsageReport.figure(row, "gpu_hours_allocated"))),
        UsageReport.number("IDLE", "gpu_hours_idle"),
        UsageReport.number("EXEC-IDLE", "gpu_hours_execution_idle"),
        UsageReport.number("GPU H", "gpu_hours_allocated"),
        UsageReport.bytes("PEAK MEM", "memory_peak_bytes"));
  }
}
