package io.fleetgauge.query.faults.engine;

import io.fleetgauge.query.faults.detect.Verdict;
import io.fleetgauge.sample.Labels;
import java.util.List;

/**
 * What the detectors of jobs think of one that runs.
 *
 * @param owner labels that all its GPUs share: {@code job}, {@code tenant} and so on
 * @param host the first of its hosts by name
 * @param verdicts one of each detector that gives verdicts
 */
public record JobVerdicts(String job, Labels owner, String host, List<Verdict> verdicts) {}
