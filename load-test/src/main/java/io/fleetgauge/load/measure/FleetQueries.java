package io.fleetgauge.load.measure;

import io.fleetgauge.load.measure.Panels.Panel;
import io.fleetgauge.load.system.Connection;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * The cost of a query that reads all hosts for each gateway and the query API, without the cache.
 */
final class FleetQueries {
  private static final int ROUNDS = 20;

  private FleetQueries() {}

  /**
   * @param end of the windows, ms since the epoch
   */
  static void measure(PrintWriter out, Target target, long end) throws Exception {
    List<Panel> panels =
        Panels.ALL.stream().filter(panel -> panel.window().startsWith("1 h")).toList();
    try (Connection connection = new Connection(target.system().query().address())) {
      double stores = 0;
      double all = 0;
      double compilation = 0;
      for (int round = -ROUNDS; round < ROUNDS; round++) {
        if (round == 0) {
          stores = target.storeCpu();
          all = target.cpu();
          compilation = target.storeCompilation();
        }
        for (Panel panel : panels) {
          panel.ask(connection, end / 1_000, "&nocache=1");
        }
      }
      stores = target.storeCpu() - stores;
      all = target.cpu() - all;
      compilation = target.storeCompilation() - compilation;
      int queries = ROUNDS * panels.size();
      out.printf(
          Locale.ROOT,
          "    %d graphs of 1 h over all hosts: %.2f ms of CPU a query and gateway, of which %.2f"
              + " is compilation, %.2f ms in the query API%n",
          panels.size(),
          stores / queries / target.system().stores().size() * 1_000,
          compilation / queries / target.system().stores().size() * 1_000,
          (all - stores) / queries * 1_000);
    }
  }
}
