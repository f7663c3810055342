package io.fleetgauge.query.rules.source;

import io.fleetgauge.query.rules.definition.RuleGroup;
import java.util.List;

/** All groups that are to be evaluated. Safe for all threads. */
public interface RuleGroups {
  /** Immutable; in the order of tenant, file and name. */
  List<RuleGroup> groups();

  /** Calls a listener, on any thread, after the groups have changed. */
  void onChange(Runnable listener);
}
