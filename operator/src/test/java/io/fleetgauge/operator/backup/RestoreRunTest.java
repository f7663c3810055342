package io.fleetgauge.operator.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.operator.client.GatewayClient;
import io.fleetgauge.operator.client.ScriptedGateways;
import io.fleetgauge.runtime.config.TrustSettings;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A backup of the hosts n1 and n2, restored to two gateways of which g0 owns both. */
class RestoreRunTest {
  private static final JsonObject DIMENSIONS = new JsonObject().put("identifier", "UUID");
  private static final long NOW = 10_000;
  private static final long RETENTION = 9_900;
  private static final String OLD = "0-100.block";
  private static final String KNOWN = "50-150.block";
  private static final String LACKED = "100-200.block";
  private static final String OLD_PAGE = "10-100.page";
  private static final String PAGE = "200-300.page";
  private static final String TAKEN_IN =
      "{\"adopted\": 1, \"known\": 2, \"united\": 3, \"merged\": 4}";

  @TempDir private Path folder;
  private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
  private ScriptedGateways gateways;
  private GatewayClient client;
  private Repository repository;
  private Manifest manifest;

  @BeforeEach
  void start() throws Exception {
    gateways = new ScriptedGateways(2);
    client = new GatewayClient(TrustSettings.ofSecret(Optional.empty()));
    repository = new FolderRepository(folder);
    manifest =
        new Manifest(
            "prod",
            1,
            2,
            DIMENSIONS,
            List.of("g0", "g1"),
            List.of(),
            List.of(
                new Manifest.Host(
                    "n1",
                    "t",
                    5,
                    true,
                    List.of(
                        new Manifest.Copy(
                            "g7",
                            List.of(
                                kept(PAGE),
                                kept(OLD_PAGE),
                                kept(OLD),
                                kept(KNOWN),
                                kept(LACKED))))),
                new Manifest.Host(
                    "n2",
                    "t",
                    6,
                    true,
                    List.of(new Manifest.Copy("g8", List.of(kept("1-400.page")))))));
    about(1, DIMENSIONS);
    JsonObject holders =
        new JsonObject()
            .put("g0", gateways.address(0).toString())
            .put("g1", gateways.address(1).toString());
    String owned = new JsonObject().put("owner", "g0").put("holders", holders).encode();
    gateways
        .tell("g0 POST /v1/restore/hosts/n1?tenant=t&admitted=5", 200, owned)
        .tell("g0 POST /v1/restore/hosts/n2?tenant=t&admitted=6", 200, owned)
        .tell("g0 GET /v1/table", 200, table("n1", true, "n2", true));
    String known = new JsonObject().put(KNOWN, kept(KNOWN).sha256()).put(LACKED, "x").encode();
    gateways
        .tell("g0 GET /v1/restore/hosts/n1/blocks", 200, known)
        .tell("g1 GET /v1/restore/hosts/n1/blocks", 200, "{}")
        .tell("g1 PUT /v1/restore/hosts/n1/blocks/" + KNOWN, 200, "{}")
        .tell("g0 POST /v1/restore/hosts/n1/blocks", 200, TAKEN_IN)
        .tell("g1 POST /v1/restore/hosts/n1/blocks", 200, "{\"adopted\": 50}");
    for (String gateway : List.of("g0", "g1")) {
      gateways
          .tell(gateway + " GET /v1/restore/hosts/n2/blocks", 200, "{}")
          .tell(gateway + " PUT /v1/restore/hosts/n1/blocks/" + LACKED, 200, "{}")
          .tell(gateway + " POST /v1/restore/hosts/n2/blocks", 200, "{}");
      for (String host : List.of("n1", "n2")) {
        gateways
            .tell(gateway + " POST /v1/restore/hosts/" + host + "/samples", 200, "{}")
            .tell(gateway + " POST /v1/restore/hosts/" + host + "/end", 200, "{}");
      }
    }
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    gateways.close();
  }

  /** A stored file whose bytes are its name. */
  private Manifest.BackupFile kept(String name) throws IOException {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    Manifest.BackupFile kept =
        new Manifest.BackupFile(name, bytes.length, Repositories.sha256(bytes));
    repository.put(kept.stored(), bytes);
    return kept;
  }

  private void about(int version, JsonObject dimensions) {
    gateways.tellInstead(
        "g0 GET /v1/backup",
        200,
        new JsonObject()
            .put("version", version)
            .put("retention", RETENTION)
            .put("dimensions", dimensions)
            .encode());
  }

  private static String table(Object... hostsAndWhetherTheirReplicasAreWhole) {
    JsonObject hosts = new JsonObject();
    for (int i = 0; i < hostsAndWhetherTheirReplicasAreWhole.length; i += 2) {
      JsonObject copies = new JsonObject().put("g1", hostsAndWhetherTheirReplicasAreWhole[i + 1]);
      hosts.put(
          (String) hostsAndWhetherTheirReplicasAreWhole[i], new JsonObject().put("copies", copies));
    }
    return new JsonObject().put("hosts", hosts).encode();
  }

  private Map<String, Long> restore(String host, boolean mayLack, boolean isDry) throws Exception {
    return new RestoreRun(client, repository, new Rate(0), 1, () -> NOW, lines::add)
        .run(
            gateways.address(0),
            manifest,
            each -> host.isEmpty() || each.equals(host),
            mayLack,
            isDry);
  }

  private void assertNothingWasSent() {
    assertThat(gateways.asked()).isNotEmpty().allMatch(each -> each.equals("g0 GET /v1/backup"));
  }

  @Test
  void bytesAreReadAtTheRateThatIsSet() throws Exception {
    long read = manifest.files().mapToLong(Manifest.BackupFile::size).sum();
    long begin = System.nanoTime();
    new RestoreRun(client, repository, new Rate(read * 4), 1, () -> NOW, lines::add)
        .run(gateways.address(0), manifest, each -> true, false, true);
    // The last file is read when the others have had their time.
    assertThat(System.nanoTime() - begin).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(150));
    long verified = System.nanoTime();
    Repositories.verify(repository, manifest, new Rate(read * 4));
    assertThat(System.nanoTime() - verified).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(150));
  }

  @Test
  void aHostsBlocksAndThenItsPagesAreSentUnlessTheyAreThereOrExpired() throws Exception {
    assertThat(restore("n1", false, false))
        .containsExactly(
            Map.entry("hosts", 1L),
            Map.entry("adopted", 1L),
            Map.entry("known", 3L),
            Map.entry("united", 3L),
            Map.entry("merged", 4L),
            Map.entry("pages", 1L),
            Map.entry("days", 0L),
            Map.entry("expired", 2L),
            Map.entry("bytes", 2L * (LACKED.length() + PAGE.length()) + KNOWN.length()));
    assertThat(gateways.asked())
        .containsExactly(
            "g0 GET /v1/backup",
            "g0 POST /v1/restore/hosts/n1?tenant=t&admitted=5",
            "g1 GET /v1/restore/hosts/n1/blocks",
            "g1 PUT /v1/restore/hosts/n1/blocks/" + KNOWN,
            "g1 PUT /v1/restore/hosts/n1/blocks/" + LACKED,
            "g1 POST /v1/restore/hosts/n1/blocks",
            "g1 POST /v1/restore/hosts/n1/samples",
            "g0 GET /v1/restore/hosts/n1/blocks",
            "g0 PUT /v1/restore/hosts/n1/blocks/" + LACKED,
            "g0 POST /v1/restore/hosts/n1/blocks",
            "g0 POST /v1/restore/hosts/n1/samples",
            "g0 POST /v1/restore/hosts/n1/end",
            "g0 GET /v1/table");
    ScriptedGateways.SentBody block = gateways.sent("g0 PUT /v1/restore/hosts/n1/blocks/" + LACKED);
    assertThat(block.body()).asString().isEqualTo(LACKED);
    assertThat(block.sha256()).isEqualTo(kept(LACKED).sha256());
    ScriptedGateways.SentBody page = gateways.sent("g1 POST /v1/restore/hosts/n1/samples");
    assertThat(page.body()).asString().isEqualTo(PAGE);
    assertThat(page.sha256()).isEqualTo(kept(PAGE).sha256());
    assertThat(lines).isEmpty();
  }

  @Test
  void theBlocksOfAllCopiesAreSentBeforeThePagesOfAny() throws Exception {
    Manifest.Host host = manifest.hosts().getFirst();
    Manifest.Copy one = new Manifest.Copy("g7", List.of(kept(PAGE)));
    Manifest.Copy other = new Manifest.Copy("g8", List.of(kept(LACKED)));
    manifest =
        new Manifest(
            "prod",
            1,
            2,
            DIMENSIONS,
            List.of("g7", "g8"),
            List.of(),
            List.of(new Manifest.Host(host.host(), "t", 5, false, List.of(one, other))));
    restore("", false, false);
    assertThat(gateways.asked())
        .filteredOn(each -> each.startsWith("g1") && !each.contains(" GET "))
        .containsExactly(
            "g1 POST /v1/restore/hosts/n1/blocks",
            "g1 PUT /v1/restore/hosts/n1/blocks/" + LACKED,
            "g1 POST /v1/restore/hosts/n1/blocks",
            "g1 POST /v1/restore/hosts/n1/samples");
  }

  @Test
  void itEndsWhenTheReplicasOfAllRestoredHostsHaveThem() throws Exception {
    gateways.tellInstead("g0 GET /v1/table", 200, table("n1", true));
    gateways
        .tell("g0 GET /v1/table", 200, table("n1", true, "n2", false))
        .tell("g0 GET /v1/table", 200, table("n1", true, "n2", true));
    assertThat(restore("", false, false)).containsEntry("hosts", 2L);
    assertThat(gateways.asked()).filteredOn(each -> each.endsWith("table")).hasSize(3);
    assertThat(lines).isEmpty();
  }

  @Test
  void ofADamagedBackupNothingIsSentUnlessHostsMayBeLeftOut() throws Exception {
    repository.put(kept("1-400.page").stored(), new byte[4]);
    assertThatThrownBy(() -> restore("", false, false))
        .isInstanceOf(CommandFailure.class)
        .hasMessageStartingWith("nothing was restored, because the backup is damaged:\n  host n2: ")
        .hasMessageContaining("is damaged: it has 4 bytes");
    assertNothingWasSent();

    assertThat(restore("", true, false)).containsEntry("hosts", 1L);
    assertThat(gateways.asked()).noneMatch(each -> each.contains("/n2"));
    assertThat(lines).singleElement().asString().startsWith("not restored: host n2: ");
  }

  @Test
  void aDryRunReadsAllAndSendsNothing() throws Exception {
    assertThat(restore("", false, true)).containsEntry("hosts", 0L).containsEntry("bytes", 0L);
    assertNothingWasSent();
    repository.delete(kept(OLD).stored());
    assertThatThrownBy(() -> restore("", false, true)).hasMessageContaining("is not there");
  }

  @Test
  void aClusterOfAnotherReleaseOrWithOtherOwnerLabelsGetsNothing() {
    about(1, new JsonObject().put("identifier", "uuid"));
    assertThatThrownBy(() -> restore("", false, false))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("{\"identifier\":\"UUID\"}, not {\"identifier\":\"uuid\"}");
    about(2, DIMENSIONS);
    assertThatThrownBy(() -> restore("", false, false))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("use a newer release");
    assertNothingWasSent();
  }

  @Test
  void aHostThatTheBackupDoesNotHaveIsAnError() {
    assertThatThrownBy(() -> restore("n3", true, false))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("the backup has no such host; it has 2 hosts");
  }

  @Test
  void aBlockThatAGatewayRefusesEndsTheRestoreAndOneThatMovedIsSentAgain() throws Exception {
    String put = "g1 PUT /v1/restore/hosts/n1/blocks/" + LACKED;
    gateways.tellInstead(put, 409, "not a holder");
    gateways.tell(put, 200, "{}");
    restore("n1", false, false);
    assertThat(gateways.asked()).filteredOn(put::equals).hasSize(2);

    gateways.tellInstead(put, 400, "damaged\n");
    gateways.forget();
    assertThatThrownBy(() -> restore("n1", false, false))
        .isInstanceOf(CommandFailure.class)
        .hasMessage(gateways.address(1) + " does not accept host n1: status 400: damaged");
    assertThat(gateways.asked()).noneMatch(each -> each.endsWith("/end"));
  }
}
