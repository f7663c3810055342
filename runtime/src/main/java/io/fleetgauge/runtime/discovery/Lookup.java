package io.fleetgauge.runtime.discovery;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;

/** Asks for addresses. */
interface Lookup extends AutoCloseable {
  /**
   * An answer.
   *
   * @param addresses at least one, sorted
   * @param leftOut which entries are no addresses, for messages; empty if all are
   */
  record Addresses(List<String> addresses, Optional<String> leftOut) {}

  /**
   * Asks once. Called again only when the last question is over.
   *
   * @return fails with {@link BadAnswer}, or with whatever broke the connection
   */
  Future<Addresses> ask();

  /** Who is asked, for messages. */
  String whom();

  @Override
  void close();
}
