package io.fleetgauge.gateway.backup;

import static io.fleetgauge.gateway.backup.BackupGateway.HOST;
import static io.fleetgauge.gateway.backup.BackupGateway.restore;
import static io.fleetgauge.gateway.backup.BackupGateway.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.gateway.backup.BackupGateway.Answer;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a gateway takes in of a backup, and what it refuses. It has more than 600 lines because each
 * kind of file is refused in its own ways.
 */
class RestoreRouteTest {
  private static final int STEPS = 240;

  @TempDir private Path folder;

  /** It was backed up. */
  private BackupGateway before;

  /** It takes in what {@link #before} had. */
  private BackupGateway gateway;

  private List<Path> blocks;
  private byte[] page;

  @BeforeEach
  void start() throws Exception {
    before = new BackupGateway("g1", folder.resolve("before"));
    before.send(0, STEPS);
    before.intake.maintain().join();
    blocks = before.store.blockFiles(HOST);
    long sealed = before.store.lane(HOST).sealedBefore();
    page = before.store.export(HOST, sealed, Long.MAX_VALUE, 64 << 20).frames();
    gateway = new BackupGateway("g1", folder.resolve("after"));
    gateway.clock.set(before.clock.get());
  }

  @AfterEach
  void close() throws Exception {
    before.close();
    gateway.close();
  }

  private Answer block(Path file) throws Exception {
    return gateway.put("PUT", restore("/blocks/" + file.getFileName()), Files.readAllBytes(file));
  }

  private void allBlocks() throws Exception {
    for (Path each : blocks) {
      assertThat(block(each).json().getString("kept")).isEqualTo(each.getFileName().toString());
    }
  }

  private JsonObject take() throws Exception {
    return gateway.ask("POST", restore("/blocks")).json();
  }

  private Answer page(byte[] bytes) throws Exception {
    return gateway.put("POST", restore("/samples"), bytes);
  }

  private List<Path> staged() throws Exception {
    Path staging = folder.resolve("after/restore");
    if (!Files.exists(staging)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(staging)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private void assertNothingIsHere() throws Exception {
    assertThat(gateway.samples()).isEmpty();
    assertThat(staged()).isEmpty();
  }

  @Test
  void blocksAndPagesTogetherAreWhatWasBackedUp() throws Exception {
    allBlocks();
    assertThat(gateway.samples()).as("they wait").isEmpty();
    assertThat(take().getInteger("adopted")).isEqualTo(blocks.size());
    assertThat(page(page).json()).isEmpty();
    gateway.reported.clear();
    assertThat(gateway.ask("POST", restore("/end")).json()).isEmpty();
    assertThat(gateway.reported).as("its replicas do not have it").contains(HOST);

    assertThat(gateway.samples()).isEqualTo(sent(0, STEPS)).isEqualTo(before.samples());
    assertThat(staged()).isEmpty();
  }

  @Test
  void usageOfDaysThatAreNotHereIsTakenInAsItIs() throws Exception {
    UsageFile file = BackupGateway.usage(HOST, 0);
    for (boolean isNew : new boolean[] {true, false}) {
      assertThat(usage(file.name(), file.toBytes()).json().getBoolean("taken")).isEqualTo(isNew);
    }
    assertThat(gateway.store.usage().read(HOST, 0).orElseThrow().toBytes())
        .isEqualTo(file.toBytes());
    byte[] damaged = file.toBytes().clone();
    damaged[damaged.length / 2] ^= 1;
    assertThat(usage(file.name(), damaged).status()).isEqualTo(400);
    assertThat(usage("1970-01-02.usage", file.toBytes()).status()).isEqualTo(400);
    assertThat(usage(file.name(), BackupGateway.usage("n9", 0).toBytes()).status()).isEqualTo(400);
    gateway.owner("g2");
    assertThat(usage(file.name(), file.toBytes()).status()).isEqualTo(409);
  }

  private Answer usage(String name, byte[] bytes) throws Exception {
    return gateway.put("PUT", restore("/usage/" + name), bytes);
  }

  @Test
  void whatWasLeftWhenAGatewayWasKilledIsRemovedAtItsStart() throws Exception {
    Path left = Files.createDirectories(folder.resolve("killed/restore/~pages/a"));
    Files.writeString(left.resolve("b"), "half a block");
    try (BackupGateway killed = new BackupGateway("g1", folder.resolve("killed"))) {
      assertThat(killed.samples()).isEmpty();
      assertThat(left.getParent()).doesNotExist();
    }
  }

  @Test
  void whatIsRestoredAgainChangesNothing() throws Exception {
    for (int i = 0; i < 2; i++) {
      allBlocks();
      JsonObject taken = take();
      assertThat(taken.getInteger("adopted")).isEqualTo(i == 0 ? blocks.size() : 0);
      assertThat(taken.getInteger("known")).isEqualTo(i == 0 ? 0 : blocks.size());
      assertThat(taken.getInteger("united") + taken.getInteger("merged")).isZero();
      page(page).json();
      assertThat(gateway.samples()).isEqualTo(sent(0, STEPS));
    }
    JsonObject here = gateway.ask("GET", restore("/blocks")).json();
    assertThat(here.size()).isGreaterThanOrEqualTo(blocks.size());
    for (Path each : blocks) {
      assertThat(here.getString(each.getFileName().toString()))
          .isEqualTo(BlockChecks.sha256(Files.readAllBytes(each)));
    }
  }

  @Test
  void whatIsHereAlreadyStaysAndTheRestIsAdded() throws Exception {
    gateway.send(STEPS - 10, STEPS + 20);
    allBlocks();
    take();
    page(page).json();
    assertThat(gateway.samples()).isEqualTo(sent(0, STEPS + 20));
  }

  /** What is older than what a gateway still takes from senders goes into blocks. */
  @Test
  void aPageOfAnyAgeIsTakenInWhole() throws Exception {
    gateway.send(STEPS, STEPS + 120);
    gateway.intake.maintain().join();
    byte[] all = before.store.export(HOST, 0, Long.MAX_VALUE, 64 << 20).frames();
    page(all).json();
    assertThat(gateway.samples()).isEqualTo(sent(0, STEPS + 120));
    try (Stream<Path> left = Files.list(folder.resolve("after/restore/~pages"))) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aPageWhoseTimesAreInAnyOrderIsTakenInWhole() throws Exception {
    gateway.send(STEPS, STEPS + 120);
    gateway.intake.maintain().join();
    FrameEncoder run = new FrameEncoder(HOST, HostPage.RUN);
    ByteArrayOutputStream reversed = new ByteArrayOutputStream();
    for (int i = STEPS - 1; i >= STEPS - 90; i--) {
      Tick.Builder tick = new Tick.Builder();
      tick.add(BackupGateway.series("power"), i).add(BackupGateway.series("load"), -i);
      reversed.writeBytes(run.encode(tick.at(i * BackupGateway.STEP)));
    }
    assertThat(page(reversed.toByteArray()).json()).isEmpty();
    assertThat(gateway.samples()).isEqualTo(sent(STEPS - 90, STEPS + 120));
  }

  /** Blocks that overlap what is here are read, and their samples taken in one by one. */
  @Test
  void blocksThatOverlapOthersAreUnitedWithThem() throws Exception {
    // The other halves of what the blocks have: every second tick was lost.
    for (int i = 0; i < STEPS; i += 2) {
      gateway.send(i, i + 1);
    }
    gateway.clock.set(before.clock.get());
    allBlocks();
    JsonObject taken = take();
    assertThat(
            taken.getInteger("united") + taken.getInteger("merged") + taken.getInteger("adopted"))
        .isEqualTo(blocks.size());
    page(page).json();
    assertThat(gateway.samples()).isEqualTo(sent(0, STEPS));
    assertThat(staged()).isEmpty();
  }

  /** The file of the block is a pipe that nobody reads: who writes it waits. */
  @Test
  void whileABlockOfTheHostIsBeingWrittenBlocksWaitAndNoneIsLost() throws Exception {
    gateway.send(0, 120);
    gateway.clock.set(before.clock.get());
    Path pipe =
        BlockFolder.unfinished(gateway.store.folder(HOST).resolve(blocks.getFirst().getFileName()));
    Files.createDirectories(pipe.getParent());
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    CompletableFuture<Void> maintained = gateway.intake.maintain();
    allBlocks();
    assertThat(page(page).status()).isEqualTo(200);
    Answer early = gateway.ask("POST", restore("/blocks"));
    assertThat(early.status()).isEqualTo(503);
    assertThat(early.text()).contains("a block of host " + HOST + " is being written");
    assertThat(staged()).hasSameSizeAs(blocks);
    assertThat(maintained).isNotDone();

    new FileInputStream(pipe.toFile()).close();
    maintained.join();
    gateway.intake.maintain().join();
    take();
    assertThat(staged()).isEmpty();
    assertThat(gateway.samples()).isEqualTo(sent(0, STEPS));
  }

  /** Nobody else may take in the samples of the memory of an owner. */
  @Test
  void aReplicaTakesBlocksAndWhatIsOlderThanTheMemoryOfAPage() throws Exception {
    gateway.owner("g2", "g1");
    allBlocks();
    assertThat(take().getInteger("adopted")).isEqualTo(blocks.size());
    page(page).json();
    assertThat(gateway.ask("POST", restore("/end")).status()).isEqualTo(409);
    assertThat(gateway.samples().get("power").keySet()).contains(0L).doesNotContain(STEPS - 1L);
  }

  // --- damage ---

  /** A restore sends the blocks that are not named. */
  @Test
  void aBlockThatIsHereAndCannotBeReadIsNotNamed() throws Exception {
    allBlocks();
    take();
    List<Path> here = gateway.store.blockFiles(HOST);
    byte[] bytes = Files.readAllBytes(here.get(0));
    bytes[bytes.length / 2] ^= 1;
    Files.write(here.get(0), bytes);
    Files.delete(here.get(1));
    JsonObject named = gateway.ask("GET", restore("/blocks")).json();
    assertThat(named.fieldNames())
        .containsExactlyInAnyOrderElementsOf(
            here.subList(2, here.size()).stream()
                .map(file -> file.getFileName().toString())
                .toList());
  }

  @Test
  void aPageWhoseBytesAreNotThoseOfItsChecksumIsRefusedAndNothingOfItTaken() throws Exception {
    for (int at : new int[] {0, page.length / 2, page.length - 1}) {
      byte[] damaged = page.clone();
      damaged[at] ^= 4;
      Answer answer =
          gateway.ask(
              "POST", restore("/samples"), damaged, RestoreRoute.SHA256, BlockChecks.sha256(page));
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text()).contains("does not have the SHA-256 " + BlockChecks.sha256(page));
      assertNothingIsHere();
    }
    // Whole and readable, but not what the request says.
    byte[] other = before.store.export(HOST, STEPS * 60_000 - 300_000, Long.MAX_VALUE, 1).frames();
    Answer exchanged =
        gateway.ask(
            "POST", restore("/samples"), other, RestoreRoute.SHA256, BlockChecks.sha256(page));
    assertThat(exchanged.status()).isEqualTo(400);
    assertThat(gateway.ask("POST", restore("/samples"), page).status())
        .as("without a checksum")
        .isEqualTo(400);
    assertNothingIsHere();
  }

  @Test
  void aBlockWhoseBytesAreNotThoseOfItsChecksumIsRefused() throws Exception {
    Path block = blocks.getFirst();
    String path = restore("/blocks/" + block.getFileName());
    byte[] bytes = Files.readAllBytes(block);
    String sum = BlockChecks.sha256(bytes);
    assertThat(gateway.ask("PUT", path, bytes).status()).isEqualTo(400);
    byte[] second = Files.readAllBytes(blocks.get(1));
    Answer exchanged = gateway.ask("PUT", path, second, RestoreRoute.SHA256, sum);
    assertThat(exchanged.status()).isEqualTo(400);
    assertThat(exchanged.text()).contains("does not have the SHA-256 " + sum);
    bytes[bytes.length / 2] ^= 1;
    assertThat(gateway.ask("PUT", path, bytes, RestoreRoute.SHA256, sum).status()).isEqualTo(400);
    assertNothingIsHere();
  }

  /** The checksum is that of what was backed up: it may have been damaged before. */
  @Test
  void aBlockThatCannotBeReadIsRefusedWhateverItsChecksumSays() throws Exception {
    Path block = blocks.getFirst();
    byte[] bytes = Files.readAllBytes(block);
    String path = restore("/blocks/" + block.getFileName());
    List<byte[]> damaged = new ArrayList<>();
    damaged.add(new byte[0]);
    damaged.add(new byte[100]);
    damaged.add(Arrays.copyOf(bytes, bytes.length - 1));
    for (int i = 0; i < 24; i++) {
      byte[] flipped = bytes.clone();
      flipped[i * bytes.length / 24] ^= 1;
      damaged.add(flipped);
    }
    for (byte[] each : damaged) {
      assertThat(gateway.put("PUT", path, each).status()).isEqualTo(400);
      assertNothingIsHere();
    }
    take();
    assertNothingIsHere();
  }

  @Test
  void aBlockOfAnotherHostOrTimeIsRefused() throws Exception {
    byte[] bytes = Files.readAllBytes(blocks.getFirst());
    Answer otherTime = gateway.put("PUT", restore("/blocks/" + blocks.get(1).getFileName()), bytes);
    assertThat(otherTime.status()).isEqualTo(400);
    assertThat(otherTime.text()).contains("with the name " + blocks.getFirst().getFileName());
    Answer otherHost =
        gateway.put("PUT", "/v1/restore/hosts/n9/blocks/" + blocks.getFirst().getFileName(), bytes);
    assertThat(otherHost.status()).isEqualTo(400);
    assertThat(otherHost.text()).contains("is one of host n1");
    assertNothingIsHere();
  }

  @Test
  void theNameOfABlockLeadsNowhereElse() throws Exception {
    byte[] bytes = Files.readAllBytes(blocks.getFirst());
    String name = blocks.getFirst().getFileName().toString();
    for (String path : List.of("..%2F..%2F" + name, "..%2F" + name, "%2Ftmp%2F" + name)) {
      assertThat(gateway.put("PUT", restore("/blocks/" + path), bytes).status())
          .isGreaterThanOrEqualTo(400);
    }
    assertNothingIsHere();
  }

  @Test
  void aPageThatIsCutOffOrOfAnotherHostOrOfASenderIsRefusedWhole() throws Exception {
    Answer cut = page(Arrays.copyOf(page, page.length - 3));
    assertThat(cut.status()).isEqualTo(400);
    assertThat(cut.text()).contains("the page cannot be read");
    Tick tick = new Tick.Builder().add(BackupGateway.series("power"), 1).at(60_000);
    byte[] other = new FrameEncoder("n2", HostPage.RUN).encode(tick);
    assertThat(page(other).text()).contains("it has a frame of host n2, not of host n1");
    byte[] both = Arrays.copyOf(page, page.length + other.length);
    System.arraycopy(other, 0, both, page.length, other.length);
    assertThat(page(both).status()).isEqualTo(400);
    byte[] sender = new FrameEncoder(HOST, 7).encode(tick);
    assertThat(page(sender).text()).contains("it has a frame of run 7, which is a sender's");
    assertThat(page(sender).status()).isEqualTo(400);
    assertNothingIsHere();
  }

  // --- who holds the host ---

  @ParameterizedTest
  @CsvSource({
    "PUT, /blocks/0-1.block",
    "POST, /blocks",
    "POST, /samples",
    "POST, /end",
  })
  void aGatewayThatDoesNotHoldTheHostTakesNothing(String method, String path) throws Exception {
    gateway.owner("g2", "g3");
    Answer answer = gateway.put(method, restore(path), page);
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.text()).isEqualTo("gateway g1 is not a holder of host n1 (any more)\n");
    assertNothingIsHere();
  }

  @Test
  void whenTheOwnerChangesBetweenTwoRequestsTheRestIsRefused() throws Exception {
    allBlocks();
    gateway.owner("g2", "g3");
    assertThat(gateway.ask("POST", restore("/blocks")).status()).isEqualTo(409);
    assertThat(gateway.samples()).isEmpty();
    gateway.owner("g1", "g3");
    assertThat(take().getInteger("adopted")).isEqualTo(blocks.size());
    gateway.owner("g2", "g3");
    assertThat(page(page).status()).isEqualTo(409);
    assertThat(gateway.ask("POST", restore("/end")).status()).isEqualTo(409);
    gateway.owner("g2", "g1");
    Answer end = gateway.ask("POST", restore("/end"));
    assertThat(end.status()).as("a replica has no memory to fetch from").isEqualTo(409);
    assertThat(end.text()).contains("does not own host n1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT /blocks/0-1.block", "POST /blocks", "POST /samples", "POST /end"})
  void beforeWhatWasKeptIsReadItIsAskedAgainLater(String request) throws Exception {
    try (BackupGateway starting = new BackupGateway("g1", folder.resolve("starting"), false)) {
      String[] parts = request.split(" ");
      Answer answer = starting.put(parts[0], restore(parts[1]), page);
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.text()).contains("had before its start is being loaded");
    }
  }

  @Test
  void aHostWithoutAnOwnerIsMadeKnownAsItCameIn() throws Exception {
    Answer begun = gateway.ask("POST", "/v1/restore/hosts/n2?tenant=blue&admitted=77", new byte[0]);
    assertThat(begun.status()).isEqualTo(202);
    assertThat(gateway.registered).containsExactly("n2 of blue at 77");
    assertThat(gateway.ask("POST", "/v1/restore/hosts/n3").status()).isEqualTo(202);
    assertThat(gateway.registered).contains("n3 of  at 0");
    assertThat(gateway.ask("POST", "/v1/restore/hosts/n4?admitted=x").status()).isEqualTo(400);
    assertThat(gateway.ask("POST", "/v1/restore/hosts/" + "x".repeat(5_000)).status())
        .isEqualTo(400);
    assertThat(gateway.registered).hasSize(2);
  }

  @Test
  void aHostIsSentToItsOwnerAndToThoseWithCopiesThatArePresent() throws Exception {
    gateway.owner("g2", "g1", "g3");
    JsonObject answer = gateway.ask("POST", restore("")).json();
    assertThat(answer.getString("owner")).isEqualTo("g2");
    assertThat(answer.getJsonObject("holders").getMap())
        .isEqualTo(Map.of("g1", "http://g1:9500", "g2", "http://g2:9500", "g3", "http://g3:9500"));
    List<Holders.Copy> copies =
        List.of(new Holders.Copy("g1", 1, true), new Holders.Copy("g3", 1, true));
    gateway.holders(new Holders("g2", 1, Set.of(), copies, Optional.empty()), "g1", "g2");
    assertThat(gateway.ask("POST", restore("")).json().getJsonObject("holders").fieldNames())
        .containsExactlyInAnyOrder("g1", "g2");
    gateway.holders(new Holders("g2", 1, Set.of(), copies, Optional.empty()), "g1", "g3");
    assertThat(gateway.ask("POST", restore("")).status()).as("its owner is away").isEqualTo(202);
  }

  // --- what cannot be written ---

  @Test
  void samplesThatTheJournalDoesNotTakeAreRefusedAndCanBeSentAgain() throws Exception {
    gateway.journal.close();
    Answer answer = page(page);
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.text()).contains("the journal cannot be written");
  }

  @Test
  void blocksWhoseSamplesTheJournalDoesNotTakeWaitUntilTheyAreAskedForAgain() throws Exception {
    for (int i = 0; i < STEPS; i += 2) {
      gateway.send(i, i + 1);
    }
    allBlocks();
    gateway.journal.close();
    Answer answer = gateway.ask("POST", restore("/blocks"));
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.text()).contains("the journal cannot be written");
    assertThat(staged()).isNotEmpty();
  }

  @Test
  void whatCannotBeWrittenToDiskIsRefusedAndNothingOfItIsLeft() throws Exception {
    Path staging = folder.resolve("after/restore");
    Files.createDirectories(staging.getParent());
    Files.write(staging, new byte[1]); // a file where the folder should be
    assertThat(block(blocks.getFirst()).status()).isEqualTo(503);
    Files.delete(staging);
    assertThat(block(blocks.getFirst()).status()).isEqualTo(200);
    assertThat(take().getInteger("adopted")).isEqualTo(1);
    assertThat(staged()).isEmpty();
  }

  @Test
  void aRestoreThatEndedHalfwayIsGoneOnWith() throws Exception {
    assertThat(block(blocks.get(0)).status()).isEqualTo(200);
    Path unfinished =
        BlockFolder.unfinished(
            BlockFolder.of(folder.resolve("after/restore"), HOST)
                .resolve(blocks.get(1).getFileName()));
    Files.write(unfinished, new byte[5]);
    assertThat(take().getInteger("adopted")).isEqualTo(1);
    assertThat(block(blocks.get(1)).status()).isEqualTo(200);
    assertThat(take().getInteger("adopted")).isEqualTo(1);
    assertThat(staged()).isEmpty();
  }

  @Test
  void twoRestoresAtOnceAreOne() throws Exception {
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      page(page).json();
                    } catch (Throwable e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
    }
    for (Thread each : threads) {
      each.join();
    }
    assertThat(failures).isEmpty();
    Map<Long, Double> power = gateway.samples().get("power");
    assertThat(power).containsEntry(STEPS - 1L, STEPS - 1.0);
    assertThat(power.keySet())
        .isEqualTo(
            new TreeSet<>(
                sent((int) (before.store.lane(HOST).sealedBefore() / 60_000), STEPS)
                    .get("power")
                    .keySet()));
  }

  // --- series ---

  @Test
  void seriesAreNamedAsTheyAreStored() throws Exception {
    JsonObject answer =
        gateway
            .ask(
                "POST",
                "/v1/restore/series",
                ("{\"series\": [{\"__name__\": \"power\", \"Hostname\": \"n7\"},"
                        + " {\"__name__\": \"dropped\", \"Hostname\": \"n7\"}]}")
                    .getBytes(StandardCharsets.UTF_8))
            .json();
    assertThat(answer.getJsonArray("series")).hasSize(2);
    JsonObject first = answer.getJsonArray("series").getJsonObject(0);
    assertThat(first.getString("host")).isEqualTo("n7");
    assertThat(first.getJsonObject("labels").getMap())
        .isEqualTo(Map.of("__name__", "power", "Hostname", "n7"));
    assertThat(answer.getJsonArray("series").getValue(1)).isNull();
    for (String bad : List.of("", "{", "{}", "[]", "{\"series\": [7]}", "{\"series\": {}}")) {
      assertThat(
              gateway
                  .ask("POST", "/v1/restore/series", bad.getBytes(StandardCharsets.UTF_8))
                  .status())
          .as(bad)
          .isEqualTo(400);
    }
  }

  // --- limits ---

  @ParameterizedTest
  @CsvSource({
    "POST, /v1/restore/series, 67108864",
    "POST, /v1/restore/hosts/n1/samples, 67108864",
    "PUT, /v1/restore/hosts/n1/blocks/0-1.block, 268435456",
  })
  void aLongerBodyThanTheLimitIsRefusedBeforeItCame(String method, String path, long limit)
      throws Exception {
    assertThat(statusLine(method, path, limit + 1)).contains(" 413 ");
  }

  private String statusLine(String method, String path, long length) throws Exception {
    try (Socket socket = new Socket("127.0.0.1", gateway.port())) {
      socket.setSoTimeout(30_000);
      OutputStream out = socket.getOutputStream();
      out.write(
          (method + " " + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII));
      out.flush();
      InputStream in = socket.getInputStream();
      StringBuilder line = new StringBuilder();
      for (int next = in.read(); next >= 0 && next != '\r'; next = in.read()) {
        line.append((char) next);
      }
      return line.toString();
    }
  }
}
