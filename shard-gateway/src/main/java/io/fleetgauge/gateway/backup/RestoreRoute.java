package io.fleetgauge.gateway.backup;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.gateway.ingest.Intake;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.gateway.store.Store;
import io.fleetgauge.gateway.store.block.Block;
import io.fleetgauge.gateway.store.block.BlockCounts;
import io.fleetgauge.gateway.store.block.BlockFolder;
import io.fleetgauge.gateway.store.block.DamagedBlock;
import io.fleetgauge.gateway.usage.UsageFile;
import io.fleetgauge.runtime.http.Guard;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.files.PrivateFiles;
import io.fleetgauge.sample.frame.Frame;
import io.fleetgauge.sample.frame.FrameDecoder;
import io.fleetgauge.sample.frame.IntakeProtocol;
import io.fleetgauge.sample.frame.RunDictionary;
import io.fleetgauge.sample.wire.WireException;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes in what a backup has of a host, as the package draws it. */
public final class RestoreRoute {
  private static final Logger LOG = LoggerFactory.getLogger(RestoreRoute.class);
  static final String SHA256 = "X-Fleetgauge-Sha256";

  private static final String SERIES = "/v1/restore/series";
  private static final String PATH = "/v1/restore/hosts/:host";

  /** Below the folder of blocks that wait; no host has a folder of this name. */
  private static final String PAGES = "~pages";

  private static final int MAX_BLOCK_BYTES = 256 << 20;
  private static final int MAX_PAGE_BYTES = 64 << 20;
  private static final int MERGE_BYTES = 1 << 20;

  private final WorkerExecutor workers;
  private final Path staging;
  private final Store store;
  private final Intake intake;
  private final Supplier<ClusterView> view;
  private final HostRegister register;
  private final Function<Labels, Optional<Labels>> relabel;
  private final Function<Labels, String> hostOf;
  private final String self;
  private final LongSupplier clock;
  private final BlockChecks checks = new BlockChecks();

  /** Makes a host known to the cluster, so that it gets an owner. */
  @FunctionalInterface
  public interface HostRegister {
    void register(String host, Admission admission);
  }

  /**
   * Decides what becomes of restored series.
   *
   * @param register makes a host known to the cluster
   * @param relabel gives the labels under which a series is stored; none if it is not
   * @param hostOf names the host of a series
   */
  public record Placing(
      HostRegister register,
      Function<Labels, Optional<Labels>> relabel,
      Function<Labels, String> hostOf) {}

  /** A request that is not carried out; the message says why. */
  private static final class RefusedRequest extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    RefusedRequest(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  RestoreRoute(WorkerExecutor workers, BackedUpStore into, Placing placing, LongSupplier clock) {
    this.clock = clock;
    this.workers = workers;
    this.staging = into.folder().resolve("restore");
    this.store = into.store();
    this.intake = into.intake();
    this.view = into.view();
    this.self = into.gateway();
    this.register = placing.register;
    this.relabel = placing.relabel;
    this.hostOf = placing.hostOf;
  }

  void mount(Router router, Guard guard) {
    try {
      PrivateFiles.delete(staging.resolve(PAGES)); // what was left when the gateway was killed
    } catch (IOException e) {
      LOG.warn("{} cannot be removed: {}", staging.resolve(PAGES), e.toString());
    }
    Guard.readBody(router.post(SERIES).handler(guard.needsPeer()), MAX_PAGE_BYTES)
        .handler(http -> work(http, () -> series(http)));
    router.post(PATH).handler(guard.needsPeer()).handler(http -> work(http, () -> begin(http)));
    router
        .get(PATH + "/blocks")
        .handler(guard.needsPeer())
        .handler(http -> work(http, () -> blocks(host(http))));
    Guard.readBody(router.put(PATH + "/blocks/:name").handler(guard.needsPeer()), MAX_BLOCK_BYTES)
        .handler(http -> work(http, () -> keep(http)));
    router
        .post(PATH + "/blocks")
        .handler(guard.needsPeer())
        .handler(http -> work(http, () -> takeBlocks(host(http))));
    Guard.readBody(router.put(PATH + "/usage/:name").handler(guard.needsPeer()), MAX_PAGE_BYTES)
        .handler(http -> work(http, () -> takeUsage(http)));
    Guard.readBody(router.post(PATH + "/samples").handler(guard.needsPeer()), MAX_PAGE_BYTES)
        .handler(http -> work(http, () -> takePage(http)));
    router
        .post(PATH + "/end")
        .handler(guard.needsPeer())
        .handler(http -> work(http, () -> end(host(http))));
  }

  private static String host(RoutingContext http) {
    return IntakeProtocol.host(http.pathParam("host"));
  }

  private void work(RoutingContext http, Callable<JsonObject> work) {
    workers
        .executeBlocking(work, false)
        .onSuccess(json -> BackupRoute.json(http, json.containsKey("wait") ? 202 : 200, json))
        .onFailure(
            failure ->
                BackupRoute.text(
                    http,
                    failure instanceof RefusedRequest refused ? refused.status : 503,
                    failure instanceof RefusedRequest
                        ? failure.getMessage()
                        : String.valueOf(failure)));
  }

  private JsonObject series(RoutingContext http) throws RefusedRequest {
    try {
      JsonArray series = new JsonArray();
      for (Object each : http.body().asJsonObject().getJsonArray("series")) {
        Map<String, String> labels = new TreeMap<>();
        ((JsonObject) each).forEach(label -> labels.put(label.getKey(), "" + label.getValue()));
        Optional<Labels> relabelled = relabel.apply(Labels.of(labels));
        if (relabelled.isEmpty()) {
          series.addNull();
        } else {
          JsonObject its = new JsonObject();
          Labels all = relabelled.get();
          for (int i = 0; i < all.size(); i++) {
            its.put(all.name(i), all.value(i));
          }
          series.add(new JsonObject().put("host", hostOf.apply(all)).put("labels", its));
        }
      }
      return new JsonObject().put("series", series);
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      throw new RefusedRequest(
          400, "the body is not {\"series\": [{NAME: VALUE}]}: " + e.getMessage());
    }
  }

  private JsonObject begin(RoutingContext http) throws RefusedRequest {
    String host = host(http);
    String problem = IntakeProtocol.hostProblem(host);
    if (!problem.isEmpty()) {
      throw new RefusedRequest(400, problem);
    }
    ClusterView now = view.get();
    Optional<Holders> holders = now.table().holders(host);
    if (holders.isEmpty() || !now.gateways().containsKey(holders.get().owner())) {
      String tenant = http.request().getParam("tenant");
      String admitted = http.request().getParam("admitted");
      try {
        register.register(
            host,
            new Admission(
                tenant == null ? "" : tenant, admitted == null ? 0 : Long.parseLong(admitted)));
      } catch (NumberFormatException e) {
        throw new RefusedRequest(400, "admitted is not a number: " + admitted);
      }
      return new JsonObject().put("wait", true);
    }
    JsonObject addresses = new JsonObject();
    String owner = holders.get().owner();
    addresses.put(owner, now.gateways().get(owner).toString());
    for (Holders.Copy copy : holders.get().copies()) {
      URI address = now.gateways().get(copy.gateway());
      if (address != null) {
        addresses.put(copy.gateway(), address.toString());
      }
    }
    return new JsonObject().put("owner", owner).put("holders", addresses);
  }

  /** Fails if this gateway is not to have the host. */
  private void requireHolder(String host) throws RefusedRequest {
    Optional<Holders> holders = view.get().table().holders(host);
    if (holders.isEmpty()
        || !holders.get().owner().equals(self) && holders.get().copyOn(self).isEmpty()) {
      throw new RefusedRequest(
          409, "gateway " + self + " is not a holder of host " + host + " (any more)");
    }
    if (!intake.isRecovered()) {
      throw new RefusedRequest(
          503, "what gateway " + self + " had before its start is being loaded");
    }
  }

  private JsonObject blocks(String host) throws IOException {
    JsonObject found = new JsonObject();
    for (Path file : store.blockFiles(host)) {
      try {
        found.put(file.getFileName().toString(), checks.of(file));
      } catch (DamagedBlock | NoSuchFileException e) {
        found.remove(file.getFileName().toString());
      }
    }
    return found;
  }

  private JsonObject keep(RoutingContext http) throws RefusedRequest, IOException {
    String host = host(http);
    String name = http.pathParam("name");
    requireHolder(host);
    byte[] body = http.body().buffer() == null ? new byte[0] : http.body().buffer().getBytes();
    String expected = http.request().getHeader(SHA256);
    if (!BlockChecks.sha256(body).equals(expected)) {
      throw new RefusedRequest(
          400,
          "the block "
              + name
              + " of host "
              + host
              + " does not have the SHA-256 "
              + expected
              + " that the request names");
    }
    // Only the last part of a name: it comes from outside.
    Path file =
        BlockFolder.unfinished(BlockFolder.of(staging, host).resolve(Path.of(name).getFileName()));
    BlockFolder.put(file, ByteBuffer.wrap(body));
    try {
      Block.check(file);
      Block block = Block.open(file, new BlockCounts()).block();
      if (!block.host().equals(host) || !BlockFolder.name(block.from(), block.to()).equals(name)) {
        throw new DamagedBlock(
            "the block "
                + name
                + " is one of host "
                + block.host()
                + " with the name "
                + BlockFolder.name(block.from(), block.to()));
      }
    } catch (DamagedBlock e) {
      Files.deleteIfExists(file);
      throw new RefusedRequest(400, e.getMessage());
    }
    Files.move(
        file,
        file.resolveSibling(name),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    return new JsonObject().put("kept", name);
  }

  private JsonObject takeBlocks(String host)
      throws RefusedRequest, IOException, InterruptedException, ExecutionException {
    requireHolder(host);
    Path folder = BlockFolder.of(staging, host);
    List<Path> files = BlockFolder.blocks(folder);
    List<Store.Adoption> adoptions = files.isEmpty() ? List.of() : intake.adopt(host, files).get();
    Map<Store.Adoption, Integer> counts = new EnumMap<>(Store.Adoption.class);
    boolean merges = false;
    for (int i = 0; i < files.size(); i++) {
      counts.merge(adoptions.get(i), 1, Integer::sum);
      if (adoptions.get(i) == Store.Adoption.TO_MERGE) {
        merges = true;
      } else {
        Files.deleteIfExists(files.get(i));
      }
    }
    if (merges) {
      merge(host);
      for (Path file : BlockFolder.blocks(folder)) {
        Files.delete(file);
      }
    }
    Files.deleteIfExists(folder);
    return new JsonObject()
        .put("adopted", counts.getOrDefault(Store.Adoption.ADOPTED, 0))
        .put("known", counts.getOrDefault(Store.Adoption.KNOWN, 0))
        .put("united", counts.getOrDefault(Store.Adoption.UNITED, 0))
        .put("merged", counts.getOrDefault(Store.Adoption.TO_MERGE, 0));
  }

  /** Takes in the samples of the blocks that wait, page by page. */
  private void merge(String host)
      throws RefusedRequest, IOException, InterruptedException, ExecutionException {
    Store waiting = store.ofBackup(staging);
    waiting.restore(host);
    long at = Long.MIN_VALUE;
    while (at < Long.MAX_VALUE) {
      HostPage page = waiting.export(host, at, Long.MAX_VALUE, MERGE_BYTES);
      if (page.frames().length > 0 && !intake.merge(host, page.frames()).get()) {
        throw new RefusedRequest(
            503, "samples of host " + host + " are not accepted: the journal cannot be written");
      }
      at = page.next();
    }
  }

  private JsonObject takeUsage(RoutingContext http) throws RefusedRequest, IOException {
    String host = host(http);
    requireHolder(host);
    byte[] file = http.body().buffer() == null ? new byte[0] : http.body().buffer().getBytes();
    String expected = http.request().getHeader(SHA256);
    if (!BlockChecks.sha256(file).equals(expected)) {
      throw new RefusedRequest(
          400, "the file does not have the SHA-256 " + expected + " that the request names");
    }
    try {
      boolean isTaken = store.usage().take(host, http.pathParam("name"), file, clock.getAsLong());
      return new JsonObject().put("taken", isTaken);
    } catch (UsageFile.DamagedUsage e) {
      throw new RefusedRequest(400, e.getMessage());
    }
  }

  private JsonObject takePage(RoutingContext http)
      throws RefusedRequest, IOException, InterruptedException, ExecutionException {
    String host = host(http);
    requireHolder(host);
    byte[] page = http.body().buffer() == null ? new byte[0] : http.body().buffer().getBytes();
    String expected = http.request().getHeader(SHA256);
    if (!BlockChecks.sha256(page).equals(expected)) {
      throw new RefusedRequest(
          400, "the page does not have the SHA-256 " + expected + " that the request names");
    }
    List<Tick> ticks = ticks(host, page);
    boolean isOwner = view.get().table().owner(host).filter(self::equals).isPresent();
    long refused = refusedBefore(host);
    long before;
    do {
      before = refused;
      takeAsBlock(host, ticks, before);
      if (isOwner && !intake.merge(host, page).get()) {
        throw new RefusedRequest(
            503, "samples of host " + host + " are not accepted: the journal cannot be written");
      }
      refused = refusedBefore(host);
      // Meanwhile some of the time may have been written to a block.
    } while (refused != before);
    return new JsonObject();
  }

  private long refusedBefore(String host) throws InterruptedException, ExecutionException {
    return intake
        .look(host, none -> store.find(host).map(Lane::refusedBefore).orElse(Long.MIN_VALUE))
        .get();
  }

  /** Takes in the ticks before a time, which is in blocks here. */
  private void takeAsBlock(String host, List<Tick> ticks, long before)
      throws IOException, InterruptedException, ExecutionException {
    List<Tick> old = ticks.stream().filter(tick -> tick.time() < before).toList();
    if (old.isEmpty()) {
      return;
    }
    Path folder = staging.resolve(PAGES).resolve(UUID.randomUUID().toString());
    try {
      intake.adopt(host, List.of(store.block(host, old, folder))).get();
    } finally {
      PrivateFiles.delete(folder);
    }
  }

  /** Reads all of a page before any of it is taken in. */
  private static List<Tick> ticks(String host, byte[] page) throws RefusedRequest {
    try {
      List<Tick> ticks = new ArrayList<>();
      RunDictionary dictionary = new RunDictionary(Long.MAX_VALUE);
      FrameDecoder decoder = new FrameDecoder(page);
      while (decoder.hasNext()) {
        Frame frame = decoder.next();
        if (!frame.host().equals(host)) {
          throw new WireException(
              "it has a frame of host " + frame.host() + ", not of host " + host);
        }
        if (frame.run() != IntakeProtocol.PAGE_RUN) {
          throw new WireException("it has a frame of run " + frame.run() + ", which is a sender's");
        }
        dictionary.add(frame);
        if (frame instanceof Frame.Tick tick) {
          List<Labels> series = IntStream.of(tick.ids()).mapToObj(dictionary::series).toList();
          ticks.add(new Tick(tick.time(), series, tick.values(), tick.histograms()));
        }
      }
      ticks.sort(Comparator.comparingLong(Tick::time));
      return ticks;
    } catch (WireException e) {
      throw new RefusedRequest(400, "the page cannot be read: " + e.getMessage());
    }
  }

  private JsonObject end(String host)
      throws RefusedRequest, InterruptedException, ExecutionException {
    requireHolder(host);
    // Pages that came while it did not own the host are not in its memory: they are sent again.
    if (view.get().table().owner(host).filter(self::equals).isEmpty()) {
      throw new RefusedRequest(
          409, "gateway " + self + " does not own host " + host + " (any more)");
    }
    intake.restored(host).get();
    return new JsonObject();
  }
}
