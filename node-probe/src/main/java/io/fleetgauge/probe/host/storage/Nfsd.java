package io.fleetgauge.probe.host.storage;

import io.fleetgauge.probe.host.reading.Collector;
import io.fleetgauge.probe.host.reading.KernelText;
import io.fleetgauge.probe.host.reading.Metric;
import io.fleetgauge.probe.host.reading.NodeFiles;
import io.fleetgauge.probe.host.reading.Readings;
import java.io.IOException;

/** node_exporter's collector {@code nfsd}: the server. */
public final class Nfsd implements Collector {
  private static final int READ_AHEAD_COLUMNS = 12;

  private final NodeFiles files;
  private final Metric hits = new Metric("node_nfsd_reply_cache_hits_total");
  private final Metric misses = new Metric("node_nfsd_reply_cache_misses_total");
  private final Metric uncached = new Metric("node_nfsd_reply_cache_nocache_total");
  private final Metric stale = new Metric("node_nfsd_file_handles_stale_total");
  private final Metric bytesRead = new Metric("node_nfsd_disk_bytes_read_total");
  private final Metric bytesWritten = new Metric("node_nfsd_disk_bytes_written_total");
  private final Metric threads = new Metric("node_nfsd_server_threads");
  private final Metric cacheSize = new Metric("node_nfsd_read_ahead_cache_size_blocks");
  private final Metric notFound = new Metric("node_nfsd_read_ahead_cache_not_found_total");
  private final Metric packets = new Metric("node_nfsd_packets_total", "proto");
  private final Metric connections = new Metric("node_nfsd_connections_total");
  private final Metric errors = new Metric("node_nfsd_rpc_errors_total", "error");
  private final Metric rpcs = new Metric("node_nfsd_server_rpcs_total");
  private final Metric requests = new Metric("node_nfsd_requests_total", "proto", "method");

  private static final String[] V2 = withoutNull(NfsProcedures.V2);
  private static final String[] V3 = withoutNull(NfsProcedures.V3);

  public Nfsd(NodeFiles files) {
    this.files = files;
  }

  private static String[] withoutNull(String[] names) {
    String[] copy = names.clone();
    copy[0] = "";
    return copy;
  }

  @Override
  public void read(Readings out) throws IOException {
    KernelText text = files.proc("net/rpc/nfsd");
    while (text.nextLine()) {
      if (!text.nextWord()) {
        continue;
      }
      switch (text.word()) {
        case "rc" -> {
          out.add(hits, text.nextNumber());
          out.add(misses, text.nextNumber());
          out.add(uncached, text.nextNumber());
        }
        case "fh" -> out.add(stale, text.nextNumber());
        case "io" -> {
          out.add(bytesRead, text.nextNumber());
          out.add(bytesWritten, text.nextNumber());
        }
        case "th" -> out.add(threads, text.nextNumber());
        case "ra" -> {
          out.add(cacheSize, text.nextNumber());
          text.skip(READ_AHEAD_COLUMNS - 2);
          out.add(notFound, text.nextNumber());
        }
        case "net" -> {
          text.nextWord(); // all packets
          out.add(packets, text.nextNumber(), "udp");
          out.add(packets, text.nextNumber(), "tcp");
          out.add(connections, text.nextNumber());
        }
        case "rpc" -> {
          out.add(rpcs, text.nextNumber());
          text.nextWord(); // the sum of the errors
          out.add(errors, text.nextNumber(), "fmt");
          out.add(errors, text.nextNumber(), "auth");
          out.add(errors, text.nextNumber(), "cInt");
        }
        case "proc2" -> NfsProcedures.read(out, text, requests, "2", V2);
        case "proc3" -> NfsProcedures.read(out, text, requests, "3", V3);
        case "proc4ops" -> NfsProcedures.read(out, text, requests, "4", NfsProcedures.SERVER_V4);
        case "wdeleg_getattr" -> out.add(requests, text.nextNumber(), "4", "WdelegGetattr");
        default -> {}
      }
    }
  }
}
