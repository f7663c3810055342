package io.fleetgauge.query;

import io.fleetgauge.query.faults.running.RunningFaults;
import io.fleetgauge.query.report.scheduled.ScheduledReports;
import io.fleetgauge.query.rules.running.RunningRules;
import io.fleetgauge.runtime.process.ProcessPart;
import io.fleetgauge.runtime.process.StartFailure;
import java.io.IOException;
import java.util.Optional;

/** The evaluation of rules and faults, and scheduled reports, together with other query APIs. */
final class EvaluationPart implements ProcessPart {
  private final RulesPart rules;
  private final FaultsPart faults;
  private final ReportPart reports;
  private final String name;
  private Optional<RunningRules> running = Optional.empty();
  private Optional<RunningFaults> looking = Optional.empty();
  private Optional<ScheduledReports> reporting = Optional.empty();

  /**
   * @param name of this process
   */
  EvaluationPart(RulesPart rules, FaultsPart faults, ReportPart reports, String name) {
    this.rules = rules;
    this.faults = faults;
    this.reports = reports;
    this.name = name;
  }

  @Override
  public void start() throws StartFailure {
    try {
      running = Optional.of(rules.join(name));
    } catch (IOException e) {
      throw new StartFailure("rules.folder cannot be used: " + e.getMessage(), e);
    }
    looking = faults.join(name);
    reporting = reports.join(name);
  }

  @Override
  public void close() {
    reporting.ifPresent(ScheduledReports::close);
    looking.ifPresent(RunningFaults::close);
    running.ifPresent(RunningRules::close);
  }
}
