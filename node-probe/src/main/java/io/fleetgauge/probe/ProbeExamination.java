package io.fleetgauge.probe;

import io.fleetgauge.probe.config.ProbeConfig;
import io.fleetgauge.probe.config.SpoolSettings;
import io.fleetgauge.runtime.doctor.DiscoveryChecks;
import io.fleetgauge.runtime.doctor.Examination;
import io.fleetgauge.runtime.doctor.ExaminedProcess;
import io.fleetgauge.runtime.key.ConfigException;
import java.util.List;
import java.util.Optional;

/** The examination of {@code fleetgauge doctor probe}. */
public final class ProbeExamination implements Examination {
  private static final long OPEN_FILES = 512;

  @Override
  public String process() {
    return "probe";
  }

  @Override
  public ExaminedProcess read(String source, String yaml) throws ConfigException {
    ProbeConfig config = ProbeConfig.read(source, yaml);
    SpoolSettings spool = config.spool();
    NodeChecks node = new NodeChecks(config);
    return new ExaminedProcess(
        config.http(),
        List.of(),
        Optional.empty(),
        List.of(),
        config.gateways(),
        config.trust(),
        Optional.empty(),
        false,
        config.token().map(file -> new ExaminedProcess.Secret("tokenFile", file)).stream().toList(),
        spool
            .folder()
            .map(
                folder ->
                    new ExaminedProcess.Folder(
                        "spool.folder", folder, spool.maxDiskBytes(), "spool.maxDisk", false))
            .stream()
            .toList(),
        OPEN_FILES,
        List.of(
            DiscoveryChecks.of(config.discovery()),
            findings -> node.gpus(findings.about("gpus")),
            findings -> node.clock(findings.about("clock")),
            findings -> node.kernelLog(findings.about("gpus")),
            findings -> node.ras(findings.about("nccl")),
            findings -> node.kubelet(findings.about("kubelet")),
            findings -> node.exporters(findings.about("scrape"))));
  }
}
