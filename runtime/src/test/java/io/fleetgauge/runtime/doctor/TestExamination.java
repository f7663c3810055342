package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.HttpSettings;
import io.fleetgauge.runtime.config.TenantLimits;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.key.ConfigReader;
import io.fleetgauge.runtime.key.Key;
import io.fleetgauge.runtime.key.KeyType;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A member of a cluster that stores, and one gateway that it knows from its configuration: zone.
 */
public final class TestExamination implements Examination {
  private static final Key<String> ADVERTISED =
      Key.of("http.advertisedHost", KeyType.text(), "127.0.0.1", "Address for others.");
  private static final Key<String> ZONE = Key.optional("zone", KeyType.text(), "Another gateway.");
  private static final Key<Path> STORE =
      Key.of("store.folder", KeyType.path(), Path.of("fleetgauge-data"), "Folder of samples.");
  private static final Key<Long> MOST =
      Key.of("store.maxDisk", KeyType.size(1L, 1L << 50), 1L << 30, "Most that it takes.");
  private static final Key<String> HOST =
      Key.of("cluster.host", KeyType.text(), "127.0.0.1", "Address for members.");
  private static final Key<Integer> PORT =
      Key.of("cluster.port", KeyType.port(), 5701, "Port for members.");
  private static final Key<List<String>> MEMBERS =
      Key.of("cluster.members", KeyType.listOf(KeyType.text(), 1), List.of(), "Members.");

  @Override
  public String process() {
    return "test";
  }

  @Override
  public ExaminedProcess read(String source, String yaml) throws ConfigException {
    ConfigReader in = new ConfigReader(source, yaml);
    String zone = in.find(ZONE).orElse("");
    ExaminedProcess examined =
        new ExaminedProcess(
            HttpSettings.read(in, 9500),
            List.of(in.get(ADVERTISED)),
            Optional.of(new ExaminedProcess.ClusterPort(in.get(HOST), in.get(PORT), false)),
            in.get(MEMBERS),
            zone.isEmpty() ? List.of() : List.of(URI.create(zone)),
            TrustSettings.readForReceiver(in),
            in.find(TenantLimits.TENANTS_FILE),
            true,
            List.of(),
            List.of(
                new ExaminedProcess.Folder(
                    "store.folder", in.get(STORE), in.get(MOST), "store.maxDisk", true)),
            256,
            List.of(findings -> findings.about("own").ok("a check of its own")));
    in.finish();
    return examined;
  }
}
