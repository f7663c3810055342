package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.LocalHost;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Checks that the names that the process uses are known, and that others can use its own. */
record NameChecks(ExaminedProcess process, Findings findings) {
  private static final long SLOW_MILLIS = 1_000;

  void run() {
    TreeSet<String> names = new TreeSet<>();
    process.members().forEach(member -> names.add(hostOf(member)));
    process.gateways().stream().map(URI::getHost).forEach(names::add);
    names.forEach(this::resolve);
    boolean isForOthers = resolve(process.http().host()).stream().noneMatch(NameChecks::isLocal);
    for (String own : process.reachedAs()) {
      Optional<InetAddress[]> found = resolve(own);
      if (isForOthers
          && found.isPresent()
          && Arrays.stream(found.get()).allMatch(each -> each.isLoopbackAddress())) {
        findings.warning(
            own + " is a loopback address on this machine: " + text(found.get()),
            "other processes use this name: set http.advertisedHost to a name or address that they"
                + " reach, or give "
                + LocalHost.name()
                + " its address in /etc/hosts");
      }
    }
  }

  private static boolean isLocal(InetAddress[] found) {
    return Arrays.stream(found).allMatch(InetAddress::isLoopbackAddress);
  }

  /** The host of host:port. */
  static String hostOf(String member) {
    return member.substring(0, member.lastIndexOf(':'));
  }

  private Optional<InetAddress[]> resolve(String name) {
    long begin = System.nanoTime();
    try {
      InetAddress[] found = InetAddress.getAllByName(name);
      long millis = (System.nanoTime() - begin) / 1_000_000;
      if (millis > SLOW_MILLIS) {
        findings.warning(
            name + " was found only after " + millis + " ms",
            "see the name servers in /etc/resolv.conf; the first of them may not respond");
      } else if (!text(found).equals(name)) {
        findings.ok(name + " is " + text(found));
      }
      return Optional.of(found);
    } catch (UnknownHostException e) {
      findings.failure(
          "the name " + name + " is not known",
          "correct it in the configuration, or add it to the name server or /etc/hosts");
      return Optional.empty();
    }
  }

  private static String text(InetAddress[] addresses) {
    return Arrays.stream(addresses)
        .map(InetAddress::getHostAddress)
        .collect(Collectors.joining(", "));
  }
}
