package io.fleetgauge.promql.usage;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Sums of rows of usage by some of their labels, of the rows that are meant. Rows are matched as
 * they are, and summed up after that.
 */
public final class UsageSums {
  private final List<Matcher> matchers;
  private final Set<String> kept;
  private final Set<String> names;
  private final Map<Key, Group> groups = new HashMap<>();
  private int size;

  private record Key(Labels device, Labels owner) {}

  private final class Group extends UsageCells {
    Group(Labels device, Labels owner) {
      super(device, owner);
    }

    @Override
    UsageCell made() {
      size++;
      return super.made();
    }
  }

  /**
   * @param matchers of the labels of a row's owner or else of its device
   * @param kept names of the labels to sum up by; all if there is none
   */
  public UsageSums(List<Matcher> matchers, Collection<String> kept) {
    this.matchers = List.copyOf(matchers);
    this.kept = Set.copyOf(kept);
    this.names = new HashSet<>(kept);
    if (!kept.isEmpty()) {
      matchers.forEach(matcher -> names.add(matcher.name()));
    }
  }

  /** Returns true if rows with different values of a label may have different sums. */
  public boolean isUsed(String label) {
    return kept.isEmpty() || names.contains(label);
  }

  /** Returns true if the GPUs of a host that are of one model may be one device. */
  boolean isOfModels() {
    return !kept.isEmpty()
        && names.stream()
            .noneMatch(
                name -> UsageLabels.ALL.contains(name) && !UsageLabels.OF_MODEL.contains(name));
  }

  /** Returns true if all rows are meant. */
  boolean isOfAll() {
    return matchers.isEmpty();
  }

  boolean isMeant(UsageRow row) {
    return isMeant(row.device(), row.owner());
  }

  private boolean isMeant(Labels device, Labels owner) {
    for (Matcher matcher : matchers) {
      String value = owner.value(matcher.name());
      if (!matcher.matches(value.isEmpty() ? device.value(matcher.name()) : value)) {
        return false;
      }
    }
    return true;
  }

  /**
   * The sums that rows belong to; empty if the rows are not meant. Labels that are not meant may be
   * missing.
   */
  public Optional<UsageCells> cells(Labels device, Labels owner) {
    if (!isMeant(device, owner)) {
      return Optional.empty();
    }
    Key key =
        kept.isEmpty() ? new Key(device, owner) : new Key(device.only(kept), owner.only(kept));
    return Optional.of(groups.computeIfAbsent(key, none -> new Group(key.device, key.owner)));
  }

  /** Adds a row. */
  public void add(UsageRow row) {
    cells(row.device(), row.owner()).ifPresent(cells -> cells.cell(row.interval()).add(row));
  }

  /** Number of rows. */
  public int size() {
    return size;
  }

  /** The rows in order; each device, owner and interval once. */
  public List<UsageRow> rows() {
    List<UsageRow> rows = new ArrayList<>(size);
    groups.values().forEach(group -> group.addTo(rows));
    rows.sort(UsageRow.ORDER);
    return rows;
  }
}
