package io.fleetgauge.query.rules.source;

import io.fleetgauge.promql.aggregate.LabelHash;
import io.fleetgauge.query.rules.definition.RuleGroup;
import io.fleetgauge.sample.Labels;
import java.util.Comparator;

/**
 * A group that was set by API, or the mark that it was deleted.
 *
 * @param id its file is the namespace
 * @param version of two with one id, the higher one is the newer
 * @param text in YAML, as it was set; empty if it is deleted
 */
record StoredGroup(RuleGroup.Id id, long version, boolean isDeleted, String text) {
  /** Every query API prefers the same of two, also where two clients wrote at one time. */
  private static final Comparator<StoredGroup> AGE =
      Comparator.comparingLong(StoredGroup::version)
          .thenComparing(StoredGroup::isDeleted)
          .thenComparing(StoredGroup::text);

  /**
   * Which form of a group a query API has.
   *
   * @param check tells forms with one version apart, of clients that wrote at one time
   */
  record Version(RuleGroup.Id id, long version, int check) {
    /** The same in every process. */
    long hash() {
      String group = id.tenant() + '\0' + id.file() + '\0' + id.name();
      return LabelHash.of(Labels.of("group", group, "form", version + " " + check));
    }
  }

  Version form() {
    return new Version(id, version, text.hashCode() * 2 + (isDeleted ? 1 : 0));
  }

  boolean isNewerThan(StoredGroup other) {
    return AGE.compare(this, other) > 0;
  }
}
