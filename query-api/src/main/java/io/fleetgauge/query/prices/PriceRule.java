package io.fleetgauge.query.prices;

import io.fleetgauge.promql.expr.Matcher;
import java.math.BigDecimal;

/**
 * One entry of the prices.
 *
 * @param name as reports name it
 * @param model of the GPU; so for the others
 * @param profile of the MIG instance, empty for a whole GPU
 * @param from first time at which it applies, ms
 * @param to the time after the last one, ms
 * @param price of a GPU hour
 */
public record PriceRule(
    String name,
    Matcher model,
    Matcher profile,
    Matcher tenant,
    long from,
    long to,
    HoursOfDay hours,
    BigDecimal price) {

  public boolean isOf(String ofModel, String ofProfile, String ofTenant) {
    return model.matches(ofModel) && profile.matches(ofProfile) && tenant.matches(ofTenant);
  }

  /** Names are unique in a file. */
  @Override
  public int hashCode() {
    return name.hashCode();
  }

  boolean isAt(long time, int hour) {
    return time >= from && time < to && hours.contains(hour);
  }
}
