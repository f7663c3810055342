package io.fleetgauge.cluster.discovery;

import io.vertx.core.Future;
import java.util.List;

/** Asks for addresses. */
interface Lookup extends AutoCloseable {
  /**
   * Asks once. Called again only when the last question is over.
   *
   * @return at least one address, sorted; fails with {@link BadAnswer}, or with whatever broke the
   *     connection
   */
  Future<List<String>> ask();

  /** Who is asked, for messages. */
  String whom();

  @Override
  void close();
}
