package io.fleetgauge.runtime.doctor;

import io.fleetgauge.runtime.config.LogSettings;
import io.fleetgauge.runtime.key.ConfigException;
import io.fleetgauge.runtime.log.Logs;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.process.Main;
import io.fleetgauge.runtime.terminal.DocumentCommand;
import io.fleetgauge.runtime.terminal.Problems;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import picocli.CommandLine;
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
    exitCodeOnExecutionException = 2,
    exitCodeListHeading = "Exit status:%n",
    exitCodeList = {"0:No problem.", "1:There are warnings.", "2:Failures, or wrong usage."})
public final class DoctorCommand extends DocumentCommand implements Command {
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

  @Override
  protected JsonObject document() {
    Logs.toErrors(new LogSettings(LogSettings.Format.TEXT, LogSettings.Level.INFO));
    Findings findings = new Findings();
    Examination examination = examination();
    List<URI> others = gateways.stream().map(this::address).toList();
    configuration(examination, findings.about("configuration"))
        .ifPresent(examined -> examine(examined, others, findings));
    JsonArray list = new JsonArray();
    for (Finding each : findings.worstFirst()) {
      list.add(
          new JsonObject()
              .put("check", each.subject())
              .put("outcome", each.outcome().text)
              .put("text", each.text())
              .put("advice", each.advice()));
    }
    Problems problems = problems(list);
    return new JsonObject()
        .put("process", process)
        .put("version", Main.VERSION)
        .put("failures", problems.count("failure"))
        .put("warnings", problems.count("warning"))
        .put("skipped", problems.count("skipped"))
        .put("findings", list);
  }

  private static Problems problems(JsonArray findings) {
    return new Problems(findings, "outcome", "check");
  }

  @Override
  protected int exitCode(JsonObject document) {
    return problems(document.getJsonArray("findings")).exitCode();
  }

  @Override
  protected String text(JsonObject document) {
    Problems problems = problems(document.getJsonArray("findings"));
    return problems.text(outcome -> all || !outcome.equals("ok"))
        + String.format(
            Locale.ROOT,
            "%d failures, %d warnings, %d skipped, %d passed%n",
            problems.count("failure"),
            problems.count("warning"),
            problems.count("skipped"),
            problems.count("ok"));
  }

  private Examination examination() {
    List<Examination> known =
        ServiceLoader.load(Examination.class).stream().map(ServiceLoader.Provider::get).toList();
    return known.stream()
        .filter(each -> each.process().equals(process))
        .findFirst()
        .orElseThrow(
            () ->
                wrong(
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
    throw wrong("--gateway " + text + " is no address such as http://10.0.0.1:9500");
  }

  private Optional<ExaminedProcess> configuration(Examination examination, Findings findings) {
    String source = file == null ? "the default configuration" : file.toString();
    try {
      ExaminedProcess examined =
          examination.read(source, file == null ? "" : Files.readString(file));
      findings.ok(source + " is valid");
      return Optional.of(examined);
    } catch (ConfigException e) {
      e.problems()
          .forEach(
              problem ->
                  findings.failure(
                      source + ": " + problem,
                      "correct it; docs/configuration.md describes every key"));
    } catch (IOException e) {
      findings.failure(
          source + " cannot be read as user " + System.getProperty("user.name") + ": " + e,
          "correct its name, or let this user read it");
    }
    return Optional.empty();
  }

  private void examine(ExaminedProcess examined, List<URI> others, Findings findings) {
    Findings reach = findings.about("reach");
    Findings clock = findings.about("clock");
    Findings version = findings.about("version");
    Findings secrets = findings.about("secrets");
    Findings tokens = findings.about("tenants");
    try (CheckRequests requests = new CheckRequests(examined.trust())) {
      boolean isRunning = new PortChecks(examined, findings.about("ports"), requests).run();
      new NameChecks(examined, findings.about("names")).run();
      Instant now = Instant.now();
      new TlsChecks(examined, findings.about("tls"), now).run();
      new SecretChecks(examined, secrets, tokens, now).run();
      new OtherChecks(examined, reach, clock, version, requests).run(isRunning, others);
    }
    new DiskChecks(examined, findings.about("disk"), !quick).run();
    new MachineChecks(examined, findings, proc).run();
    examined.own().forEach(check -> check.accept(findings));
  }
}
