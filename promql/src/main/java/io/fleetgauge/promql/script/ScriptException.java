package io.fleetgauge.promql.script;

/** A script that cannot be parsed; the message begins with the line. */
public final class ScriptException extends Exception {
  private static final long serialVersionUID = 1L;

  ScriptException(int line, String message) {
    super("line " + line + ": " + message);
  }
}
