package io.fleetgauge.gateway.stream;

/** The outcome of a request. */
public sealed interface Outcome {
  record Answered(byte[] body) implements Outcome {}

  /** There is no answer; the other gateway may have carried out what it was asked for. */
  record Failed(String why) implements Outcome {}

  /** It was not sent: too much is on its way to the other gateway. */
  record Crowded() implements Outcome {}
}
