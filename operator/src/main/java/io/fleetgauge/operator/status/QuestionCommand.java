package io.fleetgauge.operator.status;

import io.fleetgauge.operator.client.QueryApi;
import io.fleetgauge.runtime.process.Command;
import io.fleetgauge.runtime.terminal.CommandFailure;
import io.fleetgauge.runtime.terminal.DocumentCommand;
import io.vertx.core.json.JsonObject;
import picocli.CommandLine;

/** A command that asks a query API one question, and prints the answer as tables or as JSON. */
public abstract class QuestionCommand extends DocumentCommand implements Command {
  @CommandLine.Mixin private QueryApi api;

  /** Asks; the value is printed when JSON is wanted. */
  protected abstract JsonObject ask(QueryApi from) throws CommandFailure;

  @Override
  protected final JsonObject document() throws CommandFailure {
    try (QueryApi asked = api) {
      return ask(asked);
    }
  }
}
