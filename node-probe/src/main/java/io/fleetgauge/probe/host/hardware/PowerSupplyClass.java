package io.fleetgauge.probe.host.hardware;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.Filter;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.Missing;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.host.reading.Readings;
import java.util.ArrayList;
import java.util.List;

/** node_exporter's collector {@code powersupplyclass}. */
public final class PowerSupplyClass implements Collector {
  private static final double MICRO = 1e6;
  private static final double TENTHS = 10;

  private static final String WHOLE =
      "authentic calibrate capacity capacity_alert_max capacity_alert_min cycle_count=cyclecount"
          + " online present time_to_empty_now=time_to_empty_seconds"
          + " time_to_full_now=time_to_full_seconds";
  private static final String IN_MICRO =
      "current_boot current_max current_now=current_ampere energy_empty energy_empty_design"
          + " energy_full energy_full_design energy_now=energy_watthour voltage_boot voltage_max"
          + " voltage_max_design voltage_min voltage_min_design voltage_now=voltage_volt"
          + " voltage_ocv charge_control_limit charge_control_limit_max charge_counter"
          + " charge_empty charge_empty_design charge_full charge_full_design"
          + " charge_now=charge_ampere charge_term_current constant_charge_current"
          + " constant_charge_current_max constant_charge_voltage constant_charge_voltage_max"
          + " precharge_current input_current_limit power_now=power_watt";
  private static final String IN_TENTHS =
      "temp=temp_celsius temp_alert_max=temp_alert_max_celsius"
          + " temp_alert_min=temp_alert_min_celsius temp_ambient=temp_ambient_celsius"
          + " temp_ambient_max=temp_ambient_max_celsius"
          + " temp_ambient_min=temp_ambient_min_celsius temp_max=temp_max_celsius"
          + " temp_min=temp_min_celsius";
  private static final String[] TEXTS = {
    "capacity_level",
    "charge_type",
    "health",
    "manufacturer",
    "model_name",
    "serial_number",
    "status",
    "technology",
    "type",
    "usb_type",
    "scope"
  };

  /** A file of a supply: its metric, and what its unit is divided by. */
  private record Attribute(String file, Metric metric, double divisor) {}

  private final NodeFiles files;
  private final Filter supplies;
  private final List<Attribute> attributes = new ArrayList<>();
  private final Metric info;

  public PowerSupplyClass(NodeFiles files, Filter supplies) {
    this.files = files;
    this.supplies = supplies;
    attributes(WHOLE, 1);
    attributes(IN_MICRO, MICRO);
    attributes(IN_TENTHS, TENTHS);
    List<String> labels = new ArrayList<>(List.of("power_supply"));
    labels.addAll(List.of(TEXTS));
    info = new Metric("node_power_supply_info", labels.toArray(String[]::new));
  }

  private void attributes(String names, double divisor) {
    for (String each : names.split(" ")) {
      String file = each.replaceAll("=.*", "");
      String name = "node_power_supply_" + each.replaceAll(".*=", "");
      attributes.add(new Attribute(file, new Metric(name, "power_supply"), divisor));
    }
  }

  @Override
  public void read(Readings out) throws Missing {
    String folder = files.inSys("class/power_supply/");
    for (String supply : files.listed(folder)) {
      if (supplies.takes(supply)) {
        String path = folder + supply + "/";
        for (Attribute each : attributes) {
          double value = files.number(path + each.file());
          out.add(each.metric(), value / each.divisor(), supply);
        }
        String[] texts = new String[TEXTS.length + 1];
        texts[0] = supply;
        for (int i = 0; i < TEXTS.length; i++) {
          texts[i + 1] = files.lineOrEmpty(path + TEXTS[i]);
        }
        out.add(info, 1, texts);
      }
    }
  }
}
