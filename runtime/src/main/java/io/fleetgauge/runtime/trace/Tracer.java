package io.fleetgauge.runtime.trace;

import io.fleetgauge.runtime.config.TracingSettings;
import io.fleetgauge.runtime.process.Meters;
import io.fleetgauge.runtime.process.StartFailure;

/** Begins traces. Safe for all threads. */
public interface Tracer extends AutoCloseable {
  /** Makes no traces. */
  Tracer OFF =
      new Tracer() {
        @Override
        public Span serve(String name, String header) {
          return Span.NONE;
        }

        @Override
        public void declare(Meters meters) {}

        @Override
        public void close() {}
      };

  /**
   * Traces as configured.
   *
   * @param process what kind of process this is
   * @param id which of these it is
   * @throws StartFailure if a file of the settings cannot be read
   */
  static Tracer start(TracingSettings settings, String process, String id) throws StartFailure {
    return settings.endpoint().isEmpty() ? OFF : OtlpTracer.start(settings, process, id);
  }

  /**
   * Begins a span for a request of another process.
   *
   * @param header its value of {@link Span#HEADER}; null or empty when it has none. A trace begins
   *     then, or does not, as the configured ratio decides
   */
  Span serve(String name, String header);

  /** Declares what is counted here. */
  void declare(Meters meters);

  /** Sends what waits, for some seconds at most. */
  @Override
  void close();
}
