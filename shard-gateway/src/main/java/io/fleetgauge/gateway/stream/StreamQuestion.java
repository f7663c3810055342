package io.fleetgauge.gateway.stream;

/**
 * A request of one gateway to another.
 *
 * @param kind 1 to 255
 * @param fields the values that belong to the kind, at most {@link #MAX_FIELDS} bytes
 * @param body not changed any more
 */
public record StreamQuestion(int kind, byte[] fields, byte[] body) {
  /** Most bytes of fields. */
  static final int MAX_FIELDS = 60_000;

  /** Most bytes of a body. */
  static final int MAX_BODY = 64 << 20;
}
