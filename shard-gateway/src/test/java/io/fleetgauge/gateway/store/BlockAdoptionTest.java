package io.fleetgauge.gateway.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockCounts;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Series;
import io.fleetgauge.sample.Staleness;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks of a backup are taken into a lane that has something of its own. */
class BlockAdoptionTest {
  private static final int TICKS = 500;
  private static final long STEP = 15_000;

  @TempDir private Path folder;

  private record Fact(int tick, int series) {}

  private static Labels labels(HostWriter writer, Fact fact) {
    return switch (fact.series) {
      case 0 -> writer.gpu("power", "GPU-1", "job-" + fact.tick / 40);
      case 1 -> writer.series("load");
      default -> writer.series("short", "i", "" + fact.tick / 130);
    };
  }

  private static double value(Fact fact) {
    return fact.series == 1 ? fact.tick % 7 : 0.1 * fact.tick + fact.series;
  }

  private static void send(HostWriter writer, Fact fact) {
    writer.append(
        Lane.Source.JOURNAL,
        fact.tick * STEP,
        new Labels[] {labels(writer, fact)},
        new double[] {value(fact)},
        null);
  }

  /** All samples but the markers, which a reader supposes where an owner ends. */
  private static TreeMap<Labels, TreeMap<Long, Double>> read(HostWriter writer) {
    TreeMap<Labels, TreeMap<Long, Double>> found = new TreeMap<>();
    for (Series each : writer.lane().all(0, TICKS * STEP)) {
      long before = -1;
      for (int i = 0; i < each.size(); i++) {
        assertThat(each.times()[i]).isGreaterThan(before);
        before = each.times()[i];
        if (!Staleness.isMarker(each.values()[i])) {
          found
              .computeIfAbsent(each.labels(), none -> new TreeMap<>())
              .put(each.times()[i], each.values()[i]);
        }
      }
    }
    return found;
  }

  /** Facts of some stretches of time, each of which may have holes. */
  private static List<Fact> facts(SplittableRandom random) {
    List<Fact> facts = new ArrayList<>();
    int tick = random.nextInt(TICKS / 2);
    while (tick < TICKS) {
      int end = Math.min(TICKS, tick + random.nextInt(20, 250));
      double share = random.nextBoolean() ? 1 : random.nextDouble();
      for (; tick < end; tick++) {
        for (int series = 0; series < 3; series++) {
          if (random.nextDouble() < share) {
            facts.add(new Fact(tick, series));
          }
        }
      }
      tick += random.nextBoolean() ? 0 : random.nextInt(200);
    }
    return facts;
  }

  private static void add(
      TreeMap<Labels, TreeMap<Long, Double>> to, HostWriter writer, List<Fact> facts) {
    facts.forEach(
        fact ->
            to.computeIfAbsent(labels(writer, fact), none -> new TreeMap<>())
                .put(fact.tick * STEP, value(fact)));
  }

  private List<Store.Adoption> adopt(HostWriter into, HostWriter backup, String name)
      throws Exception {
    Path staging = folder.resolve(name);
    Path place = Files.createDirectories(BlockFolder.of(staging, "n1"));
    for (Path file : backup.store().blockFiles("n1")) {
      Files.copy(file, place.resolve(file.getFileName()));
    }
    List<Path> files = BlockFolder.blocks(place);
    List<Long> ends = new ArrayList<>();
    for (Path file : files) {
      ends.add(Block.open(file, new BlockCounts()).block().to());
    }
    List<Store.Adoption> adoptions = into.store().adopt("n1", files);
    assertInOrder(into.lane().blocks());
    for (int i = 0; i < files.size(); i++) {
      if (adoptions.get(i) == Store.Adoption.ADOPTED || adoptions.get(i) == Store.Adoption.UNITED) {
        assertThat(into.lane().refusedBefore())
            .as("a sample of the time of a block would make another block of that time")
            .isGreaterThanOrEqualTo(ends.get(i));
      }
      if (adoptions.get(i) == Store.Adoption.TO_MERGE) {
        Store waiting = into.store().ofBackup(staging);
        waiting.restore("n1");
        for (Series each : waiting.lane("n1").all(0, TICKS * STEP)) {
          for (int at = 0; at < each.size(); at++) {
            into.append(
                Lane.Source.JOURNAL,
                each.times()[at],
                new Labels[] {each.labels()},
                new double[] {each.values()[at]},
                null);
          }
        }
      }
    }
    return adoptions;
  }

  private static void assertInOrder(List<Block> blocks) {
    for (int i = 1; i < blocks.size(); i++) {
      assertThat(blocks.get(i).from()).isGreaterThanOrEqualTo(blocks.get(i - 1).to());
    }
  }

  private static Set<String> lines(TreeMap<Labels, TreeMap<Long, Double>> samples) {
    Set<String> lines = new TreeSet<>();
    samples.forEach(
        (labels, of) -> of.forEach((time, value) -> lines.add(labels + " " + time + " " + value)));
    return lines;
  }

  private static void assertSame(
      String what, HostWriter here, TreeMap<Labels, TreeMap<Long, Double>> expected) {
    Set<String> missing = lines(expected);
    Set<String> more = lines(read(here));
    Set<String> found = Set.copyOf(more);
    more.removeAll(missing);
    missing.removeAll(found);
    assertThat(missing.stream().limit(5)).as("%s: missing", what).isEmpty();
    assertThat(more.stream().limit(5)).as("%s: more", what).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void theLaneHasTheUnionWhateverOfItIsInBlocksAndInMemory(int seeds) throws Exception {
    for (int seed = seeds * 1_000; seed < seeds * 1_000 + 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      HostWriter here = new HostWriter(folder.resolve("here-" + seed), "n1");
      HostWriter backup = new HostWriter(folder.resolve("backup-" + seed), "n1");
      List<Fact> own = facts(random);
      List<Fact> theirs = facts(random);
      own.forEach(fact -> send(here, fact));
      theirs.forEach(fact -> send(backup, fact));
      long now = (random.nextBoolean() ? 2 : 1) * TICKS * STEP;
      here.sealAll(now);
      backup.sealAll(2 * TICKS * STEP);
      TreeMap<Labels, TreeMap<Long, Double>> expected = new TreeMap<>();
      add(expected, here, own);
      backup.restart();
      TreeMap<Labels, TreeMap<Long, Double>> sealed = read(backup);
      sealed.forEach(
          (labels, samples) ->
              expected.computeIfAbsent(labels, none -> new TreeMap<>()).putAll(samples));
      adopt(here, backup, "staging-" + seed);
      assertSame("seed " + seed, here, expected);
      assertThat(adopt(here, backup, "again-" + seed))
          .as("seed %d", seed)
          .allMatch(Store.Adoption.KNOWN::equals);
      here.sealAll(4 * TICKS * STEP);
      here.restart();
      assertSame("seed " + seed + " after a restart", here, expected);
    }
  }

  @Test
  void theBlocksOfAHostOfWhichNothingIsHereAreTakenAsTheyAre() throws Exception {
    HostWriter backup = new HostWriter(folder.resolve("backup"), "n1");
    for (int tick = 0; tick < TICKS; tick++) {
      send(backup, new Fact(tick, 0));
      send(backup, new Fact(tick, 1));
    }
    backup.sealAll(2 * TICKS * STEP);
    HostWriter here = new HostWriter(folder.resolve("here"), "n1");
    assertThat(adopt(here, backup, "staging")).allMatch(Store.Adoption.ADOPTED::equals);
    assertThat(here.store().blockFiles("n1")).hasSameSizeAs(backup.store().blockFiles("n1"));
    assertThat(read(here)).isEqualTo(read(backup));
    here.send(TICKS * STEP, here.series("load"), 1);
    assertThat(here.lane().newest()).isEqualTo(TICKS * STEP);
  }
}
