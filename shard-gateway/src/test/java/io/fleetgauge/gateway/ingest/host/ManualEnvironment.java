package io.fleetgauge.gateway.ingest.host;

import io.fleetgauge.cluster.table.ClusterView;
import io.fleetgauge.cluster.table.Holders;
import io.fleetgauge.cluster.table.Holders.Admission;
import io.fleetgauge.cluster.table.OwnershipTable;
import io.fleetgauge.cluster.table.Situation.Report;
import io.fleetgauge.gateway.store.HostWriter;
import io.fleetgauge.gateway.store.Lane;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What surrounds the hosts of gateway {@code self} in a test. Nothing happens by itself: the test
 * moves the clock, gives tables, lets the journal write and answers for the other gateways.
 */
final class ManualEnvironment extends MemoryEnvironment {
  static final String HOST = "n1";

  /** A record that the journal has taken and not yet written. */
  record Append(String host, byte[] record, boolean forced, Consumer<Boolean> done) {}

  final Queue<Append> journal = new ArrayDeque<>();
  final ManualPeers peers = new ManualPeers();
  final Queue<ManualPeers.SentCopy> copies = peers.copies;
  final Queue<ManualPeers.StartedPull> pulls = peers.pulls;
  final Queue<ManualPeers.SentOffer> offers = peers.offers;
  final List<Report> reports = new ArrayList<>();
  final List<String> registered = new ArrayList<>();
  final List<Admission> admissions = new ArrayList<>();

  private final Queue<Runnable> lane = new ArrayDeque<>();
  private final ClusterAccess cluster;
  private ClusterView view = ClusterView.EMPTY;
  private long now = 1_000_000;

  /** The newest segment of the journal. */
  long segment = 1;

  ManualEnvironment(String self, int replication) {
    super(HostWriter.limits(1_000));
    this.isRecovered = true;
    this.cluster =
        new ClusterAccess(
            self,
            replication,
            () -> view,
            (host, admission) -> {
              registered.add(host);
              admissions.add(admission);
            },
            (host, report) -> reports.add(report),
            peers);
  }

  static URI address(String gateway) {
    return URI.create("http://" + gateway + ":9500");
  }

  /** A copy that the table calls not synced. */
  static Holders.Copy copy(String gateway, long since) {
    return new Holders.Copy(gateway, since, false);
  }

  static Holders holders(String owner, long since, Holders.Copy... copies) {
    return new Holders(owner, since, Set.of(), List.of(copies), Optional.empty());
  }

  /** Holders whose owner may lack what these gateways acknowledged. */
  static Holders behind(Holders holders, String... gateways) {
    return new Holders(
        holders.owner(), holders.since(), Set.of(gateways), holders.copies(), holders.next());
  }

  /** A new table for {@link #HOST}; g1, g2 and g3 are present. */
  void table(long epoch, Holders holders) {
    table(epoch, holders, "g1", "g2", "g3");
  }

  void table(long epoch, Holders holders, String... present) {
    tables(epoch, Map.of(HOST, holders), present);
  }

  /** A new table without {@link #HOST}, which an operator removed at this time. */
  void removed(long epoch, long at) {
    tables(epoch, Map.of(), Map.of(HOST, at), "g1", "g2", "g3");
  }

  void tables(long epoch, Map<String, Holders> holders, String... present) {
    tables(epoch, holders, Map.of(), present);
  }

  private void tables(
      long epoch, Map<String, Holders> holders, Map<String, Long> removals, String... present) {
    Map<String, URI> gateways = new HashMap<>();
    for (String gateway : present) {
      gateways.put(gateway, address(gateway));
    }
    view =
        new ClusterView(
            new OwnershipTable(
                1,
                epoch,
                List.of("g1", "g2", "g3"),
                new TreeMap<>(),
                new TreeMap<>(holders),
                new TreeMap<>(removals)),
            gateways,
            false);
  }

  HostIntake host() {
    return new HostIntake(HOST, lane(HOST), this, false, at -> {});
  }

  Lane lane(String host) {
    return store.lane(host);
  }

  /** Whether a query at this time names the host as incomplete. */
  boolean namesAGap() {
    return lane(HOST).missing().hasLost(0, now);
  }

  void pass(long millis) {
    now += millis;
  }

  /** Runs what waits for the lane's thread. */
  void runLane() {
    while (!lane.isEmpty()) {
      lane.remove().run();
    }
  }

  /** The journal has written its oldest record, or could not. */
  void journalWrites(boolean written) {
    journal.remove().done().accept(written);
    runLane();
  }

  /** Another gateway answers the oldest message to a copy. */
  void copyAnswers(Peers.CopyAnswer answer) {
    copies.remove().answer().accept(answer);
    runLane();
  }

  /** The oldest pull ends. */
  void pullEnds(Peers.PullResult pulled) {
    pulls.remove().done().accept(pulled);
    runLane();
  }

  /** A body of one tick. */
  static byte[] body(FrameEncoder run, long time) {
    return run.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), time).at(time));
  }

  static byte[] join(byte[]... frames) {
    WireWriter body = new WireWriter(256);
    for (byte[] frame : frames) {
      body.raw(frame, 0, frame.length);
    }
    return body.toBytes();
  }

  // --- what the host asks for ---

  @Override
  public ClusterAccess cluster() {
    return cluster;
  }

  @Override
  public void onLane(Runnable work) {
    lane.add(work);
  }

  @Override
  public long segment() {
    return segment;
  }

  @Override
  protected void write(String host, byte[] record, boolean forced, Consumer<Boolean> done) {
    journal.add(new Append(host, record, forced, done));
  }

  @Override
  public long clock() {
    return now;
  }

  @Override
  public long steadyMillis() {
    return now;
  }
}
