package io.fleetgauge.sample.prometheus;

import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.wire.WireException;

/**
 * Counts what is read of an answer, and ends reading when it is more than is allowed. Not for
 * several threads.
 */
public final class ReadBudget {
  private static final int SERIES_BYTES = 64;

  private final long maxSamples;
  private final long maxLabelBytes;
  private long samples;
  private long labelBytes;

  /**
   * @param maxSamples most samples
   * @param maxLabelBytes most bytes of labels, in memory, about
   */
  public ReadBudget(long maxSamples, long maxLabelBytes) {
    this.maxSamples = maxSamples;
    this.maxLabelBytes = maxLabelBytes;
  }

  /** The number of samples that were read. */
  public long samples() {
    return samples;
  }

  /** Counts one more sample. */
  public void sample() throws WireException {
    if (++samples > maxSamples) {
      throw new WireException("there are more than " + maxSamples + " samples");
    }
  }

  /** Counts the labels of one more series. */
  public void labels(Labels labels) throws WireException {
    labelBytes += SERIES_BYTES;
    for (int i = 0; i < labels.size(); i++) {
      text(labels.name(i));
      text(labels.value(i));
    }
  }

  /** Counts one more text. */
  public void text(String text) throws WireException {
    labelBytes += SERIES_BYTES / 2 + text.length();
    if (labelBytes > maxLabelBytes) {
      throw new WireException("there are more than " + maxLabelBytes + " bytes of labels");
    }
  }
}
