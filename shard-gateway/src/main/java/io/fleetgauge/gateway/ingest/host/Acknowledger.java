package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.trace.Span;
import io.fleetgauge.sample.frame.IntakeAnswer;
import java.util.function.Consumer;

/** Is told once, on any thread, what became of a body: it is kept, or it is not. */
@FunctionalInterface
public interface Acknowledger extends Consumer<IntakeAnswer> {
  /** What taking the body in is a part of. */
  default Span span() {
    return Span.NONE;
  }
}
