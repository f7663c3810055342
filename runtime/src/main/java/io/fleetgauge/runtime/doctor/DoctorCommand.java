package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.log.Logs;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.process.Main;
import io.fleetgauge.runtime.terminal.FormatOption;
import io.fleetgauge.runtime.terminal.HelpOption;
import io.fleetgauge.runtime.terminal.Paragraph;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fleetgauge doctor}. */
@CommandLine.Command(
    name = "doctor",
    description = {
      "Checks a process on this machine for problems, before or after its start: configuration,"
          + " ports, names, clocks, disks, TLS, secrets, Java, limits, kernel, GPUs, versions and"
          + " reachability of other processes. Run it as the user that the process runs as."
    },
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {"0:No problem.", "1:There are warnings.", "2:Failures, or wrong usage."})
public final class DoctorCommand implements Command {
  private static final int FAILURES = 2;

  @CommandLine.Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "PROCESS",
      description = "The process to check: probe, gateway or query.")
  private String process;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "The configuration file of the process; without it every key has its default.")
  private Path file;

  @Option(
      names = "--gateway",
      paramLabel = "URL",
      description =
          "A gateway to compare version and clock with; may be given several times. A probe's"
              + " gateways, and those that a running gateway knows, are always queried.")
  private List<String> gateways = new ArrayList<>();

  @Option(names = "--quick", description = "Skips the disk benchmark, which writes 32 MiB.")
  private boolean quick;

  @Option(
      names = "--proc",
      hidden = true,
      defaultValue = "/proc",
      description = "Folder of the proc file system.")
  private Path proc;

  @Option(names = "--all", description = "Also prints checks that passed.")
  private boolean all;

  @CommandLine.Mixin private FormatOption format;
  @CommandLine.Mixin private HelpOption help;

  @Override
  public Integer call() {
    Logs.toErrors(new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO));
    Findings findings = new Findings();
    Examination examination = examination();
    List<URI> others = gateways.stream().map(this::address).toList();
    configuration(examination, findings).ifPresent(examined -> examine(examined, others, findings));
    List<Finding> found = new ArrayList<>(findings.all());
    found.sort(Comparator.comparing(Finding::outcome));
    PrintWriter out = spec.commandLine().getOut();
    if (format.isJson()) {
      out.println(json(found).encodePrettily());
    } else {
      print(found, out);
    }
    out.flush();
    return exitCode(found);
  }

  private Examination examination() {
    List<Examination> known =
        ServiceLoader.load(Examination.class).stream().map(ServiceLoader.Provider::get).toList();
    return known.stream()
        .filter(each -> each.process().equals(process))
        .findFirst()
        .orElseThrow(
            () ->
                new CommandLine.ParameterException(
                    spec.commandLine(),
                    "there is no process "
                        + process
                        + " here; there is "
                        + String.join(
                            ", ", known.stream().map(Examination::process).sorted().toList())));
  }

  private URI address(String text) {
    try {
      URI address = URI.create(text);
      if (address.getHost() != null && address.getPort() > 0) {
        return address;
      }
    } catch (IllegalArgumentException e) {
      // said below
    }
    throw new CommandLine.ParameterException(
        spec.commandLine(), "--gateway " + text + " is no address such as http://10.0.0.1:9500");
  }

  private Optional<ExaminedProcess> configuration(Examination examination, Findings findings) {
    String source = file == null ? "the default configuration" : file.toString();
    try {
      ExaminedProcess examined =
          examination.read(source, file == null ? "" : Files.readString(file));
      findings.ok("configuration", source + " is valid");
      return Optional.of(examined);
    } catch (ConfigException e) {
      e.problems()
          .forEach(
              problem ->
                  findings.failure(
                      "configuration",
                      source + ": " + problem,
                      "correct it; docs/configuration.md describes every key"));
    } catch (IOException e) {
      findings.failure(
          "configuration",
          source + " cannot be read as user " + System.getProperty("user.name") + ": " + e,
          "correct its name, or let this user read it");
    }
    return Optional.empty();
  }

  private void examine(ExaminedProcess examined, List<URI> others, Findings findings) {
    try (CheckRequests requests = new CheckRequests(examined.trust())) {
      boolean isRunning = new PortChecks(examined, findings, requests).run();
      new NameChecks(examined, findings).run();
      Instant now = Instant.now();
      new TlsChecks(examined, findings, now).run();
      new SecretChecks(examined, findings, now).run();
      new OtherChecks(examined, findings, requests).run(isRunning, others);
    }
    new DiskChecks(examined, findings, !quick).run();
    new MachineChecks(examined, findings, proc).run();
    examined.own().forEach(check -> check.accept(findings));
  }

  private static int exitCode(List<Finding> found) {
    if (found.stream().anyMatch(each -> each.outcome() == Finding.Outcome.FAILURE)) {
      return FAILURES;
    }
    return found.stream().anyMatch(each -> each.outcome() == Finding.Outcome.WARNING) ? 1 : 0;
  }

  private JsonObject json(List<Finding> found) {
    JsonArray findings = new JsonArray();
    found.forEach(
        each ->
            findings.add(
                new JsonObject()
                    .put("check", each.check())
                    .put("outcome", each.outcome().text)
                    .put("text", each.text())
                    .put("advice", each.advice())));
    return new JsonObject()
        .put("process", process)
        .put("version", Main.VERSION)
        .put("failures", count(found, Finding.Outcome.FAILURE))
        .put("warnings", count(found, Finding.Outcome.WARNING))
        .put("skipped", count(found, Finding.Outcome.SKIPPED))
        .put("findings", findings);
  }

  private static long count(List<Finding> found, Finding.Outcome outcome) {
    return found.stream().filter(each -> each.outcome() == outcome).count();
  }

  private void print(List<Finding> found, PrintWriter out) {
    for (Finding each : found) {
      if (each.outcome() != Finding.Outcome.OK || all) {
        out.print(Paragraph.problem(each.outcome().text, each.check(), each.text(), each.advice()));
      }
    }
    out.printf(
        Locale.ROOT,
        "%d failures, %d warnings, %d skipped, %d passed%n",
        count(found, Finding.Outcome.FAILURE),
        count(found, Finding.Outcome.WARNING),
        count(found, Finding.Outcome.SKIPPED),
        count(found, Finding.Outcome.OK));
  }
}
