package io.fleetgauge.load.fleet;

import io.fleetgauge.sample.Labels;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;

/**
 * What probes send of a job over two hosts, {@code h0} and {@code h1}, while it works and while it
 * hangs because its last rank does not come to the next operation. Not for several threads.
 */
final class HungJob {
  static final int HOSTS = 2;
  private static final int GPUS = 4;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private double operations = 1_000;
  private double cpu;

  /** CPU time of the process of the last rank, which polls while it hangs. */
  private double lastCpu;

  private double links;

  /** By time: samples that are sent late are those of then. */
  private final Map<Long, Counters> counted = new HashMap<>();

  private record Counters(double operations, double cpu, double lastCpu, double links) {}

  /** Goes on by a step of 15 s. */
  void advance(boolean hangs) {
    if (!hangs) {
      operations += 30;
      links += 5e9 * 15;
    }
    cpu += 15;
    lastCpu += hangs ? 0.3 : 15;
  }

  /** The samples of a host. */
  RemoteWriteBody body(int host, long time, boolean hangs) {
    RemoteWriteBody body = RemoteWriteBody.v1();
    Counters then =
        counted.computeIfAbsent(time, none -> new Counters(operations, cpu, lastCpu, links));
    for (int gpu = 0; gpu < GPUS; gpu++) {
      int rank = host * GPUS + gpu;
      boolean isLast = rank == HOSTS * GPUS - 1;
      boolean isBehind = hangs && isLast;
      Labels of =
          Labels.of(
              "Hostname",
              "h" + host,
              "UUID",
              "GPU-" + rank,
              "gpu",
              "" + gpu,
              "modelName",
              "NVIDIA H100 80GB HBM3",
              "job",
              "train",
              "tenant",
              "a");
      Labels ranked = of.with("communicator", "0xworld");
      body.series(of.with(Labels.NAME, "DCGM_FI_DEV_POWER_USAGE"), time, hangs ? 150 : 560)
          .series(of.with(Labels.NAME, "DCGM_FI_DEV_ENFORCED_POWER_LIMIT"), time, 700)
          .series(of.with(Labels.NAME, "DCGM_FI_DEV_GPU_UTIL"), time, isBehind ? 0 : 100)
          .series(of.with(Labels.NAME, "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE"), time, hangs ? 0 : 0.42)
          .series(of.with(Labels.NAME, "DCGM_FI_PROF_DRAM_ACTIVE"), time, hangs ? 0 : 0.45)
          .series(of.with(Labels.NAME, "DCGM_FI_PROF_SM_ACTIVE"), time, hangs ? 0.04 : 0.9)
          .series(of.with(Labels.NAME, "gpu_nvlink_bytes_total"), time, then.links)
          .series(of.with(Labels.NAME, "gpu_processes"), time, 1)
          .series(
              of.with(Labels.NAME, "gpu_owner_cpu_seconds_total"),
              time,
              isLast ? then.lastCpu : then.cpu)
          .series(of.with(Labels.NAME, "gpu_owner_io_bytes_total"), time, 1_000)
          .series(
              ranked.with(Labels.NAME, "gpu_nccl_operations_total"),
              time,
              then.operations - (isBehind ? 1 : 0))
          .series(ranked.with(Labels.NAME, "gpu_nccl_rank"), time, rank)
          .series(ranked.with(Labels.NAME, "gpu_nccl_ranks"), time, HOSTS * GPUS)
          .series(ranked.with(Labels.NAME, "gpu_nccl_ranks_missing"), time, 0);
    }
    return body;
  }

  /** Writes samples; returns false if the gateway does not take them. */
  static boolean isTaken(URI gateway, RemoteWriteBody body) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(gateway.resolve("/api/v1/write"))
            .header("Content-Type", RemoteWriteBody.V1_TYPE)
            .header("Content-Encoding", "snappy")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body.compressed()))
            .build();
    try {
      return CLIENT.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 204;
    } catch (IOException e) {
      return false;
    }
  }
}
