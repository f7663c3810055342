package io.fleetgauge.operator.report;

import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandGroup;
import picocli.CommandLine;

/** {@code fleetgauge report}. */
@CommandLine.Command(
    name = "report",
    description = "Prints what GPUs were used for, wasted and cost, by job, user or tenant.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {UsageCommand.class, IdleCommand.class, EnergyCommand.class, JobCommand.class})
public final class ReportCommand extends CommandGroup implements Command {}
