package io.fleetgauge.query.prices;

import java.math.BigDecimal;

/** How a price is divided, in percent that add up to 100. */
public record Shares(BigDecimal gpu, BigDecimal cpu, BigDecimal memory) {
  static final BigDecimal WHOLE = BigDecimal.valueOf(100);
}
