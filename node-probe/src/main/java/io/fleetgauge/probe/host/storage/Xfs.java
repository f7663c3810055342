package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.CollectorReadings;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** node_exporter's collector {@code xfs}. */
public final class Xfs implements Collector {
  /** The beginning of a line of the statistics, and the names of its columns. */
  private static final String[] LINES = {
    "extent_alloc extent_allocation_extents_allocated extent_allocation_blocks_allocated"
        + " extent_allocation_extents_freed extent_allocation_blocks_freed",
    "abt allocation_btree_lookups allocation_btree_compares allocation_btree_records_inserted"
        + " allocation_btree_records_deleted",
    "blk_map block_mapping_reads block_mapping_writes block_mapping_unmaps"
        + " block_mapping_extent_list_insertions block_mapping_extent_list_deletions"
        + " block_mapping_extent_list_lookups block_mapping_extent_list_compares",
    "bmbt block_map_btree_lookups block_map_btree_compares block_map_btree_records_inserted"
        + " block_map_btree_records_deleted",
    "dir directory_operation_lookup directory_operation_create directory_operation_remove"
        + " directory_operation_getdents",
    "ig inode_operation_attempts inode_operation_found inode_operation_recycled"
        + " inode_operation_missed inode_operation_duplicates inode_operation_reclaims"
        + " inode_operation_attribute_changes",
    "rw write_calls read_calls",
    "vnodes vnode_active vnode_allocate vnode_get vnode_hold vnode_release vnode_reclaim"
        + " vnode_remove"
  };

  private final Map<String, Metric[]> lines = new HashMap<>();

  public Xfs() {
    for (String line : LINES) {
      String[] words = line.split(" ");
      Metric[] metrics = new Metric[words.length - 1];
      for (int i = 0; i < metrics.length; i++) {
        metrics[i] = new Metric("node_xfs_" + words[i + 1] + "_total", "device");
      }
      lines.put(words[0], metrics);
    }
  }

  @Override
  public void read(NodeFiles files, CollectorReadings out) throws IOException {
    String folder = files.inSys("fs/xfs/");
    for (String device : files.list(folder)) {
      String path = folder + device + "/stats/stats";
      KernelText text = files.small(path); // it may be unmounted meanwhile
      if (text != null) {
        while (text.nextLine()) {
          Metric[] metrics = text.nextWord() ? lines.get(text.word()) : null;
          if (metrics == null) {
            continue;
          }
          if (text.wordsLeft() < metrics.length) {
            text.damaged();
            continue;
          }
          for (Metric metric : metrics) {
            out.add(metric, text.nextNumber(), device);
          }
        }
      }
    }
  }
}
