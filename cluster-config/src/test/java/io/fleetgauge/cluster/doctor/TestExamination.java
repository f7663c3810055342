package io.fleetgauge.cluster.doctor;

import io.fleetgauge.cluster.config.GatewayConfig;
import io.fleetgauge.cluster.config.key.ConfigException;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** A process with the configuration of a gateway, and one gateway that it knows from it: zone. */
public final class TestExamination implements Examination {
  @Override
  public String process() {
    return "test";
  }

  @Override
  public Examined read(String source, String yaml) throws ConfigException {
    GatewayConfig config = GatewayConfig.read(source, yaml);
    return new Examined(
        config.http(),
        List.of(config.advertisedHost()),
        Optional.of(
            new Examined.ClusterPort(config.cluster().host(), config.cluster().port(), false)),
        config.cluster().members(),
        config.zone().isEmpty() ? List.of() : List.of(URI.create(config.zone())),
        config.trust(),
        config.tenants(),
        true,
        List.of(),
        List.of(
            new Examined.Folder(
                "store.folder",
                config.store().folder(),
                config.store().maxDiskBytes(),
                "store.maxDisk",
                true)),
        256,
        List.of(findings -> findings.ok("own", "a check of its own")));
  }
}
