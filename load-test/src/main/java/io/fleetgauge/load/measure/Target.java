package io.fleetgauge.load.measure;

import io.fleetgauge.load.system.MeasuredProcess;
import io.fleetgauge.load.system.MeasuredSystem;
import io.fleetgauge.load.traffic.FleetTraffic;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** A system that is measured, and the form in which samples are sent to it. */
record Target(MeasuredSystem system, FleetTraffic.Form form) {
  List<URI> stores() {
    return system.stores().stream().map(MeasuredProcess::address).toList();
  }

  /** CPU seconds of the processes that store. */
  double storeCpu() throws IOException {
    return cpu(system.stores());
  }

  /** CPU seconds that the processes that store have spent on compilation. */
  double storeCompilation() throws IOException {
    double seconds = 0;
    for (MeasuredProcess each : system.stores()) {
      seconds += each.compilationSeconds();
    }
    return seconds;
  }

  /** CPU seconds of all processes. */
  double cpu() throws IOException {
    return cpu(system.processes());
  }

  /** CPU seconds of each process, those that store first. */
  double[] cpuOfEach() throws IOException {
    List<MeasuredProcess> processes = system.processes();
    double[] seconds = new double[processes.size()];
    for (int i = 0; i < seconds.length; i++) {
      seconds[i] = processes.get(i).cost().cpuSeconds();
    }
    return seconds;
  }

  private static double cpu(List<MeasuredProcess> processes) throws IOException {
    double seconds = 0;
    for (MeasuredProcess each : processes) {
      seconds += each.cost().cpuSeconds();
    }
    return seconds;
  }
}
