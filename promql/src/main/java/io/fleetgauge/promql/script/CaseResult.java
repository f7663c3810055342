package io.fleetgauge.promql.script;

import java.util.Optional;

/**
 * How one query of a script went.
 *
 * @param line where it stands in the script, from 1
 * @param query its text
 * @param failure what was wanted and what came; empty when the case passed
 */
public record CaseResult(int line, String query, CaseClass kind, Optional<String> failure) {
  public boolean passed() {
    return failure.isEmpty();
  }
}
