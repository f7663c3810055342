package io.fleetgauge.cluster.table;

import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.Set;
import java.util.TreeSet;

/** An owner's report as bytes, as the package draws them. Equal reports have equal bytes. */
public final class ReportForm {
  /** Other versions are not read. */
  public static final int VERSION = 1;

  private ReportForm() {}

  public static byte[] toBytes(Report report) {
    WireWriter out = new WireWriter(64);
    out.u8(VERSION).string(report.owner()).uvar(report.since()).uvar(report.behind().size());
    new TreeSet<>(report.behind()).forEach(out::string);
    out.uvar(report.synced().size());
    new TreeSet<>(report.synced()).forEach(out::string);
    return out.u8(report.idle() ? 1 : 0).toBytes();
  }

  /**
   * @throws WireException if the bytes are not a report of this version
   */
  public static Report fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    in.version(VERSION, "a report");
    String owner = in.string("an owner");
    long since = in.uvar("the owner's first epoch");
    Set<String> behind = strings(in, "a gateway");
    Set<String> synced = strings(in, "a copy");
    boolean idle = in.flag("whether a host is idle");
    in.end("the report");
    return new Report(owner, since, behind, synced, idle);
  }

  static Set<String> strings(WireReader in, String what) throws WireException {
    Set<String> strings = new TreeSet<>();
    for (int i = in.count(1, what); i > 0; i--) {
      strings.add(in.string(what));
    }
    return strings;
  }
}
