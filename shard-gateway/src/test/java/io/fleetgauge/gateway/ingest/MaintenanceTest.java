package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ingest.host.LaneHosts;
import io.fleetgauge.gateway.ingest.host.ManualPeers;
import io.fleetgauge.gateway.ingest.host.Peers;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What becomes of samples after they were taken in. */
class MaintenanceTest extends MaintainedLanes {
  // --- blocks and the journal ---

  @Test
  void nothingIsMovedBeforeThePastHasBeenRead() throws Exception {
    recover();
    take("n1", 0, 4 * BLOCK + MINUTE);
    close();
    start();
    maintain();
    assertThat(folder.resolve("blocks")).doesNotExist();
    recover();
    maintain();
    assertThat(store.blockCount()).isEqualTo(3);
  }

  @Test
  void aHostThatWasAwayForLongIsSealedBlockByBlockInOneGo() throws Exception {
    recover();
    List<Long> taken = take("n1", 0, 6 * BLOCK + MINUTE);
    maintain();
    assertThat(store.counts().blocks.written.sum()).isEqualTo(5);
    assertThat(store.payloadBytes()).as("what is left in memory is measured").isPositive();
    assertThat(times("n1")).isEqualTo(taken);
    restart();
    assertThat(times("n1")).isEqualTo(taken);
  }

  @Test
  void aSegmentIsDeletedWhenTheSamplesOfAllItsHostsAreInBlocks() throws Exception {
    recover();
    String stopped = hostOfOtherThread("n1");
    List<Long> all = new ArrayList<>();
    byte[] only = body(stopped, 0);
    for (long time = 0; time < 5 * BLOCK; time += MINUTE) {
      all.addAll(take("n1", time, time + MINUTE));
      // It comes again and again, so this host's time does not go on.
      send(stopped, only).get(120, TimeUnit.SECONDS);
    }
    int segments = journal.segments();
    assertThat(segments).isGreaterThan(10);
    maintain();
    assertThat(store.blockFiles("n1")).hasSize(3);
    assertThat(store.blockFiles(stopped)).isEmpty();
    assertThat(journal.segments()).as("the other host needs them").isEqualTo(segments);
    now += 3 * BLOCK;
    maintain();
    assertThat(store.blockFiles(stopped)).hasSize(1);
    assertThat(journal.segments()).isLessThanOrEqualTo(2);
    restart();
    assertThat(times("n1")).isEqualTo(all);
    assertThat(times(stopped)).containsExactly(0L);
    assertThat(threads.counts.recordsLost.sum()).isZero();
  }

  @Test
  void aSegmentFromBeforeTheStartIsKeptUntilItsSamplesAreInBlocks() throws Exception {
    recover();
    List<Long> all = take("n1", 0, 4 * BLOCK + MINUTE);
    maintain();
    assertThat(store.blockCount()).isEqualTo(3);
    restart();
    int segments = journal.segments();
    assertThat(segments).isGreaterThan(2);
    maintain();
    assertThat(journal.segments()).as("two half hours are in memory").isEqualTo(segments);
    restart();
    assertThat(times("n1")).isEqualTo(all);
    now += 3 * BLOCK;
    maintain();
    assertThat(journal.segments()).isLessThanOrEqualTo(1);
    restart();
    assertThat(times("n1")).isEqualTo(all);
  }

  @Test
  void segmentsThatAreStillNeededAfterAWhileArePackedAndReadAtTheNextStart() throws Exception {
    recover();
    List<Long> all = take("n1", 0, BLOCK);
    maintain();
    assertThat(journal.counts().packed()).as("they may soon be freed").isZero();
    int segments = journal.segments();
    long bytes = journal.bytes();
    now += 30_000;
    maintain();
    assertThat(journal.counts().packed()).isEqualTo(segments - 1);
    assertThat(journal.bytes()).isLessThan(bytes);
    restart();
    assertThat(times("n1")).isEqualTo(all);
    all.addAll(take("n1", BLOCK, 4 * BLOCK));
    maintain();
    assertThat(store.blockCount()).isEqualTo(2);
    assertThat(journal.segments()).as("packed ones are freed too").isLessThan(3 * segments);
    restart();
    assertThat(times("n1")).isEqualTo(all);
    assertThat(threads.counts.recordsLost.sum()).isZero();
  }

  @Test
  void aSegmentThatCannotBePackedIsCountedAndTriedAgain() throws Exception {
    recover();
    List<Long> all = take("n1", 0, BLOCK);
    maintain();
    now += 30_000;
    Path inTheWay = folder.resolve("journal/0000000000000001.packed.unfinished");
    Files.createDirectories(inTheWay.resolve("a folder where the file should be"));
    maintain();
    assertThat(threads.counts.packingsFailed.sum()).isEqualTo(1);
    Files.delete(inTheWay.resolve("a folder where the file should be"));
    Files.delete(inTheWay);
    maintain();
    assertThat(threads.counts.packingsFailed.sum()).isEqualTo(1);
    assertThat(journal.counts().packed()).isEqualTo(journal.segments() - 1);
    restart();
    assertThat(times("n1")).isEqualTo(all);
  }

  @Test
  void aSegmentEndsWhenItCoversMoreThanHalfAnHour() throws Exception {
    recover();
    for (long time = 0; time <= 2 * BLOCK; time += BLOCK / 2) {
      long segment = journal.segment();
      take("n1", time, time + 1);
      maintain();
      assertThat(journal.segment() > segment).as("after %d", time).isEqualTo(time == 3 * BLOCK / 2);
    }
  }

  @Test
  void whileBlocksCannotBeWrittenTheJournalKeepsTheirSamples() throws Exception {
    recover();
    List<Long> taken = take("n1", 0, 4 * BLOCK + MINUTE);
    assertThat(maintenance.blockTrouble()).isEmpty();
    Files.writeString(folder.resolve("blocks"), "a file where the folder should be");
    int segments = journal.segments();
    maintain();
    assertThat(maintenance.blockTrouble()).startsWith("blocks cannot be written: ");
    assertThat(store.counts().blocks.failures.sum()).isEqualTo(1);
    assertThat(journal.segments()).isEqualTo(segments);
    assertThat(times("n1")).isEqualTo(taken);
    maintain();
    assertThat(store.counts().blocks.failures.sum()).as("it is tried again").isEqualTo(2);
    Files.delete(folder.resolve("blocks"));
    restart();
    assertThat(times("n1")).isEqualTo(taken);
    maintain();
    assertThat(store.blockCount()).isEqualTo(3);
    assertThat(journal.segments()).isLessThan(segments);
  }

  /** As when a volume is not mounted for a while. */
  @Test
  void noBlockIsWrittenToAFolderThatIsNotTheOneFromBefore() throws Exception {
    recover();
    Path blocks = Files.createDirectories(folder.resolve("blocks"));
    journal.dependOn(blocks);
    List<Long> taken = take("n1", 0, 4 * BLOCK + MINUTE);
    Files.move(blocks, folder.resolve("away"));
    Files.createDirectories(blocks);
    maintain();
    assertThat(maintenance.blockTrouble()).contains(blocks.toString());
    assertThat(blocks).isEmptyDirectory();
    Files.delete(blocks);
    Files.move(folder.resolve("away"), blocks);
    await()
        .until(
            () -> {
              maintain();
              return store.blockCount() == 3;
            });
    assertThat(maintenance.blockTrouble()).isEmpty();
    assertThat(times("n1")).isEqualTo(taken);
  }

  @Test
  void troubleWithBlocksEndsWhenOneCanBeWritten() throws Exception {
    recover();
    take("n1", 0, 4 * BLOCK + MINUTE);
    Files.writeString(folder.resolve("blocks"), "a file where the folder should be");
    maintain();
    assertThat(maintenance.blockTrouble()).isNotEmpty();
    Files.delete(folder.resolve("blocks"));
    maintain();
    assertThat(maintenance.blockTrouble()).isEmpty();
    assertThat(store.blockCount()).isEqualTo(3);
  }

  @Test
  void aBlockOfAHostIsNotBegunWhileAnotherIsWritten() throws Exception {
    recover();
    take("n1", 0, 3 * BLOCK + MINUTE);
    LaneThread lane = threads.of("n1");
    CountDownLatch busy = hold(lane);
    CompletableFuture<Void> first = maintenance.run();
    CompletableFuture<Void> second = maintenance.run();
    busy.countDown();
    first.get(120, TimeUnit.SECONDS);
    second.get(120, TimeUnit.SECONDS);
    assertThat(store.counts().blocks.written.sum()).isEqualTo(2);
    assertThat(store.blockCount()).isEqualTo(2);
  }

  @Test
  void expiredBlocksAreRemovedFromTheDisk() throws Exception {
    recover();
    take("n1", 0, 4 * BLOCK + MINUTE);
    maintain();
    List<Path> files = store.blockFiles("n1");
    assertThat(files).hasSize(3);
    now = RETENTION.toMillis() + 2 * BLOCK;
    List<Long> newer = take("n1", now, now + MINUTE);
    now += MINUTE;
    maintain();
    endMaintenance();
    assertThat(files.subList(0, 2)).noneMatch(Files::exists);
    assertThat(times("n1")).contains(newer.getFirst()).doesNotContain(0L, BLOCK);
  }

  @Test
  void samplesThatExpiredInMemoryAreNotWritten() throws Exception {
    recover();
    take("n1", 0, 2 * BLOCK);
    now = 2 * RETENTION.toMillis();
    maintain();
    maintain();
    assertThat(store.counts().blocks.written.sum()).isZero();
    assertThat(store.hosts()).as("nothing is left of the host").doesNotContain("n1");
    assertThat(journal.segments()).isLessThanOrEqualTo(2);
  }

  @Test
  void aHostThatHasSamplesOrIsCopiedHereIsNotForgotten() throws Exception {
    recover();
    take("n1", 0, MINUTE);
    view = copies("n2");
    threads.of("n2").call(hosts -> hosts.host("n2").timePassed()).get(120, TimeUnit.SECONDS);
    threads.of("n3").call(hosts -> hosts.host("n3").now(0)).get(120, TimeUnit.SECONDS);
    maintain();
    assertThat(store.hosts()).containsExactlyInAnyOrder("n1", "n2");
    assertThat(isServed("n1")).isTrue();
    assertThat(isServed("n2")).isTrue();
    assertThat(isServed("n3")).isFalse();
  }

  // --- hosts that are kept elsewhere ---

  @Test
  void aStrayIsRemovedWithItsBlocksButNotWhileOneOfThemIsWritten() throws Exception {
    recover();
    List<Long> taken = take("n1", 0, 3 * BLOCK + MINUTE);
    LaneThread lane = threads.of("n1");
    CountDownLatch busy = hold(lane);
    CompletableFuture<Void> sealing = maintenance.run();
    lane.run(() -> maintenance.remove(lane, "n1"));
    busy.countDown();
    sealing.get(120, TimeUnit.SECONDS);
    assertThat(times("n1")).isEqualTo(taken);
    assertThat(threads.counts.straysRemoved.sum()).isZero();
    List<Path> files = store.blockFiles("n1");
    assertThat(files).hasSize(2);
    removeStray("n1");
    assertThat(store.hosts()).isEmpty();
    assertThat(store.seriesCount()).isZero();
    assertThat(isServed("n1")).isFalse();
    assertThat(threads.counts.straysRemoved.sum()).isEqualTo(1);
    endMaintenance();
    assertThat(files).noneMatch(Files::exists);
  }

  @Test
  void theJournalOfAStrayIsDeletedToo() throws Exception {
    recover();
    take("n1", 0, BLOCK);
    int segments = journal.segments();
    maintain();
    assertThat(journal.segments()).as("it is needed").isEqualTo(segments);
    removeStray("n1");
    maintain();
    assertThat(journal.segments()).isEqualTo(1);
  }

  // --- copies ---

  @Test
  void allCopiesAreEqualSinceTheOneThatWasComparedLongestAgo() throws Exception {
    recover();
    maintain();
    assertThat(maintenance.copiesEqualAt()).as("no copy").isZero();
    String other = hostOfOtherThread("n1");
    view = copies("n1", other);
    now = 5_000;
    beginCopy("n1", 1);
    maintain();
    assertThat(maintenance.copiesEqualAt()).as("it was never compared").isZero();
    becomeEqual("n1");
    maintain();
    assertThat(maintenance.copiesEqualAt()).isEqualTo(5_000);
    now = 7_000;
    beginCopy(other, 1);
    becomeEqual(other);
    maintain();
    assertThat(maintenance.copiesEqualAt()).isEqualTo(5_000);
    now = 9_000;
    beginCopy("n1", 2);
    becomeEqual("n1");
    maintain();
    assertThat(maintenance.copiesEqualAt()).isEqualTo(7_000);
  }

  @Test
  void aHostOfTheTableIsServedByOneThread() throws Exception {
    recover();
    List<String> hosts = List.of("n1", hostOfOtherThread("n1"));
    view = copies(hosts.get(0), hosts.get(1));
    for (LaneThread thread : threads.all()) {
      thread.call(LaneHosts::timePassed).get(120, TimeUnit.SECONDS);
    }
    for (String host : hosts) {
      assertThat(threads.of(host).call(LaneHosts::names).get(120, TimeUnit.SECONDS))
          .containsExactly(host);
    }
  }

  // --- the end ---

  @Test
  void maintenanceEndsWhenTheLanesCloseWhileABlockIsWritten() throws Exception {
    recover();
    List<Long> taken = take("n1", 0, 3 * BLOCK + MINUTE);
    LaneThread lane = threads.of("n1");
    CountDownLatch busy = hold(lane);
    CompletableFuture<Void> maintained = maintenance.run();
    threads.all().forEach(LaneThread::shutdown);
    busy.countDown();
    maintained.get(120, TimeUnit.SECONDS);
    restart();
    assertThat(times("n1")).isEqualTo(taken);
  }

  @Test
  void theFileOfADamagedBlockGoesWhenAnIntactOwnerHasNothingThatIsNotHere() throws Exception {
    recover();
    take("n1", 0, 4 * BLOCK + MINUTE);
    maintain();
    Path last = store.folder("n1").resolve(3 * BLOCK + "-" + (3 * BLOCK + 1) + ".block");
    Files.write(last, new byte[100]);
    restart();
    view = copies("n1");
    assertThat(store.damagedBlocks("n1")).containsExactly(last.getFileName().toString());
    beginCopy("n1", 1);
    becomeEqual("n1", false);
    assertThat(store.damagedBlocks("n1")).as("the owner may lack the same").hasSize(1);
    beginCopy("n1", 2);
    becomeEqual("n1", true);
    assertThat(store.damagedBlocks("n1")).isEmpty();
    assertThat(last).exists();
    maintain();
    endMaintenance();
    assertThat(last).doesNotExist();
  }

  /** Waits until the files that are not needed are removed; no block can be written later. */
  private void endMaintenance() throws Exception {
    maintenance.shutdown();
    maintenance.awaitEnd(20);
  }

  private boolean isServed(String host) throws Exception {
    return threads.of(host).call(hosts -> hosts.find(host).isPresent()).get(120, TimeUnit.SECONDS);
  }

  /** The owner of these hosts is g2. */
  private static ClusterView copies(String... hosts) {
    TreeMap<String, Holders> table = new TreeMap<>();
    for (String host : hosts) {
      List<Holders.Copy> copy = List.of(new Holders.Copy("g1", 3, false));
      table.put(host, new Holders("g2", 3, Set.of(), copy, Optional.empty()));
    }
    return new ClusterView(
        new OwnershipTable(1, 3, List.of("g1", "g2"), table),
        Map.of("g1", URI.create("http://g1:9500"), "g2", URI.create("http://g2:9500")),
        false);
  }

  private void beginCopy(String host, long session) throws Exception {
    CompletableFuture<Peers.CopyAnswer> answer = new CompletableFuture<>();
    threads
        .of(host)
        .run(
            () ->
                threads
                    .of(host)
                    .hosts()
                    .host(host)
                    .copied(
                        new Peers.Copy(host, 3, "g2", session, 1, 0, new byte[0]),
                        answer::complete));
    answer.get(120, TimeUnit.SECONDS);
  }

  /** What the gateway has asked the owner for comes, and is what is here. */
  private void becomeEqual(String host) throws Exception {
    becomeEqual(host, true);
  }

  private void becomeEqual(String host, boolean intact) throws Exception {
    await().until(() -> !peers.pulls.isEmpty());
    peers.pulls.remove().done().accept(ManualPeers.equal(intact, Map.of()));
    for (int i = 0; i < 2; i++) {
      threads.of(host).call(hosts -> true).get(120, TimeUnit.SECONDS);
    }
  }
}
