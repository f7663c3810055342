package io.fleetgauge.promql.script;

import java.util.Optional;

/**
 * The outcome of one query of a script.
 *
 * @param line its line in the script, from 1
 * @param query its text
 * @param failure the expected and the actual result; empty when the case passed
 */
public record CaseResult(int line, String query, CaseClass kind, Optional<String> failure) {
  public boolean passed() {
    return failure.isEmpty();
  }
}
