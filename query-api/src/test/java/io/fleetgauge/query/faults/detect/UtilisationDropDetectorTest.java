package io.fleetgauge.query.faults.detect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fleetgauge.query.faults.detect.PacedJob.Gpu;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UtilisationDropDetectorTest {
  private static final int HOUR = 240;

  private final UtilisationDropDetector detector =
      new UtilisationDropDetector(Thresholds.defaults());
  private final Map<String, Finding> found = new LinkedHashMap<>();

  private void play(PacedJob job, int steps) {
    found.clear();
    job.play(steps, detector, each -> found.put(each.subject().uuid(), each));
  }

  private static PacedJob job(long seed) {
    PacedJob job = new PacedJob(seed, 2, 4);
    job.isSynchronous = false;
    return job;
  }

  @Test
  void aGpuThatDoesFarLessThanItDidIsFound() {
    PacedJob job = job(1);
    play(job, HOUR);
    assertEquals(Map.of(), found);
    long from = job.time;
    job.gpu(1, 2).load = 0.3;
    play(job, 18);
    assertEquals(Map.of(), found);
    play(job, 6);
    assertEquals(Set.of("GPU-n1-2"), found.keySet());
    Finding finding = found.get("GPU-n1-2");
    assertTrue(Math.abs(finding.since() - from) <= 60_000);
    assertEquals("train", finding.subject().job());
    play(job, 3 * HOUR);
    assertEquals(Set.of("GPU-n1-2"), found.keySet());
    job.gpu(1, 2).load = 1;
    play(job, 4);
    play(job, 4);
    assertEquals(Map.of(), found);
  }

  @Test
  void aPauseOfAllIsNone() {
    PacedJob job = job(2);
    for (int i = 0; i < 4; i++) {
      job.phase = 1;
      play(job, 100);
      assertEquals(Map.of(), found);
      job.phase = 0;
      play(job, 40);
      assertEquals(Map.of(), found);
    }
  }

  @Test
  void aJobThatShrinksIsNone() {
    PacedJob job = job(3);
    play(job, HOUR);
    for (Gpu gpu : job.hosts.get(1).gpus) {
      gpu.load = 0.01;
    }
    play(job, HOUR);
    assertEquals(Map.of(), found);
  }

  @Test
  void aGpuWithoutProcessIsNone() {
    PacedJob job = job(4);
    play(job, HOUR);
    job.gpu(0, 1).load = 0;
    job.gpu(0, 1).processes = 0;
    play(job, HOUR);
    assertEquals(Map.of(), found);
  }

  @Test
  void whatChangesAnywayHasNoUsualLevel() {
    PacedJob job = job(5);
    for (int i = 0; i < 100; i++) {
      job.gpus().forEach(gpu -> gpu.load = 0.1 + job.random.nextDouble());
      play(job, 25);
      assertEquals(Map.of(), found);
    }
  }

  @Test
  void aCopyGoesOnAlone() {
    PacedJob job = job(6);
    play(job, HOUR);
    job.gpu(0, 1).load = 0.2;
    play(job, 10);
    UtilisationDropDetector copy = detector.copy();
    Map<Long, Finding> one = new LinkedHashMap<>();
    Map<Long, Finding> other = new LinkedHashMap<>();
    for (int i = 0; i < 40; i++) {
      var step = job.next();
      detector.on(step, each -> one.put(step.time(), each));
      copy.on(step, each -> other.put(step.time(), each));
    }
    assertTrue(one.size() > 20);
    assertEquals(one, other);
  }
}
