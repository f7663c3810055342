package io.fleetgauge.promql.fragment.form;

import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** The hosts of a gateway and when they last sent samples. */
final class HostsForm {
  private HostsForm() {}

  static void write(WireWriter out, Fragment.Hosts hosts) {
    SelectorForm.matchers(out, hosts.scope());
  }

  static Fragment question(WireReader in, long epoch, List<String> hosts) throws WireException {
    return new Fragment.Hosts(epoch, hosts, SelectorForm.matchers(in));
  }

  static void write(WireWriter out, FragmentAnswer.Hosts hosts) {
    out.uvar(hosts.hosts().size());
    for (FragmentAnswer.Host host : hosts.hosts()) {
      out.string(host.name()).svar(host.newest()).uvar(host.tickMillis()).uvar(host.series());
    }
  }

  static FragmentAnswer answer(WireReader in, long epoch, List<String> covered)
      throws WireException {
    int count = in.count(4, "hosts");
    List<FragmentAnswer.Host> hosts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      hosts.add(
          new FragmentAnswer.Host(
              in.string("a host"),
              in.svar("a host's newest time"),
              in.uvar("a host's tick"),
              in.uvar("a host's series")));
    }
    return new FragmentAnswer.Hosts(epoch, covered, hosts);
  }
}
