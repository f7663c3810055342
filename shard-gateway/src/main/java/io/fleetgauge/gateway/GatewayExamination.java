package io.fleetgauge.gateway;

import io.fleetgauge.gateway.config.GatewayConfig;
import io.fleetgauge.runtime.doctor.DiscoveryChecks;
import io.fleetgauge.runtime.doctor.Examination;
import io.fleetgauge.runtime.doctor.ExaminedProcess;
import io.fleetgauge.runtime.doctor.Findings;
import io.fleetgauge.runtime.key.ConfigException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The checks of {@code fleetgauge doctor gateway}. */
public final class GatewayExamination implements Examination {
  /** A connection for each probe and query, and a file for each block that is being written. */
  private static final long OPEN_FILES = 16_384;

  private static final long MANY_BLOCKS_DAYS = 90;

  @Override
  public String process() {
    return "gateway";
  }

  @Override
  public ExaminedProcess read(String source, String yaml) throws ConfigException {
    GatewayConfig config = GatewayConfig.read(source, yaml);
    String own = config.cluster().host() + ":" + config.cluster().port();
    return new ExaminedProcess(
        config.http(),
        List.of(config.advertisedHost()),
        Optional.of(
            new ExaminedProcess.ClusterPort(
                config.cluster().host(), config.cluster().port(), false)),
        config.cluster().members().stream().filter(member -> !member.equals(own)).toList(),
        List.of(),
        config.trust(),
        config.tenants(),
        true,
        List.of(),
        List.of(
            new ExaminedProcess.Folder(
                "store.folder",
                config.store().folder(),
                config.store().maxDiskBytes() + config.journal().maxBytes(),
                "store.maxDisk + journal.maxDisk",
                true)),
        OPEN_FILES,
        List.of(
            DiscoveryChecks.of(config.cluster().discovery()),
            findings -> cluster(config, findings.about("cluster")),
            findings -> owner(config, findings.about("disk"))));
  }

  private static void owner(GatewayConfig config, Findings findings) {
    Path folder = config.store().folder();
    try {
      StoreOwner.other(folder, config.id())
          .ifPresent(
              other ->
                  findings.failure(
                      StoreOwner.problem(folder, other, config.id()), StoreOwner.advice(other)));
    } catch (IOException e) {
      findings.skipped("the id in " + folder + " cannot be read: " + e);
    }
  }

  private static void cluster(GatewayConfig config, Findings findings) {
    boolean isListed = config.cluster().discovery().isEmpty();
    if (isListed && config.cluster().members().size() < 3 && config.cluster().replication() > 1) {
      findings.warning(
          "cluster.members names "
              + config.cluster().members().size()
              + " of the members that a process may join",
          "name three gateways or more, so that one of them may be down when a process starts");
    }
    if (config.cluster().replication() == 1) {
      findings.warning(
          "cluster.replication is 1: the samples of a lost gateway are lost",
          "set it to 2 on all gateways");
    }
    if (config.drainTimeout().equals(Duration.ZERO)) {
      findings.warning(
          "drainTimeout is 0: a gateway that stops does not hand over its hosts",
          "set it to 25s or more, and the supervisor's stop timeout to more than that");
    }
    if (config.store().retention().toDays() > MANY_BLOCKS_DAYS) {
      findings.warning(
          "store.retention is " + config.store().retention().toDays() + " days",
          "for long-term storage, send samples to Thanos, Mimir or VictoriaMetrics, and keep 7 to"
              + " 90 days here");
    }
  }
}
