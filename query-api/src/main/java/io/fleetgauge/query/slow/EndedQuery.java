package io.fleetgauge.query.slow;

import java.util.ArrayList;
import java.util.List;

/**
 * A query that ended.
 *
 * @param failure why there is no answer; empty when there is one
 * @param refused true if it failed because a limit was reached
 * @param samples number of samples that were read, by gateways too
 * @param work expected work, in samples
 * @param queuedMillis until it had a place
 * @param fetchedMillis from then until gateways had answered
 * @param evaluatedMillis from then until the result was there
 * @param slowestGateway empty when none was asked
 * @param slowestGatewayMillis time that it took
 * @param reasons why parts were not executed by gateways or not taken from rollups
 */
public record EndedQuery(
    String tenant,
    String text,
    long millis,
    String failure,
    boolean refused,
    long samples,
    long work,
    long queuedMillis,
    long fetchedMillis,
    long evaluatedMillis,
    String slowestGateway,
    long slowestGatewayMillis,
    List<String> reasons) {
  /** A part of the time is a reason when it is this much of the whole. */
  private static final double PART = 0.3;

  private static final int MAX_REASONS = 5;

  public EndedQuery {
    text = cut(text);
    failure = cut(failure);
    reasons = List.copyOf(reasons.subList(0, Math.min(MAX_REASONS, reasons.size())));
  }

  private static String cut(String text) {
    return text.length() <= Fingerprint.MAX_LENGTH
        ? text
        : text.substring(0, Fingerprint.MAX_LENGTH) + "...";
  }

  /** Record of a query that has no answer. */
  public static EndedQuery failed(
      String tenant, String text, long millis, String failure, boolean refused) {
    return new EndedQuery(tenant, text, millis, failure, refused, 0, 0, 0, 0, 0, "", 0, List.of());
  }

  /** Why it took so long, the most important first. */
  public List<String> why() {
    List<String> why = new ArrayList<>();
    if (!failure.isEmpty()) {
      why.add("it failed: " + failure);
      return why;
    }
    if (queuedMillis > PART * millis) {
      why.add("it waited " + queuedMillis + " ms in the queue");
    }
    if (fetchedMillis > PART * millis) {
      why.add(
          "gateways took "
              + fetchedMillis
              + " ms"
              + (slowestGateway.isEmpty()
                  ? ""
                  : "; the slowest, " + slowestGateway + ", " + slowestGatewayMillis + " ms"));
    }
    if (evaluatedMillis > PART * millis) {
      why.add("evaluation on the query API took " + evaluatedMillis + " ms");
    }
    long before = millis - queuedMillis - fetchedMillis - evaluatedMillis;
    if (before > PART * millis) {
      why.add("planning, estimating its cost and validating cached results took " + before + " ms");
    }
    if (samples > 0) {
      why.add("it read " + samples + " samples");
    }
    why.addAll(reasons);
    return why;
  }
}
