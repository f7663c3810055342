package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.process.Command;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** A command that asks a query API one question, and prints the answer as a table or as JSON. */
abstract class AskingCommand implements Command {
  private static final List<String> FORMATS = List.of("table", "json");

  @CommandLine.Spec private CommandSpec spec;
  @CommandLine.Mixin private QueryApi api;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json. Default: table.")
  private String format;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  /** Asks; the value is printed when JSON is wanted. */
  abstract JsonObject ask(QueryApi from) throws QueryApi.Failure;

  /** Prints the answer for people. */
  abstract void print(JsonObject answer, PrintWriter out);

  /** The exit code for an answer. */
  int exitCode(JsonObject answer) {
    return 0;
  }

  /** The exit code when there is no answer. */
  int exitCodeOfFailure() {
    return 1;
  }

  /** Says something that is not part of the answer. */
  void warn(String text) {
    spec.commandLine().getErr().println("fleetgauge: " + text);
    spec.commandLine().getErr().flush();
  }

  @Override
  public Integer call() {
    if (!FORMATS.contains(format)) {
      throw new CommandLine.ParameterException(
          spec.commandLine(), "--format is " + format + "; it may be table or json");
    }
    JsonObject answer;
    try (QueryApi asked = api) {
      answer = ask(asked);
    } catch (QueryApi.Failure e) {
      warn(e.getMessage());
      return exitCodeOfFailure();
    }
    PrintWriter out = spec.commandLine().getOut();
    if (format.equals("json")) {
      out.println(answer.encodePrettily());
    } else {
      print(answer, out);
    }
    out.flush();
    return exitCode(answer);
  }

  /** The data in Prometheus's envelope; its warnings are told. */
  JsonObject data(JsonObject envelope) {
    if (envelope.containsKey("warnings")) {
      envelope.getJsonArray("warnings").forEach(each -> warn("" + each));
    }
    return envelope.getJsonObject("data");
  }
}
