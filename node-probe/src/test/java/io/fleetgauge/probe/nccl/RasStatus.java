package io.fleetgauge.probe.nccl;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The status of a job as NCCL writes it, in each dialect. */
final class RasStatus {
  private static final String[] FUNCTIONS = {
    "Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce", "SendRecv", "Send", "Recv"
  };

  private final List<Communicator> communicators = new ArrayList<>();
  private boolean isBroken;

  private record Communicator(long hash, List<Rank> ranks) {}

  private record Rank(
      int rank, String host, int pid, int device, long operations, boolean isMissing) {}

  /** Begins a communicator, whose ranks follow. */
  RasStatus communicator(long hash) {
    communicators.add(new Communicator(hash, new ArrayList<>()));
    return this;
  }

  RasStatus rank(int rank, String host, int pid, int device, long operations) {
    communicators.getLast().ranks.add(new Rank(rank, host, pid, device, operations, false));
    return this;
  }

  RasStatus missing(int rank, String host, int pid, int device) {
    communicators.getLast().ranks.add(new Rank(rank, host, pid, device, 0, true));
    return this;
  }

  /** As 2.28 writes it: a comma is missing before the status of a missing rank. */
  RasStatus broken() {
    isBroken = true;
    return this;
  }

  String json(String version) {
    StringBuilder out = new StringBuilder();
    out.append(
        """
        {
          "nccl_version": "%s",
          "cuda_runtime_version": 12090,
          "cuda_driver_version": 13000,
          "timestamp": "2026-11-27 10:00:00",
          "communicators_count": %d,
          "communicators": [
        """
            .formatted(version, communicators.size()));
    for (Communicator each : communicators) {
      List<Rank> there = each.ranks.stream().filter(rank -> !rank.isMissing).toList();
      List<Rank> missing = each.ranks.stream().filter(rank -> rank.isMissing).toList();
      out.append(each == communicators.getFirst() ? "" : ",\n")
          .append(
              """
                  {
                    "hash": "0x%x",
                    "secondary_hash": "0x1f2e:0x77",
                    "size": %d,
                    "ranks_count": %d,
                    "missing_ranks_count": %d,
                    "ranks": [
              """
                  .formatted(each.hash, each.ranks.size(), there.size(), missing.size()))
          .append(String.join(",\n", there.stream().map(RasStatus::rank).toList()))
          .append("\n      ],\n      \"missing_ranks\": [\n")
          .append(String.join(",\n", missing.stream().map(this::missing).toList()))
          .append("\n      ]\n    }");
    }
    return out.append(
            """

              ],
              "ras": {
                "collection_time_sec": 0.003,
                "timeouts_count": 0
              }
            }
            """)
        .toString();
  }

  private static String place(Rank rank) {
    return """
    "rank": %d,
    "host": "%s",
    "pid": %d,
    "cuda_dev": 0,
    "nvml_dev": %d\
    """
        .formatted(rank.rank, rank.host, rank.pid, rank.device);
  }

  private static String rank(Rank rank) {
    StringBuilder counts = new StringBuilder();
    for (String function : FUNCTIONS) {
      long count = function.equals("AllReduce") ? rank.operations : 0;
      counts
          .append(counts.isEmpty() ? "" : ",\n")
          .append("            \"%s\": %d".formatted(function, count));
    }
    return """
            {
    %s,
              "status": {
                "init_state": 0,
                "async_error": 0,
                "finalize_called": false,
                "destroy_flag": false,
                "abort_flag": false
              },
              "collective_counts": {
    %s
              }
            }\
    """
        .formatted(place(rank), counts);
  }

  private String missing(Rank rank) {
    return """
            {
    %s%s
              "status": {
                "unresponsive": true,
                "considered_dead": false
              }
            }\
    """
        .formatted(place(rank), isBroken ? "" : ",");
  }

  /** A head of a text, with one group of communicators. */
  static String text(String version, int nodes, int perNode, int size, String errors) {
    return String.format(
        Locale.ROOT,
        """
        NCCL version %s compiled with CUDA 12.8
        CUDA runtime version 12080, driver version 12080

        Job summary
        ===========

          Nodes  Processes         GPUs  Processes     GPUs
        (total)   per node  per process    (total)  (total)
        %7d  %9d  %11d  %9d  %7d

        Communicators... (0.00s)
        =============

        Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
            #  in group  per comm  per node  per comm  in group
        %5d  %8d  %8d  %8s  %8d  %8d  %8s  %6s

        Errors
        ======

        """,
        version,
        nodes,
        perNode,
        1,
        nodes * perNode,
        nodes * perNode,
        0,
        1,
        nodes,
        perNode,
        size,
        size,
        "RUNNING",
        errors);
  }
}
