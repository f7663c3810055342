package io.fleetgauge.gateway.peer;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.ingest.host.Owners;
import io.fleetgauge.gateway.ingest.host.Peers;
import io.fleetgauge.gateway.ingest.host.RunProgress;
import io.fleetgauge.gateway.replication.Pull;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.gateway.store.Digests;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.stream.Outcome;
import io.fleetgauge.gateway.stream.PeerStreams;
import io.fleetgauge.runtime.http.HttpAnswer;
import io.fleetgauge.runtime.http.HttpClients;
import io.fleetgauge.runtime.http.OutgoingHttp;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks other gateways. Safe for all threads. */
public final class PeerClient implements Peers, Owners {
  private static final Logger LOG = LoggerFactory.getLogger(PeerClient.class);

  /** For connections to other gateways. */
  public static final HttpClients.Limits HTTP_LIMITS =
      new HttpClients.Limits(1_000, 60, 64, 10_000);

  /**
   * Limits of the questions on their way to one gateway. All questions may take as long as a
   * replica may be silent.
   */
  public static final PeerStreams.Limits STREAM_LIMITS =
      new PeerStreams.Limits(32L << 20, 4_096, COPY_MILLIS);

  /** Frames that got no answer are sent again after this long. */
  private static final long FAILED_MILLIS = 200;

  /** Hosts that are pulled at once. */
  private static final int PULLS = 4;

  private final Vertx vertx;
  private final WorkerExecutor workers;
  private final Store store;
  private final LongSupplier clock;
  private final OutgoingHttp http;
  private final PeerStreams streams;
  private final Queue<Runnable> waiting = new ArrayDeque<>();
  private int pulling;
  private final UsageFetch usage;
  private Intake intake;

  /**
   * @param http how others are asked for what they have
   * @param streams how they are sent bodies
   * @param workers where samples are read and compared
   * @param clock ms since the epoch
   */
  public PeerClient(
      Vertx vertx,
      OutgoingHttp http,
      PeerStreams streams,
      WorkerExecutor workers,
      Store store,
      LongSupplier clock) {
    this.vertx = vertx;
    this.workers = workers;
    this.store = store;
    this.clock = clock;
    this.http = http;
    this.streams = streams;
    this.usage = new UsageFetch(http, workers, store.usage(), clock);
  }

  /** Sets the intake whose hosts these are; before anything is asked. */
  public void begin(Intake newIntake) {
    intake = newIntake;
  }

  static String path(String host, String what) {
    return IntakeProtocol.hostPath(host, what);
  }

  // --- copies ---

  @Override
  public void copy(URI to, Copy copy, Consumer<CopyAnswer> answer) {
    streams.ask(
        to,
        new PeerQuestion.Copied(copy).toQuestion(),
        outcome -> answer.accept(copyAnswer(to, outcome)));
  }

  private static CopyAnswer copyAnswer(URI from, Outcome outcome) {
    return switch (outcome) {
      case Outcome.Answered said -> read(new String(said.body(), StandardCharsets.UTF_8));
      // The replica is there, and this gateway has more for it than it can take.
      case Outcome.Crowded crowded -> CopyAnswer.of(ReplicaReply.LATER);
      case Outcome.Failed failed -> {
        LOG.debug("no response from {}: {}", from, failed.why());
        yield CopyAnswer.of(ReplicaReply.FAILED);
      }
    };
  }

  private static CopyAnswer read(String text) {
    String[] words = text.split(" ");
    try {
      return words[0].equals(PeerRoute.DICTIONARY)
          ? CopyAnswer.wants(Long.parseUnsignedLong(words[1], 16))
          : CopyAnswer.of(ReplicaReply.valueOf(words[0].toUpperCase(Locale.ROOT)));
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      LOG.debug("not a response of a replica: {}", text);
      return CopyAnswer.of(ReplicaReply.FAILED);
    }
  }

  // --- frames for owners ---

  @Override
  public void send(
      URI owner,
      Intent intent,
      String host,
      long epoch,
      byte[] body,
      Consumer<IntakeAnswer> answer) {
    streams.ask(
        owner,
        new PeerQuestion.Frames(intent == Intent.CHECK, host, epoch, body).toQuestion(),
        outcome -> answer.accept(intakeAnswer(owner, outcome)));
  }

  private static IntakeAnswer intakeAnswer(URI from, Outcome outcome) {
    switch (outcome) {
      case Outcome.Answered said -> {
        try {
          return IntakeAnswer.parse(new String(said.body(), StandardCharsets.UTF_8));
        } catch (WireException e) {
          LOG.debug("{} responds: {}", from, e.getMessage());
        }
      }
      case Outcome.Crowded crowded -> {}
      case Outcome.Failed failed -> LOG.debug("no response from {}: {}", from, failed.why());
    }
    return new IntakeAnswer.SlowDown(FAILED_MILLIS);
  }

  // --- requests ---

  private static Future<HttpAnswer> proper(HttpAnswer answer) {
    return answer.status() == 200
        ? Future.succeededFuture(answer)
        : Future.failedFuture("status " + answer.status() + ": " + answer.body());
  }

  private Future<Buffer> get(URI from, String path) {
    return ask(from, path).map(HttpAnswer::body);
  }

  private Future<HttpAnswer> ask(URI from, String path) {
    return http.to(from, HttpMethod.GET, path, PULL_MILLIS).send().compose(PeerClient::proper);
  }

  @Override
  public void offer(URI owner, String host, String self, Consumer<Boolean> merged) {
    String query = "offers?from=" + URLEncoder.encode(self, StandardCharsets.UTF_8);
    http.to(owner, HttpMethod.POST, path(host, query), OFFER_MILLIS)
        .send()
        .compose(PeerClient::proper)
        .map(true)
        .otherwise(false)
        .onSuccess(merged::accept);
  }

  // --- pulls ---

  @Override
  public void pull(URI from, String host, Consumer<PullResult> done) {
    Runnable start =
        () ->
            new HostPull(from, host)
                .run()
                .otherwise(
                    failure -> {
                      LOG.debug("host {} cannot be pulled from {}", host, from, failure);
                      return PullResult.FAILED;
                    })
                .onSuccess(
                    pulled -> {
                      next();
                      done.accept(pulled);
                    });
    synchronized (waiting) {
      if (pulling >= PULLS) {
        waiting.add(start);
        return;
      }
      pulling++;
    }
    vertx.runOnContext(none -> start.run());
  }

  private void next() {
    Runnable start;
    synchronized (waiting) {
      start = waiting.poll();
      if (start == null) {
        pulling--;
        return;
      }
    }
    vertx.runOnContext(none -> start.run());
  }

  /** Fetches the files of usage that other holders have of the hosts that are held here. */
  public void fetchUsage(ClusterView view, String self) {
    usage.look(view, self);
  }

  /** One host's way from another gateway to this one. */
  private final class HostPull {
    private final URI from;
    private final String host;
    private final Pull pull = new Pull();
    private boolean intact;
    private Map<Long, RunProgress> progress = Map.of();

    HostPull(URI from, String host) {
      this.from = from;
      this.host = host;
    }

    Future<PullResult> run() {
      return Future.fromCompletionStage(intake.state(host))
          .compose(state -> state.blank() ? installBlocks() : replaceDamagedBlocks())
          .compose(none -> usage.from(from, host))
          .compose(none -> on(new Pull.Event.Begin()));
    }

    private Future<PullResult> on(Pull.Event event) {
      return switch (pull.on(event)) {
        case Pull.Effect.Compare none -> compare();
        case Pull.Effect.Fetch fetch -> fetch(fetch);
        case Pull.Effect.End end ->
            Future.succeededFuture(new PullResult(end.done(), end.compared(), intact, progress));
      };
    }

    private Future<PullResult> compare() {
      return Future.fromCompletionStage(intake.state(host))
          .compose(
              state -> {
                long until = state.before();
                long fine = store.fineFrom(Math.min(until, clock.getAsLong()));
                long coarse = store.blockMillis();
                String query = "digest?fine=" + fine + "&coarse=" + coarse + "&until=" + until;
                return get(from, path(host, query))
                    .compose(
                        body ->
                            workers.executeBlocking(
                                () -> {
                                  DigestForm theirs = DigestForm.fromBytes(body.getBytes());
                                  intact = theirs.intact();
                                  progress = theirs.progress();
                                  return new Pull.Event.Compared(
                                      slots(store.digest(host, fine, coarse, until)),
                                      slots(theirs.slots()));
                                },
                                false));
              })
          .compose(this::on);
    }

    private SortedMap<Long, Pull.Slot> slots(SortedMap<Long, Digests.Slot> found) {
      SortedMap<Long, Pull.Slot> slots = new TreeMap<>();
      found.forEach(
          (at, slot) -> slots.put(at, new Pull.Slot(slot.to(), slot.count(), slot.hash())));
      return slots;
    }

    private Future<PullResult> fetch(Pull.Effect.Fetch range) {
      String query = "samples?from=" + range.from() + "&to=" + range.to();
      return ask(from, path(host, query))
          .compose(
              answer -> {
                long next = Long.parseLong(answer.headers().get(PeerRoute.NEXT));
                return answer.body().length() == 0
                    ? on(new Pull.Event.Taken(next))
                    : merge(answer.body(), next);
              });
    }

    private Future<PullResult> merge(Buffer page, long next) {
      return Future.fromCompletionStage(intake.merge(host, page.getBytes()))
          .compose(merged -> on(merged ? new Pull.Event.Taken(next) : new Pull.Event.Failed()));
    }

    /** Fetches the blocks as they are of a host of which nothing is here. */
    private Future<Void> installBlocks() {
      return get(from, path(host, "blocks"))
          .compose(
              names -> {
                Future<Void> all = Future.succeededFuture();
                List<String> lines =
                    names.toString().lines().filter(name -> !name.isBlank()).toList();
                for (String name : lines) {
                  all = all.compose(none -> fetchBlock(name));
                }
                return lines.isEmpty()
                    ? all
                    : all.compose(none -> Future.fromCompletionStage(intake.install(host)))
                        .mapEmpty();
              });
    }

    private Future<Void> fetchBlock(String name) {
      // Only the last part of a name: it comes from outside.
      return fetch(name, store.folder(host).resolve(Path.of(name).getFileName())).mapEmpty();
    }

    private Future<Path> fetch(String name, Path file) {
      return get(from, path(host, "blocks/" + name))
          .compose(
              bytes ->
                  workers.executeBlocking(
                      () -> {
                        BlockFolder.put(file, ByteBuffer.wrap(bytes.getBytes()));
                        return file;
                      },
                      false));
    }

    /**
     * Fetches blocks in place of those that are damaged here: those that the other gateway has of
     * the same time.
     */
    private Future<Void> replaceDamagedBlocks() {
      List<String> damaged = store.damagedBlocks(host);
      if (damaged.isEmpty()) {
        return Future.succeededFuture();
      }
      return get(from, path(host, "blocks"))
          .compose(
              names -> {
                Future<Void> all = Future.succeededFuture();
                for (String name : names.toString().lines().filter(damaged::contains).toList()) {
                  all = all.compose(none -> replace(name).otherwise(why -> stays(name, why)));
                }
                return all;
              })
          .otherwise(why -> stays("all", why));
    }

    private Void stays(String name, Throwable why) {
      LOG.debug("of host {} damaged blocks stay ({}): {}", host, name, why.getMessage());
      return null;
    }

    private Future<Void> replace(String name) {
      return fetch(name, BlockFolder.unfinished(store.folder(host).resolve(name)))
          .compose(
              file ->
                  workers.executeBlocking(
                      () -> {
                        Store.checkBlock(file);
                        return file;
                      },
                      false))
          .compose(file -> Future.fromCompletionStage(intake.replaceBlock(host, file, name)))
          .mapEmpty();
    }
  }
}
