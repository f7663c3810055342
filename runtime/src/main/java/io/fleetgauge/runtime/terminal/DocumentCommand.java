package io.fleetgauge.runtime.terminal;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** A command whose result is a JSON object, which it prints as text for people or as JSON. */
public abstract class DocumentCommand extends TerminalCommand {
  private static final List<String> FORMATS = List.of("table", "json");

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      defaultValue = "table",
      description = "table or json. Default: table.")
  private String format;

  /** The result; it is printed as it is when JSON is wanted. */
  protected abstract JsonObject document() throws CommandFailure;

  /** The result for people. */
  protected abstract String text(JsonObject document);

  /** The exit code for a result. */
  protected int exitCode(JsonObject document) {
    return 0;
  }

  @Override
  protected final int run() throws CommandFailure {
    if (!FORMATS.contains(format)) {
      throw wrong("--format is " + format + "; it may be table or json");
    }
    JsonObject document = document();
    out().print(format.equals("json") ? document.encodePrettily() + "\n" : text(document));
    return exitCode(document);
  }

  /** The objects of an array. */
  public static Stream<JsonObject> rows(JsonArray array) {
    return array.stream().map(JsonObject.class::cast);
  }
}
