package io.fleetgauge.promql.usage;

import io.fleetgauge.sample.Labels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The accounts of one host. */
final class Accounts {
  private final Set<String> names;
  private final Map<Labels, Map<Labels, Account>> all = new HashMap<>();

  /** Label sets of devices, each once. */
  private final Map<Labels, Labels> devices = new HashMap<>();

  /**
   * @param more labels of owners besides those that are always theirs
   */
  Accounts(Collection<String> more) {
    names = new HashSet<>(UsageLabels.OWNER);
    names.addAll(more);
    names.removeAll(UsageLabels.DEVICE);
    names.remove(Labels.NAME);
  }

  /** The labels of the device of a series. */
  Labels device(Labels series) {
    Labels device = series.only(UsageLabels.DEVICE);
    Labels known = devices.putIfAbsent(device, device);
    return known == null ? device : known;
  }

  /**
   * The account of the owner of a series.
   *
   * @param device labels of its device
   */
  Account of(Labels device, Labels series) {
    return all.computeIfAbsent(device, none -> new HashMap<>())
        .computeIfAbsent(
            series.only(names), owner -> new Account(device, owner, owner.only(UsageLabels.OWNER)));
  }

  /** In order of devices, owners and intervals. */
  List<UsageRow> rows() {
    List<UsageRow> rows = new ArrayList<>();
    all.values().forEach(of -> of.values().forEach(account -> account.addTo(rows)));
    rows.sort(UsageRow.ORDER);
    return rows;
  }
}
