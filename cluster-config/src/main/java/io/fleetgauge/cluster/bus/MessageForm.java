package io.fleetgauge.cluster.bus;

import io.fleetgauge.cluster.bus.BusMessage.BudgetGrants;
import io.fleetgauge.cluster.bus.BusMessage.BudgetUse;
import io.fleetgauge.cluster.bus.BusMessage.CancelAsked;
import io.fleetgauge.cluster.bus.BusMessage.CancelTold;
import io.fleetgauge.cluster.bus.BusMessage.HeardPeer;
import io.fleetgauge.cluster.bus.BusMessage.Leaving;
import io.fleetgauge.cluster.bus.BusMessage.QueriesAsked;
import io.fleetgauge.cluster.bus.BusMessage.QueriesTold;
import io.fleetgauge.cluster.bus.BusMessage.TableChanged;
import io.fleetgauge.cluster.bus.BusMessage.TenantsChanged;
import io.fleetgauge.cluster.bus.BusMessage.UsageGrants;
import io.fleetgauge.cluster.bus.BusMessage.UsageReport;
import io.fleetgauge.sample.wire.WireException;
import io.fleetgauge.sample.wire.WireReader;
import io.fleetgauge.sample.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The form of a message.
 *
 * <pre>
 * envelope = version:u8 (2)  name:string  started:u64  life:u64  sequence:uvar  sent:u64  message
 * message  = kind:u8 body
 *   1 table changed    epoch:uvar
 *   2 tenants changed  (empty)
 *   3 usage report     clock:uvar dealer:u64 applied:uvar
 *                      n:uvar (key:string demand:uvar running:uvar allowed:uvar)*n
 *   4 usage grants     version:uvar p:uvar (life:u64 clock:uvar)*p
 *                      n:uvar (key:string share:uvar*p)*n
 *   5 queries asked    request:uvar
 *   6 queries told     request:uvar n:uvar (id:uvar tenant:string text:string state:string
 *                      millis:uvar series:uvar samples:uvar)*n
 *   7 cancel asked     request:uvar query:uvar askedBy:string
 *   8 cancel told      request:uvar found:u8
 *   9 leaving          (empty)
 * </pre>
 *
 * <p>A reader refuses other versions and kinds, and bytes behind the message. {@link MessageSeal}
 * adds the proof of origin.
 */
final class MessageForm {
  /** Most tenants in one report; those beyond keep an even share. */
  static final int MAX_BUDGETS = 2_000;

  /** Most query APIs that one set of grants names. */
  static final int MAX_PEERS = 200;

  /** Most queries in one answer. */
  static final int MAX_QUERIES = 200;

  static final int VERSION = 2;

  private static final int MAX_NAME = 300;
  private static final int MAX_COUNT = 1_000_000;

  private MessageForm() {}

  /**
   * A message with its sender.
   *
   * @param sequence rises with every message of this life of the sender
   * @param sent when it was sent, ms since the epoch by the sender's clock
   */
  record Envelope(Peer sender, long sequence, long sent, BusMessage message) {}

  static byte[] toBytes(Envelope envelope) {
    WireWriter out = new WireWriter(256);
    out.u8(VERSION)
        .string(envelope.sender().name())
        .u64(envelope.sender().started())
        .u64(envelope.sender().life())
        .uvar(envelope.sequence())
        .u64(envelope.sent());
    write(out, envelope.message());
    return out.toBytes();
  }

  private static void write(WireWriter out, BusMessage message) {
    switch (message) {
      case TableChanged changed -> out.u8(1).uvar(changed.epoch());
      case TenantsChanged changed -> out.u8(2);
      case UsageReport report -> {
        out.u8(3).uvar(report.clock()).u64(report.dealer()).uvar(report.applied());
        out.uvar(report.budgets().size());
        for (BudgetUse use : report.budgets()) {
          out.string(use.key()).uvar(use.demand()).uvar(use.running()).uvar(use.allowed());
        }
      }
      case UsageGrants grants -> {
        out.u8(4).uvar(grants.version()).uvar(grants.peers().size());
        for (HeardPeer peer : grants.peers()) {
          out.u64(peer.life()).uvar(peer.clock());
        }
        out.uvar(grants.budgets().size());
        for (BudgetGrants budget : grants.budgets()) {
          out.string(budget.key());
          budget.shares().forEach(out::uvar);
        }
      }
      case QueriesAsked asked -> out.u8(5).uvar(asked.request());
      case QueriesTold told -> {
        out.u8(6).uvar(told.request()).uvar(told.queries().size());
        for (RemoteQuery query : told.queries()) {
          out.uvar(query.id()).string(query.tenant()).string(query.text()).string(query.state());
          out.uvar(query.millis()).uvar(query.series()).uvar(query.samples());
        }
      }
      case CancelAsked asked ->
          out.u8(7).uvar(asked.request()).uvar(asked.query()).string(asked.askedBy());
      case CancelTold told -> out.u8(8).uvar(told.request()).u8(told.found() ? 1 : 0);
      case Leaving leaving -> out.u8(9);
    }
  }

  /**
   * @throws WireException if the bytes are not a message, or one of another version
   */
  static Envelope fromBytes(byte[] bytes) throws WireException {
    WireReader in = new WireReader(bytes);
    int version = in.u8("a message's version");
    if (version != VERSION) {
      throw new WireException("a message has version " + version + "; readable is " + VERSION);
    }
    Peer sender =
        new Peer(
            name(in, "a sender's name"), in.u64("a sender's start"), in.u64("a sender's life"));
    long sequence = in.uvar("a message's sequence");
    long sent = in.u64("a message's time");
    BusMessage message = message(in);
    in.end("a message");
    return new Envelope(sender, sequence, sent, message);
  }

  private static BusMessage message(WireReader in) throws WireException {
    int kind = in.u8("a message's kind");
    return switch (kind) {
      case 1 -> new TableChanged(in.uvar("an epoch"));
      case 2 -> new TenantsChanged();
      case 3 -> report(in);
      case 4 -> grants(in);
      case 5 -> new QueriesAsked(in.uvar("a request"));
      case 6 -> queries(in);
      case 7 ->
          new CancelAsked(in.uvar("a request"), in.uvar("a query's id"), name(in, "an asker"));
      case 8 -> new CancelTold(in.uvar("a request"), in.u8("an answer") == 1);
      case 9 -> new Leaving();
      default -> throw new WireException("a message has the unknown kind " + kind);
    };
  }

  private static UsageReport report(WireReader in) throws WireException {
    long clock = in.uvar("a clock");
    long dealer = in.u64("a dealer's life");
    long applied = in.uvar("a version of grants");
    List<BudgetUse> budgets = new ArrayList<>();
    for (int i = count(in, 4, MAX_BUDGETS, "budgets"); i > 0; i--) {
      budgets.add(
          new BudgetUse(
              name(in, "a budget's key"),
              in.uint(MAX_COUNT, "a demand"),
              in.uint(MAX_COUNT, "a number of running queries"),
              in.uint(MAX_COUNT, "a share")));
    }
    return new UsageReport(clock, dealer, applied, List.copyOf(budgets));
  }

  private static UsageGrants grants(WireReader in) throws WireException {
    long version = in.uvar("a version of grants");
    List<HeardPeer> peers = new ArrayList<>();
    for (int i = count(in, 9, MAX_PEERS, "query APIs"); i > 0; i--) {
      peers.add(new HeardPeer(in.u64("a life"), in.uvar("a clock")));
    }
    List<BudgetGrants> budgets = new ArrayList<>();
    for (int i = count(in, 1 + peers.size(), MAX_BUDGETS, "budgets"); i > 0; i--) {
      String key = name(in, "a budget's key");
      List<Integer> shares = new ArrayList<>(peers.size());
      for (int j = 0; j < peers.size(); j++) {
        shares.add(in.uint(MAX_COUNT, "a share"));
      }
      budgets.add(new BudgetGrants(key, List.copyOf(shares)));
    }
    return new UsageGrants(version, List.copyOf(peers), List.copyOf(budgets));
  }

  private static QueriesTold queries(WireReader in) throws WireException {
    long request = in.uvar("a request");
    List<RemoteQuery> queries = new ArrayList<>();
    for (int i = count(in, 7, MAX_QUERIES, "queries"); i > 0; i--) {
      queries.add(
          new RemoteQuery(
              in.uvar("a query's id"),
              name(in, "a tenant"),
              in.string("a query"),
              name(in, "a state"),
              in.uvar("a duration"),
              in.uvar("a number of series"),
              in.uvar("a number of samples")));
    }
    return new QueriesTold(request, List.copyOf(queries));
  }

  private static int count(WireReader in, int bytesEach, int most, String what)
      throws WireException {
    int count = in.count(bytesEach, what);
    if (count > most) {
      throw new WireException(count + " " + what + " in a message; at most " + most);
    }
    return count;
  }

  private static String name(WireReader in, String what) throws WireException {
    String name = in.string(what);
    if (name.length() > MAX_NAME) {
      throw new WireException(what + " has " + name.length() + " characters; at most " + MAX_NAME);
    }
    return name;
  }
}
