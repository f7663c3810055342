package io.fleetgauge.cluster.member;

import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Set;
import java.util.TreeSet;

/** The form in which owners' words are shared. */
final class ReportForm {
  private ReportForm() {}

  static byte[] toBytes(Report report) {
    WireWriter out = new WireWriter(64);
    out.string(report.owner()).uvar(report.since()).uvar(report.behind().size());
    new TreeSet<>(report.behind()).forEach(out::string);
    out.uvar(report.synced().size());
    new TreeSet<>(report.synced()).forEach(out::string);
    return out.toBytes();
  }

  static Report fromBytes(byte[] bytes) {
    try {
      WireReader in = new WireReader(bytes);
      String owner = in.string("an owner");
      long since = in.uvar("the owner's first epoch");
      Set<String> behind = new TreeSet<>();
      for (int i = in.count(1, "gateways"); i > 0; i--) {
        behind.add(in.string("a gateway"));
      }
      Set<String> synced = new TreeSet<>();
      for (int i = in.count(1, "copies"); i > 0; i--) {
        synced.add(in.string("a gateway"));
      }
      return new Report(owner, since, behind, synced);
    } catch (WireException e) {
      throw new IllegalStateException("a shared report cannot be read: " + e.getMessage(), e);
    }
  }
}
