package io.fleetgauge.query.faults.detect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fleetgauge.query.faults.detect.PacedJob.Gpu;
import io.fleetgauge.query.faults.detect.PacedJob.Host;
import io.fleetgauge.query.faults.detect.Verdict.State;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.gpu.FaultKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StragglerDetectorTest {
  private static final int HOUR = 240;

  /** Five windows, and the step that ends the last. */
  private static final int IN_TIME = 41;

  private final StragglerDetector detector = new StragglerDetector(Thresholds.defaults());
  private final Map<Subject, Finding> found = new LinkedHashMap<>();

  private void play(PacedJob job, int steps) {
    found.clear();
    job.play(steps, detector, each -> found.put(each.subject(), each));
  }

  private static Set<String> uuids(Gpu... gpus) {
    List<String> uuids = new ArrayList<>();
    for (Gpu gpu : gpus) {
      uuids.add(gpu.labels.value("UUID"));
    }
    return Set.copyOf(uuids);
  }

  private Set<String> foundUuids() {
    return Set.copyOf(found.keySet().stream().map(Subject::uuid).toList());
  }

  private void assertHost(String host, String cause) {
    assertEquals(1, found.size(), found::toString);
    Finding finding = found.values().iterator().next();
    assertEquals(host, finding.subject().host());
    assertEquals("", finding.subject().uuid());
    assertEquals("train", finding.subject().job());
    assertEquals(cause, finding.cause());
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void aClockThatIsTenthLowerIsFoundInFiveWindows(long seed) {
    PacedJob job = new PacedJob(seed, 2, 8);
    play(job, HOUR);
    assertEquals(Map.of(), found);
    assertEquals(State.NONE, detector.verdict().orElseThrow().state());
    long from = job.time;
    job.gpu(1, 3).clock *= 0.9;
    play(job, IN_TIME);
    assertEquals(uuids(job.gpu(1, 3)), foundUuids());
    Finding finding = found.values().iterator().next();
    assertEquals("clock", finding.cause());
    assertFalse(finding.proven());
    assertTrue(Math.abs(finding.since() - from) <= 120_000, finding::toString);
    assertTrue(finding.text().startsWith("GPU 3 of n1 is slower"), finding.text());
    assertEquals(State.FOUND, detector.verdict().orElseThrow().state());
    job.gpu(1, 3).clock = PacedJob.BOOST;
    play(job, 17);
    play(job, 8);
    assertEquals(Map.of(), found);
    assertEquals(State.NONE, detector.verdict().orElseThrow().state());
  }

  @Test
  void whatLastsForTwoWindowsIsNoStraggler() {
    PacedJob job = new PacedJob(1, 1, 8);
    play(job, HOUR);
    job.gpu(0, 2).clock *= 0.7;
    play(job, 16);
    job.gpu(0, 2).clock = PacedJob.BOOST;
    assertEquals(Map.of(), found);
    play(job, IN_TIME);
    assertEquals(Map.of(), found);
  }

  @Test
  void twoOfEightAreFoundEach() {
    PacedJob job = new PacedJob(3, 1, 8);
    play(job, HOUR);
    job.gpu(0, 2).clock *= 0.85;
    job.gpu(0, 7).clock *= 0.75;
    play(job, IN_TIME);
    assertEquals(uuids(job.gpu(0, 2), job.gpu(0, 7)), foundUuids());
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4, 8})
  void aHostOfWhichAllGpusAreSlowIsOneStraggler(int hosts) {
    PacedJob job = new PacedJob(4, hosts, 8);
    play(job, HOUR);
    job.hosts.get(1).gpus.forEach(gpu -> gpu.clock *= 0.85);
    play(job, IN_TIME);
    assertHost("n1", "clock");
  }

  @Test
  void ofTwoHostsTheSlowOneIsFound() {
    PacedJob job = new PacedJob(4, 2, 8);
    play(job, HOUR);
    job.hosts.get(1).gpus.forEach(gpu -> gpu.clock *= 0.9);
    play(job, IN_TIME);
    assertHost("n1", "clock");
  }

  @Test
  void heatAndBrakesAreNamed() {
    PacedJob job = new PacedJob(5, 1, 8);
    play(job, HOUR);
    job.gpu(0, 1).clock *= 0.8;
    job.gpu(0, 1).heat = 0.5;
    job.gpu(0, 2).clock *= 0.8;
    job.gpu(0, 2).brake = 0.5;
    play(job, IN_TIME);
    List<String> texts = found.values().stream().map(Finding::text).toList();
    assertTrue(texts.get(0).contains("because of heat"), texts::toString);
    assertTrue(texts.get(1).contains("because the power supply asks for less"), texts::toString);
  }

  @Test
  void aHostWhoseProcessesWaitForCpusIsAStraggler() {
    PacedJob job = new PacedJob(6, 3, 8);
    play(job, HOUR);
    Host slow = job.hosts.get(2);
    slow.late = 0.15;
    slow.pressure = 0.4;
    slow.cpuIdle = 0.02;
    play(job, IN_TIME);
    assertHost("n2", "cpu");
    assertTrue(found.values().iterator().next().text().contains("its GPUs wait for the CPU"));
  }

  @Test
  void aHostWhoseNetworkIsSlowIsAStragglerIfItIsFelt() {
    PacedJob job = new PacedJob(7, 4, 8);
    play(job, HOUR);
    Host slow = job.hosts.get(0);
    slow.slowRestarts = 20;
    play(job, IN_TIME);
    assertEquals(Map.of(), found, "errors alone slow nobody down");
    slow.late = 0;
    slow.gpus.forEach(gpu -> gpu.late = 0.15);
    play(job, IN_TIME);
    assertHost("n0", "nic");
  }

  @Test
  void aSlowLinkIsAStragglerAndStaysOneForHours() {
    PacedJob job = new PacedJob(8, 2, 8);
    play(job, HOUR);
    job.gpu(0, 5).linkErrors = 1;
    job.gpu(0, 5).late = 0.12;
    play(job, IN_TIME);
    assertEquals(uuids(job.gpu(0, 5)), foundUuids());
    assertEquals("link", found.values().iterator().next().cause());
    play(job, 3 * HOUR);
    play(job, 1);
    assertEquals(uuids(job.gpu(0, 5)), foundUuids());
  }

  @Test
  void aSlowLinkOfABoardWithoutTensorReadingsIsFoundByTraffic() {
    PacedJob job = new PacedJob(8, 2, 8);
    job.hasProfile = false;
    play(job, HOUR);
    assertEquals(State.NONE, detector.verdict().orElseThrow().state());
    job.gpu(0, 5).linkErrors = 1;
    job.gpu(0, 5).late = 0.12;
    play(job, IN_TIME);
    assertEquals(uuids(job.gpu(0, 5)), foundUuids());
  }

  @Test
  void bandwidthOfNcclProvesASuspicion() {
    PacedJob job = new PacedJob(9, 1, 8);
    job.gpus().forEach(gpu -> gpu.bandwidth = 3e11);
    play(job, HOUR);
    job.gpu(0, 3).clock *= 0.8;
    job.gpu(0, 3).bandwidth = 4.5e11; // who comes last waits least
    play(job, IN_TIME);
    assertEquals(uuids(job.gpu(0, 3)), foundUuids());
    Finding finding = found.values().iterator().next();
    assertTrue(finding.proven());
    assertEquals(3, finding.suspects().getFirst().rank());
  }

  @Test
  void bandwidthAloneIsNoFinding() {
    PacedJob job = new PacedJob(9, 1, 8);
    job.gpus().forEach(gpu -> gpu.bandwidth = 3e11);
    job.gpu(0, 3).bandwidth = 4.5e11;
    play(job, HOUR);
    assertEquals(Map.of(), found);
  }

  @Test
  void aPauseDoesNotEndAStraggler() {
    PacedJob job = new PacedJob(10, 1, 8);
    play(job, HOUR);
    job.gpu(0, 3).clock *= 0.8;
    play(job, IN_TIME);
    job.phase = 0;
    play(job, 20);
    assertEquals(1, found.size());
    job.phase = 1;
    play(job, 1);
    assertEquals(1, found.size());
    play(job, 16);
    assertEquals(1, found.size());
  }

  @Test
  void aCopyGoesOnAlone() {
    PacedJob job = new PacedJob(11, 1, 8);
    play(job, HOUR + 3);
    job.gpu(0, 3).clock *= 0.8;
    play(job, 20);
    StragglerDetector copy = detector.copy();
    List<Finding> one = new ArrayList<>();
    List<Finding> other = new ArrayList<>();
    for (int i = 0; i < IN_TIME; i++) {
      var step = job.next();
      detector.on(step, one::add);
      copy.on(step, other::add);
    }
    assertFalse(one.isEmpty());
    assertEquals(one, other);
  }

  @Test
  void whoLooksFromSomeTimeOnFindsTheSame() {
    PacedJob job = new PacedJob(12, 2, 8);
    play(job, 3 * HOUR);
    job.gpu(0, 3).clock *= 0.85;
    StragglerDetector later = new StragglerDetector(Thresholds.defaults());
    List<Finding> one = new ArrayList<>();
    List<Finding> other = new ArrayList<>();
    int history = (int) (StragglerDetector.HISTORY_MILLIS / PacedJob.STEP);
    for (int i = 0; i < history; i++) {
      var step = job.next();
      detector.on(step, none -> {});
      later.on(step, none -> {});
    }
    for (int i = 0; i < 20; i++) {
      var step = job.next();
      detector.on(step, one::add);
      later.on(step, other::add);
    }
    assertEquals(
        one.stream().map(Finding::text).toList(), other.stream().map(Finding::text).toList());
    assertFalse(one.isEmpty());
  }

  @Test
  void aSlowLinkThatAnotherHasFoundHoursBeforeIsKnown() {
    PacedJob job = new PacedJob(8, 2, 8);
    job.gpu(0, 5).linkErrors = 1;
    job.gpu(0, 5).late = 0.12;
    play(job, HOUR);
    assertEquals(Map.of(), found, "the job is as slow as ever");
    StragglerDetector successor = new StragglerDetector(Thresholds.defaults());
    successor.restore(
        FaultKind.STRAGGLER, new Subject("n0", "GPU-n0-5", "", "train", Labels.EMPTY), "", 0);
    job.play(HOUR, successor, each -> found.put(each.subject(), each));
    assertEquals(uuids(job.gpu(0, 5)), foundUuids());
  }

  @Test
  void threeGpusAreNotEnoughEvidence() {
    PacedJob job = new PacedJob(13, 1, 3);
    play(job, HOUR);
    job.gpu(0, 2).clock *= 0.5;
    play(job, HOUR);
    assertEquals(Map.of(), found);
    assertEquals(State.NOT_ENOUGH_EVIDENCE, detector.verdict().orElseThrow().state());
    assertTrue(
        detector.verdict().orElseThrow().reason().contains("fewer than 4"),
        detector.verdict().orElseThrow().reason());
  }

  @Test
  void unequalWorkIsNotEnoughEvidence() {
    PacedJob job = new PacedJob(14, 1, 8);
    job.isSynchronous = false;
    for (int i = 0; i < 8; i++) {
      job.gpu(0, i).load = 0.2 + 0.15 * i;
    }
    job.gpu(0, 2).clock *= 0.7;
    play(job, HOUR);
    assertEquals(Map.of(), found);
    assertEquals(State.NOT_ENOUGH_EVIDENCE, detector.verdict().orElseThrow().state());
    assertTrue(
        detector.verdict().orElseThrow().reason().contains("different work"),
        detector.verdict().orElseThrow().reason());
  }

  @Test
  void aJobThatIsIdleIsNotEnoughEvidence() {
    PacedJob job = new PacedJob(15, 1, 8);
    job.phase = 0;
    play(job, HOUR);
    assertEquals(State.NOT_ENOUGH_EVIDENCE, detector.verdict().orElseThrow().state());
    assertTrue(
        detector.verdict().orElseThrow().reason().contains("power"),
        detector.verdict().orElseThrow().reason());
  }

  @Test
  void modelsAreComparedWithTheirOwn() {
    PacedJob job = new PacedJob(16, 2, 8);
    Host other = new Host("a100");
    for (int i = 0; i < 8; i++) {
      Gpu gpu = new Gpu("a100", i, "NVIDIA A100-SXM4-80GB");
      gpu.clock = 1_410;
      gpu.limit = 400;
      gpu.tensor = 0.2;
      other.gpus.add(gpu);
    }
    job.hosts.add(other);
    play(job, HOUR);
    assertEquals(Map.of(), found);
    other.gpus.get(4).clock *= 0.85;
    play(job, IN_TIME);
    assertEquals(uuids(other.gpus.get(4)), foundUuids());
  }
}
