package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.FormatOption;
import io.fleetgauge.runtime.terminal.HelpOption;
import io.vertx.core.json.JsonObject;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A command that asks a query API one question, and prints the answer as a table or as JSON. */
abstract class QuestionCommand implements Command {
  @CommandLine.Spec private CommandSpec spec;
  @CommandLine.Mixin private QueryApi api;

  @CommandLine.Mixin private FormatOption format;
  @CommandLine.Mixin private HelpOption help;

  /** Asks; the value is printed when JSON is wanted. */
  abstract JsonObject ask(QueryApi from) throws QueryApi.Failure;

  /** The answer for people. */
  abstract String text(JsonObject answer);

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
    JsonObject answer;
    try (QueryApi asked = api) {
      answer = ask(asked);
    } catch (QueryApi.Failure e) {
      warn(e.getMessage());
      return exitCodeOfFailure();
    }
    PrintWriter out = spec.commandLine().getOut();
    if (format.isJson()) {
      out.println(answer.encodePrettily());
    } else {
      out.print(text(answer));
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
