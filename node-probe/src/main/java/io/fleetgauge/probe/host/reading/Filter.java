package io.fleetgauge.probe.host.reading;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/** Which of the devices, mount points or fields are read, by patterns of the operator. */
public final class Filter {
  private static final int MAX_REMEMBERED = 4_096;

  private final Pattern include;
  private final Pattern exclude;
  private final Map<String, Boolean> known = new HashMap<>();

  private Filter(String include, String exclude) {
    this.include = Pattern.compile(include);
    this.exclude = exclude.isEmpty() ? null : Pattern.compile(exclude);
  }

  /**
   * @param include a name is read only if this is found in it
   * @param exclude a name in which this is found is not read; empty for none
   */
  public static Filter of(String include, String exclude) {
    return new Filter(include, exclude);
  }

  public boolean takes(String name) {
    Boolean takes = known.get(name);
    if (takes == null) {
      if (known.size() == MAX_REMEMBERED) {
        known.clear();
      }
      takes = include.matcher(name).find() && (exclude == null || !exclude.matcher(name).find());
      known.put(name, takes);
    }
    return takes;
  }
}
