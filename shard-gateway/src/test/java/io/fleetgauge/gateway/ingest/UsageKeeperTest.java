package io.fleetgauge.gateway.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.gateway.ownership.Ownership;
import io.fleetgauge.gateway.serve.FragmentRunner;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.fair.Load;
import io.fleetgauge.promql.fragment.Fragment;
import io.fleetgauge.promql.fragment.FragmentAnswer;
import io.fleetgauge.promql.fragment.Question;
import io.fleetgauge.promql.fragment.UsageExtentQuestion;
import io.fleetgauge.promql.fragment.UsageQuestion;
import io.fleetgauge.promql.query.StopCheck;
import io.fleetgauge.promql.usage.Amount;
import io.fleetgauge.promql.usage.KeptDay;
import io.fleetgauge.promql.usage.UsageExtent;
import io.fleetgauge.promql.usage.UsagePeriod;
import io.fleetgauge.promql.usage.UsagePlaces;
import io.fleetgauge.promql.usage.UsageRow;
import io.fleetgauge.promql.usage.UsageSums;
import io.fleetgauge.promql.usage.UsageTerms;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.HostLabels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Usage that is kept after its samples have expired. It has more than 600 lines, because all its
 * laws are about the same samples and questions.
 */
class UsageKeeperTest extends MaintainedLanes {
  private static final String HOST = "n1";
  private static final long HOUR = KeptDay.HOUR;
  private static final long DAY = KeptDay.MILLIS;
  private static final long START = 20_000 * DAY;
  private static final String FILE = "2024-10-04.usage";
  private static final long OCTOBER = START - 3 * DAY;
  private static final long NOVEMBER = OCTOBER + 31 * DAY;
  private static final String MONTH_FILE = "2024-10.usage";

  /** Samples of so long, so that all of the first day are in blocks. */
  private static final long LONG_ENOUGH = 28 * HOUR;

  private static final ClusterView OWNED =
      new ClusterView(OwnershipTable.ofOwners(1, Map.of(HOST, "g1")), Map.of(), false);

  private Duration retention = Duration.ofDays(3);

  @Override
  Duration retention() {
    return retention;
  }

  @Override
  Duration usageRetention() {
    return Duration.ofDays(400);
  }

  /** Two GPUs: one is a job's after the other, and one is shared between two tenants' times. */
  @Override
  byte[] body(String host, long time) {
    return runs.computeIfAbsent(host, name -> new FrameEncoder(name, 7))
        .encode(tick(host, time, "G1", "G2"));
  }

  private static Tick tick(String host, long time, String... gpus) {
    Tick.Builder tick = new Tick.Builder();
    long minute = (time - START) / MINUTE;
    for (String gpu : gpus) {
      String job = "j" + minute / (gpu.equals("G1") ? 95 : 400);
      String tenant = minute / 600 % 2 == 0 ? "red" : "blue";
      boolean isFree = gpu.equals("G2") && minute / 100 % 3 == 0;
      add(tick, host, gpu, isFree, job, tenant, "DCGM_FI_DEV_GPU_UTIL", minute * 7 % 101);
      add(tick, host, gpu, isFree, job, tenant, "DCGM_FI_DEV_POWER_USAGE", 90 + minute % 300);
      add(tick, host, gpu, isFree, job, tenant, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", 700);
      add(tick, host, gpu, isFree, job, tenant, "DCGM_FI_DEV_FB_USED", 1_000 + minute % 77);
      add(
          tick,
          host,
          gpu,
          isFree,
          job,
          tenant,
          "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
          minute % 3_000 * 17_333);
    }
    return tick.at(time);
  }

  private static void add(
      Tick.Builder tick,
      String host,
      String gpu,
      boolean isFree,
      String job,
      String tenant,
      String metric,
      double value) {
    tick.add(
        Labels.of(
            Labels.NAME,
            metric,
            "Hostname",
            host,
            "UUID",
            gpu,
            "rack",
            "r1",
            "hpc_job",
            isFree ? "" : job,
            "tenant",
            isFree ? "" : tenant),
        value);
  }

  // --- questions ---

  private static UsageQuestion question(long from, long to, long step) {
    return new UsageQuestion(
        List.of(), List.of(), UsagePeriod.every(from, to, step), UsageTerms.DEFAULT);
  }

  private FragmentAnswer run(Question<?> question) throws Exception {
    FragmentRunner runner =
        new FragmentRunner(
            store,
            new HostLabels(List.of("Hostname")),
            new Ownership("g1"),
            () -> OWNED,
            (host, since) -> false,
            () -> true,
            tenants -> Map.of());
    return runner.run(new Fragment(Load.OWN, 1, List.of(HOST), question), StopCheck.NEVER);
  }

  private UsageQuestion.Answer ask(UsageQuestion question) throws Exception {
    return (UsageQuestion.Answer) run(question).result();
  }

  private List<UsageRow> rows(UsageQuestion question) throws Exception {
    UsageQuestion.Answer answer = ask(question);
    assertThat(question.merged(List.of(answer)).notes()).isEmpty();
    return answer.rows();
  }

  private List<List<UsageRow>> rows(List<UsageQuestion> questions) throws Exception {
    List<List<UsageRow>> all = new ArrayList<>();
    for (UsageQuestion question : questions) {
      all.add(rows(question));
      assertThat(all.getLast()).isNotEmpty();
    }
    return all;
  }

  /** Questions about the first day that its hours answer. */
  private static List<UsageQuestion> ofHours() {
    return List.of(
        question(START, START + DAY, HOUR),
        question(START, START + DAY, DAY),
        question(START - 5 * HOUR, START + DAY, 7 * HOUR),
        question(START + 3 * HOUR, START + 20 * HOUR, 6 * HOUR),
        question(START - 10 * DAY, START + DAY, 7 * DAY),
        new UsageQuestion(
            List.of(Matcher.equal("tenant", "blue")),
            List.of("hpc_job", "rack"),
            UsagePeriod.every(START, START + DAY, DAY),
            UsageTerms.DEFAULT));
  }

  private static List<UsageQuestion> ofParts() {
    return List.of(
        question(START + HOUR / 3, START + 20 * HOUR + HOUR / 4, 2 * DAY),
        question(START + HOUR / 3, START + 20 * HOUR, HOUR),
        question(START, START + DAY, HOUR / 4),
        question(START + HOUR / 2, START + 27 * HOUR, 5 * HOUR),
        question(START - HOUR, START + 27 * HOUR, 7 * HOUR),
        new UsageQuestion(
            List.of(),
            List.of(),
            UsagePeriod.every(START, START + DAY, HOUR),
            new UsageTerms(300_000, 3_600_000, 500_000, 160_000)));
  }

  /** Questions that a month answers. */
  private static List<UsageQuestion> ofMonth() {
    UsagePeriod october = UsagePeriod.every(OCTOBER, NOVEMBER, 31 * DAY);
    return List.of(
        by(october, List.of(), "hpc_job", "rack"),
        by(october, List.of(), "tenant"),
        by(october, List.of(), "user"),
        by(october, List.of(Matcher.equal("tenant", "blue")), "hpc_job"),
        by(
            UsagePeriod.of(List.of(OCTOBER - 40 * DAY, OCTOBER - DAY, NOVEMBER)),
            List.of(Matcher.equal("Hostname", HOST)),
            "tenant"),
        by(
            UsagePeriod.of(List.of(OCTOBER - 7 * HOUR, NOVEMBER + DAY / 2, NOVEMBER + DAY)),
            List.of(),
            "tenant",
            "Hostname"));
  }

  /** Questions about a month that its days answer. */
  private static List<UsageQuestion> ofDays() {
    UsagePeriod october = UsagePeriod.every(OCTOBER, NOVEMBER, 31 * DAY);
    return List.of(
        by(october, List.of()),
        by(october, List.of(), "UUID"),
        by(october, List.of(Matcher.equal("UUID", "G2")), "tenant"),
        by(UsagePeriod.every(START, NOVEMBER, 9 * DAY), List.of(), "tenant"),
        by(UsagePeriod.of(List.of(OCTOBER, START + HOUR, NOVEMBER)), List.of(), "tenant"));
  }

  private static UsageQuestion by(UsagePeriod period, List<Matcher> matchers, String... kept) {
    return new UsageQuestion(matchers, List.of(kept), period, UsageTerms.DEFAULT);
  }

  private static BigInteger sum(List<UsageRow> rows, Amount amount) {
    return rows.stream()
        .map(row -> row.amount(amount).toBigInteger())
        .reduce(BigInteger.ZERO, BigInteger::add);
  }

  private void fill() throws Exception {
    recover();
    send(START + LONG_ENOUGH);
  }

  private void send(long to) throws Exception {
    for (long time = START; time < to; time += HOUR) {
      take(HOST, time, Math.min(to, time + HOUR));
    }
  }

  private void keep() throws Exception {
    maintain();
    maintain();
    assertThat(store.usage().counts().failed.sum()).isZero();
  }

  private void expire() throws Exception {
    now = START + 6 * DAY;
    maintain();
    maintain();
    assertThat(store.blockFiles(HOST)).isEmpty();
  }

  /** One with a third GPU on the first day. */
  private void adoptLateBlock() throws Exception {
    List<Tick> late = new ArrayList<>();
    for (long time = START + 5 * HOUR + 1; time < START + 6 * HOUR; time += MINUTE) {
      late.add(tick(HOST, time, "G3"));
    }
    Path block = store.block(HOST, late, folder.resolve("backup"));
    LaneThread lane = threads.of(HOST);
    assertThat(
            lane.<List<Store.Adoption>>call(
                    hosts -> {
                      try {
                        return store.adopt(HOST, List.of(block));
                      } catch (IOException e) {
                        throw new UncheckedIOException(e);
                      }
                    })
                .get(120, TimeUnit.SECONDS))
        .containsExactly(Store.Adoption.UNITED);
  }

  /** Samples of two days of October, and of the second of November. */
  private void fillTwoMonths() throws Exception {
    retention = Duration.ofDays(60);
    restart();
    send(START + LONG_ENOUGH);
    take(HOST, NOVEMBER + DAY, NOVEMBER + DAY + 6 * HOUR);
  }

  private Path month() {
    return store.folder(HOST).resolve(MONTH_FILE);
  }

  private Path file() {
    return store.folder(HOST).resolve(FILE);
  }

  private void damage() throws Exception {
    byte[] bytes = Files.readAllBytes(file());
    bytes[bytes.length / 2] ^= 4;
    Files.write(file(), bytes);
  }

  /** Names the first row that differs: there are many. */
  private static void assertSame(List<List<UsageRow>> before, List<List<UsageRow>> after) {
    for (int i = 0; i < before.size(); i++) {
      for (int j = 0; j < Math.min(before.get(i).size(), after.get(i).size()); j++) {
        assertThat(after.get(i).get(j)).as("question %d", i).isEqualTo(before.get(i).get(j));
      }
      assertThat(after.get(i)).as("question %d", i).hasSameSizeAs(before.get(i));
    }
  }

  // --- laws ---

  @Test
  void aKeptDayAnswersWhatItsSamplesAnswer() throws Exception {
    fill();
    List<List<UsageRow>> before = rows(ofHours());
    List<List<UsageRow>> parts = rows(ofParts());
    assertThat(store.usage().has(HOST)).isFalse();
    keep();
    assertThat(store.usage().names(HOST)).containsExactly(FILE);
    assertThat(rows(ofHours())).isEqualTo(before);
    assertSame(parts, rows(ofParts()));
    assertThat(sum(before.get(0), Amount.ENERGY)).isEqualTo(sum(before.get(1), Amount.ENERGY));
  }

  @Test
  void samplesExpireAndTheAnswerStays() throws Exception {
    fill();
    List<List<UsageRow>> before = rows(ofHours());
    keep();
    expire();
    assertThat(rows(ofHours())).isEqualTo(before);
    restart();
    assertThat(rows(ofHours())).isEqualTo(before);
    maintain();
    assertThat(store.usage().counts().computed.sum()).isZero();
  }

  @Test
  void partsOfHoursAreTheNearestHoursOnceSamplesHaveExpired() throws Exception {
    fill();
    List<UsageRow> hours = rows(question(START + HOUR, START + 20 * HOUR, DAY));
    keep();
    expire();
    UsageQuestion asked = question(START + HOUR + MINUTE, START + 20 * HOUR - MINUTE, DAY);
    UsageQuestion.Answer answer = ask(asked);
    assertThat(answer.rows()).isEqualTo(hours);
    assertThat(asked.merged(List.of(answer)).notes())
        .containsExactly(
            "samples have expired: usage is that of the nearest whole hours, as it was kept");
  }

  @Test
  void otherTermsAreThoseThatWereKeptOnceSamplesHaveExpired() throws Exception {
    fill();
    List<UsageRow> day = rows(question(START, START + DAY, HOUR));
    UsageQuestion asked = ofParts().getLast();
    assertThat(rows(asked)).isNotEqualTo(day);
    keep();
    assertThat(rows(asked)).isNotEqualTo(day);
    expire();
    UsageQuestion.Answer answer = ask(asked);
    assertThat(answer.rows()).isEqualTo(day);
    assertThat(asked.merged(List.of(answer)).notes())
        .singleElement()
        .asString()
        .contains("by the terms and labels by which it was kept");
  }

  @Test
  void recordsTellNothingOfWhatHasToBeWithoutALabelThatTheyLack() throws Exception {
    fill();
    keep();
    UsagePeriod day = UsagePeriod.every(START, START + DAY, HOUR);
    Matcher notB = Matcher.of(Matcher.Kind.NOT_EQUAL, "team", "b");
    assertThat(rows(by(day, List.of(notB)))).isNotEmpty();
    expire();
    assertThat(rows(by(day, List.of()))).isNotEmpty();
    for (Matcher each : List.of(notB, Matcher.of(Matcher.Kind.REGEX, "team", "|a"))) {
      UsageQuestion.Answer answer = (UsageQuestion.Answer) run(by(day, List.of(each))).result();
      assertThat(answer.rows()).isEmpty();
      assertThat(answer.notes()).containsExactly(UsageQuestion.Note.NOT_OF_METRICS);
    }
  }

  @Test
  void whatATenantDoesNotSeeOfSamplesItDoesNotSeeOfKeptDays() throws Exception {
    fill();
    keep();
    expire();
    UsageQuestion red =
        new UsageQuestion(
            List.of(Matcher.equal("tenant", "red")),
            List.of(),
            UsagePeriod.every(START, START + DAY, HOUR),
            UsageTerms.DEFAULT);
    assertThat(rows(red))
        .isNotEmpty()
        .allSatisfy(row -> assertThat(row.owner().value("tenant")).isEqualTo("red"));
  }

  @Test
  void whoMayReadAllMetricsOfUsageReadsKeptDaysAndWhoMayReadSomeIsToldThatNothingIsKept()
      throws Exception {
    fill();
    List<UsageRow> day = rows(question(START, START + DAY, HOUR));
    keep();
    expire();
    UsagePeriod period = UsagePeriod.every(START, START + DAY, HOUR);
    Matcher all = Matcher.of(Matcher.Kind.REGEX, Labels.NAME, "(DCGM|gpu|host)_.*");
    assertThat(rows(by(period, List.of(all)))).isEqualTo(day);
    UsageQuestion some = by(period, List.of(Matcher.equal(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL")));
    UsageQuestion.Answer answer = ask(some);
    assertThat(answer.rows()).isEmpty();
    assertThat(some.merged(List.of(answer)).notes())
        .singleElement()
        .asString()
        .contains("usage was kept of all metrics");
  }

  @Test
  void aDayIsComputedAgainWhenALateBlockBringsSamples() throws Exception {
    fill();
    keep();
    List<UsageRow> before = rows(question(START, START + DAY, HOUR));
    adoptLateBlock();
    List<UsageRow> samples = rows(question(START, START + DAY, HOUR));
    assertThat(samples).isNotEqualTo(before);
    restart();
    keep();
    assertThat(store.usage().counts().computed.sum()).isOne();
    assertThat(rows(question(START, START + DAY, HOUR))).isEqualTo(samples);
    expire();
    assertThat(rows(question(START, START + DAY, HOUR))).isEqualTo(samples);
  }

  @Test
  void aMonthAnswersWhatItsSamplesAnswer() throws Exception {
    fillTwoMonths();
    List<List<UsageRow>> before = rows(ofMonth());
    List<List<UsageRow>> days = rows(ofDays());
    keep();
    keep();
    assertThat(month()).exists();
    assertSame(before, rows(ofMonth()));
    assertSame(days, rows(ofDays()));
    now = NOVEMBER + 70 * DAY;
    maintain();
    maintain();
    assertThat(store.blockFiles(HOST)).isEmpty();
    restart();
    assertSame(before, rows(ofMonth()));
    assertSame(days, rows(ofDays()));
    // So it is the month that answers.
    Files.delete(file());
    assertSame(before, rows(ofMonth()));
  }

  @Test
  void theCostOfAQuestionIsThatOfTheFilesThatItReads() throws Exception {
    fillTwoMonths();
    UsageQuestion october = ofMonth().getFirst();
    UsageQuestion hours = question(START, START + DAY, HOUR);
    UsageQuestion parts = question(START, START + DAY, HOUR / 4);
    UsageExtent samples = extent(october);
    assertThat(samples.samples()).isGreaterThan(10_000);
    assertThat(samples.bytes()).isZero();
    keep();
    keep();
    assertThat(extent(october)).isEqualTo(new UsageExtent(0, 0, Files.size(month())));
    assertThat(extent(hours)).isEqualTo(new UsageExtent(0, 0, Files.size(file())));
    assertThat(extent(parts).samples()).isGreaterThan(5_000);
    assertThat(extent(parts).bytes()).isZero();
  }

  private UsageExtent extent(UsageQuestion question) throws Exception {
    return ((UsageExtentQuestion.Answer) run(new UsageExtentQuestion(question)).result()).extent();
  }

  @Test
  void aMonthIsMadeAgainWhenADayOfItHasChanged() throws Exception {
    fillTwoMonths();
    keep();
    keep();
    List<List<UsageRow>> before = rows(ofMonth());
    adoptLateBlock();
    List<List<UsageRow>> samples = rows(ofMonth());
    assertThat(samples.getFirst()).isNotEqualTo(before.getFirst());
    byte[] old = Files.readAllBytes(month());
    keep();
    assertThat(Files.readAllBytes(month())).isNotEqualTo(old);
    assertSame(samples, rows(ofMonth()));
  }

  @Test
  void aDamagedMonthIsMadeAgainOfItsDays() throws Exception {
    fillTwoMonths();
    keep();
    keep();
    List<List<UsageRow>> before = rows(ofMonth());
    byte[] bytes = Files.readAllBytes(month());
    bytes[bytes.length / 2] ^= 4;
    Files.write(month(), bytes);
    assertSame(before, rows(ofMonth()));
    assertThat(store.usage().counts().damaged.sum()).isOne();
    assertThat(month()).doesNotExist();
    keep();
    assertThat(month()).exists();
    assertSame(before, rows(ofMonth()));
  }

  @Test
  void aMonthGoesWithTheFirstOfItsDays() throws Exception {
    fillTwoMonths();
    keep();
    keep();
    now = START + 401 * DAY;
    maintain();
    maintain();
    assertThat(month()).exists();
    now += 1;
    maintain();
    assertThat(month()).doesNotExist();
    assertThat(store.usage().names(HOST)).isNotEmpty();
    removeStray(HOST);
    assertThat(store.usage().fileCount()).isZero();
    assertThat(store.usage().fileBytes()).isZero();
  }

  @Test
  void aDayThatItsHostHasNotEndedIsKeptBeforeItsSamplesAreDropped() throws Exception {
    recover();
    send(START + 11 * HOUR + 7 * MINUTE);
    List<UsageRow> before = rows(question(START, START + DAY, HOUR));
    now = START + 2 * DAY;
    keep();
    assertThat(store.usage().has(HOST)).as("the host may send the rest").isFalse();
    now = START + 3 * DAY + 2 * HOUR;
    maintain();
    assertThat(store.blockFiles(HOST)).as("dropped when the day is kept").hasSizeGreaterThan(20);
    assertThat(store.usage().names(HOST)).containsExactly(FILE);
    expire();
    assertThat(rows(question(START, START + DAY, HOUR))).isEqualTo(before);
  }

  @Test
  void samplesThatTheDiskHasNoRoomForAreDroppedWhenTheirDayIsKept() throws Exception {
    recover();
    send(START + 11 * HOUR + 7 * MINUTE);
    List<UsageRow> before = rows(question(START, START + DAY, HOUR));
    now = START + 2 * DAY;
    keep();
    assertThat(store.usage().has(HOST)).as("the host may send the rest").isFalse();
    maxBlockBytes = 1;
    restart();
    maintain();
    assertThat(store.blockFiles(HOST)).as("dropped when the day is kept").hasSizeGreaterThan(20);
    assertThat(store.usage().names(HOST)).containsExactly(FILE);
    maintain();
    maintain();
    assertThat(store.blockFiles(HOST)).isEmpty();
    assertThat(rows(question(START, START + DAY, HOUR))).isEqualTo(before);
  }

  @Test
  void aDamagedFileIsComputedAgainWhileItsSamplesAreHere() throws Exception {
    fill();
    keep();
    List<UsageRow> before = rows(question(START, START + DAY, HOUR));
    damage();
    assertThat(rows(question(START, START + DAY, HOUR))).isEqualTo(before);
    assertThat(store.usage().counts().damaged.sum()).isOne();
    assertThat(file()).doesNotExist();
    keep();
    assertThat(file()).exists();
    UsageSums kept = new UsageSums(List.of(), List.of());
    UsageFile.read(Files.readAllBytes(file())).hours().addTo(kept, UsagePlaces.same(KeptDay.HOURS));
    assertThat(kept.rows()).isEqualTo(before);
  }

  @Test
  void aHostIsIncompleteWithADamagedFileThatNoSamplesAreInPlaceOf() throws Exception {
    fill();
    keep();
    expire();
    damage();
    for (int i = 0; i < 2; i++) {
      FragmentAnswer answer = run(question(START, START + DAY, HOUR));
      assertThat(((UsageQuestion.Answer) answer.result()).rows()).isEmpty();
      assertThat(answer.covered()).isEmpty();
    }
  }

  @Test
  void aFileOfAnotherReleaseStays() throws Exception {
    fill();
    keep();
    expire();
    byte[] bytes = Files.readAllBytes(file());
    bytes[4]++;
    Files.write(file(), bytes);
    assertThat(run(question(START, START + DAY, HOUR)).covered()).isEmpty();
    assertThat(file()).exists();
  }

  @Test
  void aHostStaysUntilItsFilesHaveExpired() throws Exception {
    fill();
    keep();
    expire();
    assertThat(store.hosts()).containsExactly(HOST);
    restart();
    maintain();
    assertThat(store.hosts()).containsExactly(HOST);
    now = START + 401 * DAY;
    maintain();
    assertThat(store.usage().has(HOST)).isTrue();
    now += 1;
    maintain();
    assertThat(file()).doesNotExist();
    now += DAY; // the next day had some samples too
    maintain();
    assertThat(store.usage().fileCount()).isZero();
    assertThat(store.usage().fileBytes()).isZero();
    assertThat(store.hosts()).isEmpty();
  }

  @Test
  void filesOfAHostThatHasLeftATableWithManyHostsAreRemoved() throws Exception {
    fill();
    keep();
    expire();
    view = new ClusterView(GoneHostsTest.among(GoneHosts.FEW), Map.of(), false);
    maintain();
    assertThat(file()).exists();
    assertThat(store.usage().counts().dropped.sum()).isZero();
    view = new ClusterView(GoneHostsTest.among(GoneHosts.FEW + 1), Map.of(), false);
    maintain();
    assertThat(file()).doesNotExist();
    assertThat(store.hosts()).isEmpty();
    assertThat(store.usage().counts().dropped.sum()).isOne();
  }

  @Test
  void filesOfAHostThatIsRemovedGoWithItsSamples() throws Exception {
    fill();
    keep();
    assertThat(file()).exists();
    removeStray(HOST);
    assertThat(file()).doesNotExist();
    assertThat(store.usage().has(HOST)).isFalse();
  }

  @Test
  void samplesAreDroppedThoughTheirUsageCannotBeWritten() throws Exception {
    fill();
    Files.createDirectories(file().resolve("in the way"));
    maintain();
    maintain();
    now = START + 6 * DAY;
    for (int i = 0; i < 5; i++) {
      maintain();
    }
    assertThat(store.blockFiles(HOST)).isEmpty();
    assertThat(store.usage().counts().failed.sum()).isGreaterThanOrEqualTo(3);
  }
}
