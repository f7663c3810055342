package io.fleetgauge.query.store;

import io.fleetgauge.promql.expr.Matcher;
import io.fleetgauge.promql.query.QueryFailure;
import io.fleetgauge.promql.query.Selection;
import io.fleetgauge.query.source.ReadOptions;
import io.fleetgauge.sample.prometheus.ReadBudget;
import io.fleetgauge.sample.prometheus.RemoteRead;
import io.fleetgauge.sample.prometheus.RemoteReadReader;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.xerial.snappy.Snappy;

/** One read of samples by remote read: as chunks, or as samples if there are histograms. */
final class RemoteReadRequest {
  private static final String CHUNKS = "application/x-streamed-protobuf";
  private static final String SAMPLES = "application/x-protobuf";

  private final StoreClient client;
  private final List<RemoteRead.Query> queries;

  /** Reads a response. */
  @FunctionalInterface
  interface Reading {
    /**
     * @param maxBytes most bytes after decompression
     */
    ForeignStore.Raw read(ReadBudget budget, int maxBytes) throws WireException, QueryFailure;
  }

  /** Executes a reading where it may take long. */
  @FunctionalInterface
  interface Decoder {
    Future<ForeignStore.Raw> decoded(long most, Reading reading);
  }

  RemoteReadRequest(StoreClient client, List<ForeignStore.Asked> asked) {
    this.client = client;
    this.queries = asked.stream().map(RemoteReadRequest::query).toList();
  }

  private static RemoteRead.Query query(ForeignStore.Asked asked) {
    Selection selection = asked.selection();
    return new RemoteRead.Query(
        selection.from() + 1,
        selection.to(),
        asked.sent().stream().map(RemoteReadRequest::matcher).toList());
  }

  private static RemoteRead.Matcher matcher(Matcher of) {
    RemoteRead.Comparison comparison =
        switch (of.kind()) {
          case EQUAL -> RemoteRead.Comparison.EQUAL;
          case NOT_EQUAL -> RemoteRead.Comparison.NOT_EQUAL;
          case REGEX -> RemoteRead.Comparison.REGEX;
          case NOT_REGEX -> RemoteRead.Comparison.NOT_REGEX;
        };
    return new RemoteRead.Matcher(comparison, of.name(), of.value());
  }

  Future<ForeignStore.Raw> read(Decoder decoder, long most, ReadOptions options) {
    return read(decoder, most, true, options);
  }

  private Future<ForeignStore.Raw> read(
      Decoder decoder, long most, boolean chunks, ReadOptions options) {
    return send(chunks, options)
        .compose(
            response ->
                decoder.decoded(most, (budget, bytes) -> raw(response, chunks, budget, bytes)))
        .compose(
            raw ->
                raw == HISTOGRAMS
                    ? read(decoder, most, false, options)
                    : Future.succeededFuture(raw));
  }

  /** Stands for a response with chunks that only the other form has as samples. */
  private static final ForeignStore.Raw HISTOGRAMS = new ForeignStore.Raw(List.of(), "");

  private Future<StoreClient.Response> send(boolean chunks, ReadOptions options) {
    byte[] body;
    try {
      body = Snappy.compress(RemoteRead.request(queries, chunks));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return client.send(
        "/api/v1/read",
        Map.of(
            "Content-Type",
            SAMPLES,
            "Content-Encoding",
            "snappy",
            "X-Prometheus-Remote-Read-Version",
            "0.1.0"),
        Optional.of(body),
        options);
  }

  private ForeignStore.Raw raw(
      StoreClient.Response response, boolean chunks, ReadBudget budget, int maxBytes)
      throws WireException, QueryFailure {
    if (response.status() != 200) {
      throw StoreClient.unavailable("responded with status " + response.status());
    }
    RemoteReadReader reader = new RemoteReadReader(queries.size(), budget);
    if (response.type().startsWith(CHUNKS)) {
      reader.chunks(response.body(maxBytes));
      if (reader.hasHistograms() && !chunks) {
        throw new WireException("it has chunks that were not asked for");
      }
      return reader.hasHistograms() ? HISTOGRAMS : new ForeignStore.Raw(reader.series(), "");
    }
    if (!response.type().startsWith(SAMPLES)) {
      throw new WireException("its type is " + response.type());
    }
    reader.samples(decompressed(response.body(maxBytes), maxBytes));
    return new ForeignStore.Raw(reader.series(), "");
  }

  private static byte[] decompressed(byte[] body, int maxBytes) throws WireException {
    try {
      int length = Snappy.uncompressedLength(body);
      if (length < 0 || length > maxBytes) {
        throw new WireException("it is longer than " + maxBytes + " bytes");
      }
      return Snappy.uncompress(body);
    } catch (IOException e) {
      throw new WireException("its compression is damaged");
    }
  }
}
