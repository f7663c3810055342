package io.fleetgauge.operator.report;

import io.fleetgauge.operator.faults.FaultText;
import io.fleetgauge.runtime.terminal.DocumentCommand;
import io.fleetgauge.runtime.terminal.Figures;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/** A job for people. */
final class JobText {
  static final String FORMULA =
      "(allocated - hang - idle) / allocated, in GPU hours; idle is idle and execution-idle outside"
          + " of hangs.";

  private static final List<String> NAMES = List.of("job_name", "user", "account", "tenant");

  private JobText() {}

  static String of(JsonObject document) {
    UsageReport report = new UsageReport(document.getJsonObject("report"));
    StringBuilder out = new StringBuilder("job " + document.getString("job"));
    out.append(names(report)).append('\n');
    List<JsonObject> totals = report.totals().toList();
    if (totals.isEmpty()) {
      return out + "  nothing was used" + report.notes();
    }
    JsonObject row = totals.getFirst();
    line(out, "allocated", classes(row));
    effective(out, document.getJsonObject("effective"), document.getJsonArray("hangs").size());
    line(out, "energy", energy(row));
    line(
        out,
        "memory",
        joined(
            part(row, "memory_peak_bytes", "peak %s", Figures::bytesOf),
            part(row, "memory_average_bytes", "average %s of a GPU", Figures::bytesOf),
            part(row, "host_memory_peak_bytes", "peak %s of a host", Figures::bytesOf)));
    line(
        out,
        "activity",
        joined(
            part(row, "activity_average_ratio", "%s", JobText::percent),
            part(row, "sm_average_ratio", "SM %s", JobText::percent),
            part(row, "tensor_average_ratio", "tensor %s", JobText::percent),
            part(row, "dram_average_ratio", "DRAM %s", JobText::percent)));
    line(
        out,
        "traffic",
        joined(
            part(row, "nvlink_bytes", "NVLink %s", Figures::bytesOf),
            part(row, "pcie_bytes", "PCIe %s", Figures::bytesOf),
            part(row, "io_bytes", "I/O %s", Figures::bytesOf),
            part(
                row,
                "cpu_seconds",
                "CPU %s h",
                n -> UsageReport.decimals(n.doubleValue() / 3_600))));
    line(out, "cost", part(row, "cost", "%s " + report.currency(), UsageReport::decimals));
    line(
        out,
        "carbon",
        part(row, "carbon_grams", "%s kg CO2", n -> UsageReport.decimals(n.doubleValue() / 1_000)));
    DocumentCommand.rows(document.getJsonArray("faults"))
        .forEach(each -> line(out, "fault", FaultText.line(each).strip()));
    return out + report.notes().replace("; the last line is the total", "");
  }

  private static String names(UsageReport report) {
    List<String> all = new ArrayList<>();
    for (String name : NAMES) {
      String values =
          report
              .rows()
              .map(row -> row.getJsonObject("group").getString(name, ""))
              .filter(value -> !value.isEmpty())
              .distinct()
              .collect(Collectors.joining(", "));
      if (!values.isEmpty()) {
        all.add(name.replace('_', ' ') + " " + values);
      }
    }
    return all.isEmpty() ? "" : Paragraph.plain(": " + String.join("; ", all));
  }

  private static String classes(JsonObject row) {
    double allocated = UsageReport.figure(row, "gpu_hours_allocated");
    List<String> parts = new ArrayList<>();
    for (String each : List.of("busy", "execution_idle", "idle", "unknown")) {
      double hours = UsageReport.figure(row, "gpu_hours_" + each);
      parts.add(
          "%s %s (%s)"
              .formatted(
                  each.replace('_', '-'),
                  UsageReport.decimals(hours),
                  Figures.percent(hours, allocated)));
    }
    return UsageReport.decimals(allocated) + " GPU h: " + String.join(", ", parts);
  }

  private static void effective(StringBuilder out, JsonObject of, int hangs) {
    double allocated = UsageReport.figure(of, "gpu_hours_allocated");
    double hang = UsageReport.figure(of, "gpu_hours_hang");
    double idle = UsageReport.figure(of, "gpu_hours_idle");
    line(out, "hung", UsageReport.decimals(hang) + " GPU h, times: " + hangs);
    if (of.getNumber("training_time_ratio") != null) {
      line(
          out,
          "effective",
          String.format(
              Locale.ROOT,
              "training time ratio %.3f = (%.2f allocated - %.2f hang - %.2f idle) / %.2f GPU h",
              UsageReport.figure(of, "training_time_ratio"),
              allocated,
              hang,
              idle,
              allocated));
    }
  }

  private static String energy(JsonObject row) {
    String estimated =
        UsageReport.figure(row, "energy_estimated_kwh") > 0
            ? part(row, "energy_estimated_kwh", "of it estimated %s", UsageReport::decimals)
            : "";
    return joined(part(row, "energy_kwh", "%s kWh", UsageReport::decimals), estimated);
  }

  private static String percent(Number ratio) {
    return Figures.percent(ratio.doubleValue(), 1);
  }

  private static String part(
      JsonObject row, String field, String form, Function<Number, String> text) {
    Number number = row.getNumber(field);
    return number == null ? "" : form.formatted(text.apply(number)).strip();
  }

  private static String joined(String... parts) {
    return Arrays.stream(parts).filter(each -> !each.isEmpty()).collect(Collectors.joining(", "));
  }

  private static void line(StringBuilder out, String name, String text) {
    if (!text.isEmpty()) {
      out.append(Paragraph.wrapped(2, "%-11s %s".formatted(name, Paragraph.plain(text)), 14));
    }
  }
}
