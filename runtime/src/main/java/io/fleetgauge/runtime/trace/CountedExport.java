package io.fleetgauge.runtime.trace;

import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts what a collector takes, and logs when it begins and ends to take nothing. */
final class CountedExport implements SpanExporter {
  private static final Logger LOG = LoggerFactory.getLogger(CountedExport.class);

  private final SpanExporter exporter;
  private final URI collector;
  private final LongAdder sent = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final AtomicBoolean isFailing = new AtomicBoolean();

  CountedExport(SpanExporter exporter, URI collector) {
    this.exporter = exporter;
    this.collector = collector;
  }

  long sent() {
    return sent.sum();
  }

  long failed() {
    return failed.sum();
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    CompletableResultCode done = exporter.export(spans);
    done.whenComplete(() -> count(done, spans.size()));
    return done;
  }

  private void count(CompletableResultCode done, int spans) {
    if (done.isSuccess()) {
      sent.add(spans);
      if (isFailing.compareAndSet(true, false)) {
        LOG.info("the collector {} accepts spans again", collector);
      }
      return;
    }
    failed.add(spans);
    if (isFailing.compareAndSet(false, true)) {
      LOG.warn(
          "the collector {} of tracing.endpoint does not accept spans, they are dropped: {}",
          collector,
          done.getFailureThrowable() == null ? "no reason" : "" + done.getFailureThrowable());
    }
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}
