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

  /** The data in Prometheus's envelope; its warnings are told. */
  protected final JsonObject data(JsonObject envelope) throws CommandFailure {
    if (envelope.containsKey("warnings")) {
      envelope.getJsonArray("warnings").forEach(each -> warn("" + each));
    }
    if (envelope.getValue("data") instanceof JsonObject data) {
      return data;
    }
    throw new CommandFailure("the response has no object \"data\"; is this a query API?");
  }
}
