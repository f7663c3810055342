package io.fleetgauge.query.faults.detect;

import static io.fleetgauge.query.faults.reading.Signal.XIDS;

import io.fleetgauge.query.faults.reading.GpuTick;
import io.fleetgauge.query.faults.reading.HostTick;
import io.fleetgauge.query.faults.reading.Readings;
import io.fleetgauge.sample.gpu.FaultKind;
import io.fleetgauge.sample.gpu.Severity;
import io.fleetgauge.sample.gpu.Xid;
import io.fleetgauge.sample.gpu.XidClass;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Finds the XIDs that GPUs report. */
final class GpuEvents implements HostDetector {
  /** Jobs with exceptions that are remembered of a GPU. */
  private static final int MOST_JOBS = 64;

  private final int jobs;
  private final long within;
  private final PerGpu<Map<String, Long>> exceptions = new PerGpu<>(LinkedHashMap::new);

  GpuEvents(Thresholds thresholds) {
    Thresholds.OfKind application = thresholds.of(FaultKind.XID_APPLICATION);
    jobs = (int) application.number("jobs");
    within = application.millis("within");
  }

  @Override
  public void on(HostTick tick, Consumer<Finding> out) {
    for (GpuTick gpu : tick.gpus()) {
      for (Map.Entry<String, Readings> each : gpu.codes().entrySet()) {
        double count = each.getValue().get(XIDS);
        if (count > 0 && each.getKey().matches("\\d{1,6}")) {
          out.accept(xid(tick, gpu, Xid.of(Integer.parseInt(each.getKey())), count));
        }
      }
    }
  }

  private Finding xid(HostTick tick, GpuTick gpu, Xid xid, double count) {
    int ofJobs = xid.type() == XidClass.EXCEPTION ? jobs(tick, gpu) : 0;
    boolean isSuspect = ofJobs >= jobs;
    Severity severity = isSuspect ? Severity.WARNING : xid.severity();
    return new Finding(
        xid.kind(),
        Subject.of(tick, gpu),
        tick.time(),
        severity == xid.kind().severity() ? Optional.empty() : Optional.of(severity),
        Integer.toString(xid.code()),
        true,
        (int) Math.ceil(count),
        "XID "
            + xid.code()
            + ": "
            + xid.meaning()
            + " "
            + (isSuspect
                ? Amount.of(ofJobs, "job")
                    + " had exceptions on this GPU within "
                    + Amount.time(within)
                    + ": suspect the GPU."
                : xid.action().text()),
        List.of(new Evidence("XID " + xid.code() + ", count", 0, count)),
        List.of());
  }

  /** Number of jobs that had exceptions on the GPU lately, the one that has it now among them. */
  private int jobs(HostTick tick, GpuTick gpu) {
    Map<String, Long> seen = exceptions.of(tick, gpu);
    seen.values().removeIf(time -> tick.time() - time > within);
    if (!gpu.job().isEmpty() && (seen.size() < MOST_JOBS || seen.containsKey(gpu.job()))) {
      seen.put(gpu.job(), tick.time());
    }
    return seen.size();
  }
}
