package io.fleetgauge.load.compare;

import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.TerminalCommand;
import io.fleetgauge.sample.files.PrivateFiles;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** {@code fleetgauge fuzz}. */
@CommandLine.Command(
    name = "fuzz",
    description =
        "Sends random queries to Prometheus and to Fleetgauge, which hold the same samples; prints"
            + " the differences and exits with 1 if there are any.")
public final class FuzzCommand extends TerminalCommand implements Command {
  /** The features that the questions may need. */
  public static final Set<String> FEATURES = Set.of("promql-experimental-functions");

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the queries (default: ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "2000",
      description = "Number of queries (default: ${DEFAULT-VALUE}).")
  private int count;

  @Option(
      names = "--from",
      paramLabel = "N",
      defaultValue = "0",
      description = "Number of the first query (default: ${DEFAULT-VALUE}).")
  private int from;

  @Option(
      names = "--features",
      paramLabel = "NAME",
      split = ",",
      defaultValue = "promql-experimental-functions",
      description = "Feature flags of both servers (default: ${DEFAULT-VALUE}).")
  private Set<String> features;

  @Option(
      names = "--only",
      paramLabel = "REGEX",
      description = "Sends only queries that contain this text; --count counts all.")
  private Pattern only;

  @Override
  protected int run() throws Exception {
    PrintWriter out = out();
    Path folder = Files.createTempDirectory("fleetgauge-fuzz");
    int different = 0;
    try (SideBySide both =
        new SideBySide(
            folder,
            ComparedSamples.ticksByHost(),
            ComparedSamples.START + ComparedSamples.LENGTH,
            features)) {
      for (int i = from; i < from + count; i++) {
        QueryGenerator.Question question =
            QueryGenerator.question(seed, i, features.containsAll(FEATURES));
        if (only != null && !only.matcher(question.parameters().get("query")).find()) {
          continue;
        }
        Optional<String> difference =
            both.comparison().difference(question.path(), question.parameters());
        if (difference.isPresent()) {
          different++;
          out.println("seed " + seed + ", number " + i + ": " + question.path());
          out.println("  " + question.parameters());
          out.println("  " + difference.get());
        }
      }
    } finally {
      PrivateFiles.delete(folder);
    }
    out.println(count + " queries of seed " + seed + ", " + different + " with different results");
    out.flush();
    return different == 0 ? 0 : 1;
  }
}
