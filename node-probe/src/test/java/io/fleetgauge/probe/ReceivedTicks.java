package io.fleetgauge.probe;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Staleness;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.wire.WireException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** A gateway that keeps every tick of a probe, and what each sample was called in it. */
final class ReceivedTicks implements AutoCloseable {
  private final HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
  private final Map<Long, RunDictionary> runs = new HashMap<>();
  private final NavigableMap<Long, List<Labels>> byTime = new TreeMap<>();

  ReceivedTicks() throws IOException {
    server.createContext("/", this::take);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** The series that have a sample at each time; markers of their end are none. */
  synchronized NavigableMap<Long, List<Labels>> byTime() {
    return new TreeMap<>(byTime);
  }

  private void take(HttpExchange http) throws IOException {
    try (http) {
      IntakeAnswer answer = read(http.getRequestBody().readAllBytes());
      byte[] text = answer.toString().getBytes(StandardCharsets.UTF_8);
      http.sendResponseHeaders(answer.httpStatus(), text.length);
      http.getResponseBody().write(text);
    }
  }

  private synchronized IntakeAnswer read(byte[] body) {
    IntakeAnswer answer = new IntakeAnswer.Refused("no frames");
    try {
      for (FrameDecoder frames = new FrameDecoder(body); frames.hasNext(); ) {
        Frame frame = frames.next();
        RunDictionary known = runs.computeIfAbsent(frame.run(), run -> new RunDictionary());
        known.add(frame);
        if (frame instanceof Frame.Tick tick) {
          List<Labels> series = byTime.computeIfAbsent(tick.time(), time -> new ArrayList<>());
          for (int i = 0; i < tick.ids().length; i++) {
            if (!Staleness.isMarker(tick.values()[i])) {
              series.add(known.series(tick.ids()[i]));
            }
          }
          answer = new IntakeAnswer.Kept(tick.run(), tick.sequence());
        }
      }
    } catch (WireException e) {
      return new IntakeAnswer.Refused(e.getMessage());
    }
    return answer;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
