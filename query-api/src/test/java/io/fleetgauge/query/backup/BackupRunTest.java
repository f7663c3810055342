package io.fleetgauge.query.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.cluster.config.TrustSettings;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups of two gateways, which answer as their package draws, and what is sent back to them. */
class BackupRunTest {
  private static final long TAKEN = 1_790_000_000_000L;
  private static final JsonObject DIMENSIONS =
      new JsonObject().put("identifier", "UUID").put("names", new JsonArray());

  @TempDir private Path folder;
  private final Vertx vertx = Vertx.vertx();
  private final Map<String, Gateway> gateways = new TreeMap<>();
  private final List<String> told = new ArrayList<>();
  private GatewayClient client;
  private Repository repository;

  private final class Gateway {
    final String id;
    final URI address;
    final Queue<String> asked = new ConcurrentLinkedQueue<>();
    final JsonArray hosts = new JsonArray();
    final List<byte[]> files = new ArrayList<>();

    /** What it gives in the place of a file, by number, as often as it stands there. */
    final Map<Integer, Queue<byte[]>> otherBytes = new ConcurrentHashMap<>();

    volatile boolean isFull;

    Gateway(String id) throws Exception {
      this.id = id;
      int port =
          vertx
              .createHttpServer()
              .requestHandler(request -> request.body().onSuccess(body -> answer(request)))
              .listen(0, "127.0.0.1")
              .await(120, TimeUnit.SECONDS)
              .actualPort();
      address = URI.create("http://127.0.0.1:" + port);
      gateways.put(id, this);
    }

    /** It has a host with one block. */
    void has(String host, boolean isWhole, String bytes) {
      byte[] file = bytes.getBytes(StandardCharsets.UTF_8);
      files.add(file);
      hosts.add(
          new JsonObject()
              .put("host", host)
              .put("whole", isWhole)
              .put("tenant", "t")
              .put("admitted", 5)
              .put("damaged", new JsonArray())
              .put(
                  "files",
                  new JsonArray()
                      .add(
                          new JsonObject()
                              .put("name", "1-" + (TAKEN - 1) + ".block")
                              .put("size", file.length)
                              .put("sha256", Repositories.sha256(file))
                              .put("file", files.size() - 1))));
    }

    private void answer(HttpServerRequest request) {
      asked.add(request.method() + " " + request.uri());
      int status = 200;
      Buffer body = Buffer.buffer();
      if (request.method().equals(HttpMethod.POST)) {
        status = isFull ? 409 : 202;
        body = new JsonObject().put("id", "s").toBuffer();
      } else if (request.method().equals(HttpMethod.DELETE)) {
        status = 204;
      } else if (request.uri().equals("/v1/backup")) {
        body = about().toBuffer();
      } else if (request.uri().equals("/v1/backup/s")) {
        body =
            new JsonObject()
                .put("taken", TAKEN + id.charAt(1))
                .put("dimensions", DIMENSIONS)
                .put("hosts", hosts)
                .toBuffer();
      } else {
        int number = Integer.parseInt(request.uri().substring("/v1/backup/s/files/".length()));
        byte[] other = otherBytes.getOrDefault(number, new ConcurrentLinkedQueue<>()).poll();
        body = Buffer.buffer(other == null ? files.get(number) : other);
      }
      request.response().setStatusCode(status).end(body);
    }

    private JsonObject about() {
      JsonObject addresses = new JsonObject();
      gateways.forEach((name, each) -> addresses.put(name, each.address.toString()));
      return new JsonObject()
          .put("version", 1)
          .put("gateway", id)
          .put("cluster", "prod")
          .put("gateways", addresses)
          .put("retention", 86_400_000L)
          .put("dimensions", DIMENSIONS);
    }
  }

  @BeforeEach
  void start() throws Exception {
    client = new GatewayClient(TrustSettings.ofSecret(Optional.empty()));
    repository = new FolderRepository(folder.resolve("backups"));
    new Gateway("g1");
    new Gateway("g2");
  }

  @AfterEach
  void close() throws Exception {
    client.close();
    vertx.close().await(120, TimeUnit.SECONDS);
  }

  private BackupRun.Done backup(boolean mayMiss) throws Exception {
    return new BackupRun(client, repository, new Rate(0), 2, () -> TAKEN + 500, told::add)
        .run(gateways.get("g1").address, false, mayMiss);
  }

  private void assertReleased(String... of) {
    for (String id : of) {
      assertThat(gateways.get(id).asked).as(id).endsWith("DELETE /v1/backup/s");
    }
  }

  private List<Manifest.Copy> copies(BackupRun.Done done, String host) {
    return done.manifest().hosts().stream()
        .filter(each -> each.host().equals(host))
        .findFirst()
        .orElseThrow()
        .copies();
  }

  @Test
  void ofAHostThatOneGatewayHasWholeOnlyThatCopyIsInABackupOtherwiseAllAre() throws Exception {
    gateways.get("g1").has("n1", true, "all of n1");
    gateways.get("g2").has("n1", false, "a part of n1");
    gateways.get("g1").has("n2", false, "a part of n2");
    gateways.get("g2").has("n2", false, "another part of n2");

    BackupRun.Done done = backup(false);

    assertThat(copies(done, "n1")).extracting(Manifest.Copy::gateway).containsExactly("g1");
    assertThat(copies(done, "n2")).extracting(Manifest.Copy::gateway).containsExactly("g1", "g2");
    assertThat(done.files()).isEqualTo(3);
    assertThat(done.manifest().taken()).as("of the first snapshot").isEqualTo(TAKEN + '1');
    assertThat(Repositories.verify(repository, done.manifest(), new Rate(0))).isEmpty();
    assertReleased("g1", "g2");
    assertThat(backup(false).sent()).as("what is there is not sent again").isZero();
  }

  @Test
  void bytesThatAreNotThoseOfTheSnapshotAreAskedForAgainAndInTheEndRefused() throws Exception {
    Gateway g1 = gateways.get("g1");
    g1.has("n1", true, "all of n1");
    byte[] wrong = "all of n2".getBytes(StandardCharsets.UTF_8);
    g1.otherBytes.put(0, new ConcurrentLinkedQueue<>(List.of(wrong, wrong)));
    assertThat(Repositories.verify(repository, backup(false).manifest(), new Rate(0))).isEmpty();

    g1.has("n3", true, "all of n3");
    g1.otherBytes.put(1, new ConcurrentLinkedQueue<>(List.of(wrong, wrong, wrong)));
    assertThatThrownBy(() -> backup(false))
        .isInstanceOf(BackupFailure.class)
        .hasMessageContaining("gateway g1 gives other bytes for 1-" + (TAKEN - 1) + ".block");
    assertThat(Repositories.ids(repository)).as("no backup lacks a file").hasSize(1);
    assertReleased("g1", "g2");
  }

  @Test
  void aGatewayThatTakesNoSnapshotEndsABackupUnlessItMayBeLeftOut() throws Exception {
    gateways.get("g1").has("n1", true, "all of n1");
    gateways.get("g2").isFull = true;
    assertThatThrownBy(() -> backup(false)).isInstanceOf(BackupFailure.class);
    assertThat(Repositories.ids(repository)).isEmpty();
    assertReleased("g1");

    assertThat(backup(true).manifest().missing()).containsExactly("g2");
    assertThat(told).anyMatch(line -> line.startsWith("gateway g2 is left out"));
    assertReleased("g1");
  }

  @Test
  void ofADamagedBackupNothingIsSentUnlessAPartIsWanted() throws Exception {
    gateways.get("g1").has("n1", true, "all of n1");
    gateways.get("g1").has("n2", true, "all of n2");
    Manifest manifest = backup(false).manifest();
    Manifest.Kept damaged = copies(backup(false), "n1").getFirst().files().getFirst();
    Files.writeString(folder.resolve("backups").resolve(damaged.stored()), "something");
    gateways.values().forEach(each -> each.asked.clear());

    assertThatThrownBy(() -> restore(manifest, false))
        .isInstanceOf(BackupFailure.class)
        .hasMessageContaining("nothing was restored, because the backup is damaged")
        .hasMessageContaining("host n1")
        .hasMessageNotContaining("host n2");
    assertThat(gateways.get("g1").asked).containsExactly("GET /v1/backup");

    assertThatThrownBy(() -> restore(manifest, true)).isInstanceOf(BackupFailure.class);
    assertThat(told).anyMatch(line -> line.startsWith("not restored: host n1"));
    assertThat(gateways.get("g1").asked)
        .filteredOn(each -> !each.equals("GET /v1/backup"))
        .isNotEmpty()
        .allMatch(each -> each.startsWith("POST /v1/restore/hosts/n2"));
  }

  /** The gateways here take no samples, so it fails at the first host that it sends. */
  private void restore(Manifest manifest, boolean mayLack) throws Exception {
    for (Gateway each : gateways.values()) {
      each.isFull = true;
    }
    new RestoreRun(client, repository, new Rate(0), 1, () -> TAKEN + 500, told::add)
        .run(gateways.get("g1").address, manifest, host -> true, mayLack, false);
  }
}
