package io.fleetgauge.promql.fragment;

import io.fleetgauge.sample.wire.WireWriter;
import java.util.List;

/** The answer of one gateway to a {@link Question}. */
public interface Result {
  /**
   * Writes it.
   *
   * @param out what comes first
   * @param body what follows, such as numbers whose symbols are known only when they are written
   */
  void write(WireWriter out, WireWriter body);

  /** About how many bytes of {@code out} it takes. */
  default int outBytes() {
    return 0;
  }

  /** About how many bytes of {@code body} it takes. */
  default int bodyBytes() {
    return 0;
  }

  /**
   * The hosts that it has data of; they are not asked again.
   *
   * @param covered the hosts that it is complete for
   */
  default List<String> read(List<String> covered) {
    return covered;
  }
}
