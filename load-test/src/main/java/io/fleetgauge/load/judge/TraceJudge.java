package io.fleetgauge.load.judge;

import io.fleetgauge.load.nodes.Trace;
import io.fleetgauge.load.nodes.TraceSpec;
import io.fleetgauge.load.nodes.jobs.Job;
import java.util.List;

/** Plays traces and judges what is told of them. */
final class TraceJudge {
  private TraceJudge() {}

  /** The scores of one trace. */
  static Scores judge(TraceSpec spec) throws InterruptedException {
    Scores scores = new Scores();
    try (Trace trace = Trace.of(spec)) {
      List<TracePlay.Told> told = new TracePlay(trace).play();
      boolean isHealthy = spec.faults().equals(TraceSpec.Faults.NONE);
      scores.add(
          name(spec),
          spec.faults().kind(),
          trace.labels(),
          told,
          trace.start(),
          trace.tick(),
          jobDays(trace),
          isHealthy);
    }
    return scores;
  }

  static String name(TraceSpec spec) {
    String faults =
        spec.faults()
            .kind()
            .map(kind -> kind.text())
            .orElse(spec.faults().factor() == 0 ? "healthy" : "mix");
    return faults + " seed " + spec.seed();
  }

  /** Days of jobs within a trace. */
  static double jobDays(Trace trace) {
    double days = 0;
    for (Job job : trace.jobs()) {
      long millis = Math.min(job.ends(), trace.end()) - Math.max(job.began(), trace.start());
      days += Scores.days(Math.max(0, millis));
    }
    return days;
  }
}
