package io.fleetgauge.runtime.trace;

/** A part of a trace: something that has a name, begins and ends. Safe for all threads. */
public interface Span {
  /** The header by which a request says which span it belongs to. */
  String HEADER = "traceparent";

  /** Belongs to no trace: all that is done with it has no effect. */
  Span NONE =
      new Span() {
        @Override
        public boolean isRecorded() {
          return false;
        }

        @Override
        public Span child(String name) {
          return this;
        }

        @Override
        public Span call(String name) {
          return this;
        }

        @Override
        public Span with(String attribute, String value) {
          return this;
        }

        @Override
        public Span with(String attribute, long value) {
          return this;
        }

        @Override
        public void failed(String why) {}

        @Override
        public String header() {
          return "";
        }

        @Override
        public void end() {}
      };

  /** Tells whether it is sent to the collector, so that attributes are worth their cost. */
  boolean isRecorded();

  /** Begins a part of it that is done in this process. */
  Span child(String name);

  /** Begins a part of it that another process does; its {@link #header} goes with the request. */
  Span call(String name);

  Span with(String attribute, String value);

  Span with(String attribute, long value);

  /** States that it ends without success. */
  void failed(String why);

  /** The value of {@link #HEADER} for a request that belongs to it; empty when there is none. */
  String header();

  /** Ends it. Later calls have no effect. */
  void end();
}
