package io.fleetgauge.query.rules.definition;

/**
 * Something wrong in a rule file.
 *
 * @param line from 1; 0 if it concerns the file as a whole
 * @param column from 1; 0 if it concerns the line as a whole
 * @param message the problem, the value, and the allowed ones
 */
public record RuleProblem(String file, int line, int column, String message) {
  @Override
  public String toString() {
    return line == 0 ? file + ": " + message : file + ":" + line + ":" + column + ": " + message;
  }
}
