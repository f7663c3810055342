package io.fleetgauge.gateway.ingest.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.ingest.host.Peers.CopyAnswer;
import io.fleetgauge.gateway.ingest.host.Peers.PullResult;
import io.fleetgauge.gateway.replication.Pull;
import io.fleetgauge.gateway.replication.ReplicaReply;
import io.fleetgauge.gateway.store.HostPage;
import io.fleetgauge.gateway.store.read.MissingTimes;
import io.fleetgauge.sample.Labels;
import io.fleetgauge.sample.Tick;
import io.fleetgauge.sample.frame.FrameEncoder;
import io.fleetgauge.sample.frame.IntakeAnswer;
import io.fleetgauge.sample.wire.WireWriter;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * The laws of {@link Peers}. Three gateways run: one owns {@link #HOST}, one is its replica, one
 * does not hold it.
 */
public abstract class PeersContract {
  protected static final String HOST = "n1";

  private static final long RUN = 7;

  /** Later than every session that the owner begins by itself. */
  private static final long SESSION = Long.MAX_VALUE / 2;

  private final FrameEncoder run = new FrameEncoder(HOST, RUN);

  /** The id of the owner. */
  protected abstract String owner();

  protected abstract String replica();

  protected abstract String bystander();

  protected abstract URI address(String gateway);

  /** An address at which no gateway answers. */
  protected abstract URI nobody();

  /** What a gateway asks the others with. */
  protected abstract Peers peers(String gateway);

  /** The epoch of the table that all gateways know. */
  protected abstract long epoch();

  /** A time that the gateways take samples of, ms since the epoch. */
  protected abstract long now();

  /** Sends a body to the owner, as a probe does. */
  protected abstract void take(byte[] body, Consumer<IntakeAnswer> answer);

  /** Puts a page of samples into a gateway. */
  protected abstract void merge(String gateway, byte[] page, Consumer<Boolean> kept);

  /** The times of the host's samples on a gateway. */
  protected abstract TreeSet<Long> times(String gateway);

  /** Makes a request and waits for its answer. */
  protected abstract <T> T answer(Consumer<Consumer<T>> request);

  @Test
  protected void aReplicaConfirmsWhatItsOwnerSends() {
    assertThat(send(owner(), 1, 0)).isEqualTo(CopyAnswer.of(ReplicaReply.KEPT));
    byte[] body = tick(0);
    assertThat(send(owner(), 1, 1, body).reply()).isIn(ReplicaReply.KEPT, ReplicaReply.WHOLE);
    assertThat(send(owner(), 1, 1, body).reply())
        .as("the same body again")
        .isIn(ReplicaReply.KEPT, ReplicaReply.WHOLE);
    assertThat(send(owner(), 3, 1, tick(1))).isEqualTo(CopyAnswer.of(ReplicaReply.BROKEN));
  }

  @Test
  protected void aReplicaAsksForTheDictionaryThatItLacks() {
    tick(0);
    byte[] second = tick(1);
    assertThat(send(owner(), 1, 1, second)).isEqualTo(CopyAnswer.wants(RUN));
    byte[] dictionary = run.dictionary();
    byte[] both =
        new WireWriter(256)
            .raw(dictionary, 0, dictionary.length)
            .raw(second, 0, second.length)
            .toBytes();
    assertThat(send(owner(), 1, 1, both).reply()).isIn(ReplicaReply.KEPT, ReplicaReply.WHOLE);
  }

  @Test
  protected void aGatewayThatDoesNotOwnTheHostIsAStranger() {
    assertThat(send(bystander(), 1, 1, tick(0))).isEqualTo(CopyAnswer.of(ReplicaReply.STRANGER));
    assertThat(times(replica())).isEmpty();
  }

  @Test
  protected void aRequestThatNobodyAnswersHasFailed() {
    Peers peers = peers(owner());
    assertThat(
            this.<CopyAnswer>answer(
                done -> peers.copy(nobody(), message(owner(), 1, 1, tick(0)), done)))
        .isEqualTo(CopyAnswer.of(ReplicaReply.FAILED));
    assertThat(this.<PullResult>answer(done -> peers.pull(nobody(), HOST, done)))
        .isEqualTo(PullResult.FAILED);
    assertThat(this.<Boolean>answer(done -> peers.offer(nobody(), HOST, owner(), done))).isFalse();
  }

  @Test
  protected void aPullBringsAllThatTheOtherGatewayHas() {
    TreeSet<Long> sent = fillOwner(3);
    assertThat(times(bystander())).isEmpty();
    PullResult all = pull(bystander(), owner());
    assertThat(all.equal()).isTrue();
    assertThat(all.intact()).isTrue();
    assertThat(all.progress()).isEqualTo(Map.of(RUN, RunProgress.upTo(3)));
    for (long time : sent) {
      assertThat(all.restores(new MissingTimes.Range(time, time + 1))).isTrue();
    }
    assertThat(all.restores(new MissingTimes.Range(0, 1))).as("nobody has any").isFalse();
    assertThat(times(bystander())).isEqualTo(sent);
    assertThat(pull(bystander(), owner()))
        .as("again")
        .extracting(PullResult::equal)
        .isEqualTo(true);
  }

  @Test
  protected void aPullBringsOnlyWhatWasMissingToOneThatHasMore() {
    TreeSet<Long> sent = fillOwner(3);
    long own = now() - 100_000;
    mergeTick(bystander(), own);
    PullResult pulled = pull(bystander(), owner());
    assertThat(pulled.done()).isTrue();
    assertThat(pulled.equal()).as("the owner lacks a tick").isFalse();
    sent.add(own);
    assertThat(times(bystander())).isEqualTo(sent);
  }

  @Test
  protected void aPullFromOneThatHasNothingIsDone() {
    TreeSet<Long> sent = fillOwner(2);
    PullResult pulled = pull(owner(), bystander());
    assertThat(pulled.done()).isTrue();
    assertThat(pulled.equal()).isFalse();
    assertThat(pulled.restores(new MissingTimes.Range(sent.first(), sent.first() + 1))).isFalse();
    assertThat(times(owner())).isEqualTo(sent);
  }

  @Test
  protected void manyPullsAtOnceAllEnd() {
    List<PullResult> ended =
        this.<List<PullResult>>answer(
            done -> {
              List<PullResult> all = new ArrayList<>();
              for (int i = 0; i < 12; i++) {
                peers(bystander())
                    .pull(
                        address(owner()),
                        "unknown-" + i,
                        pulled -> {
                          synchronized (all) {
                            all.add(pulled);
                            if (all.size() == 12) {
                              done.accept(List.copyOf(all));
                            }
                          }
                        });
              }
            });
    assertThat(ended).containsOnly(new PullResult(true, Pull.Comparison.NOTHING, true, Map.of()));
  }

  @Test
  protected void anOwnerFetchesWhatIsOfferedToIt() {
    TreeSet<Long> sent = fillOwner(2);
    long more = now() - 100_000;
    mergeTick(bystander(), more);
    assertThat(offer(owner())).isTrue();
    sent.add(more);
    assertThat(times(owner())).isEqualTo(sent);
  }

  @Test
  protected void aGatewayThatDoesNotOwnTheHostAcceptsNoOffer() {
    mergeTick(bystander(), now());
    assertThat(offer(replica())).isFalse();
    assertThat(times(replica())).isEmpty();
  }

  private PullResult pull(String to, String from) {
    return answer(done -> peers(to).pull(address(from), HOST, done));
  }

  private boolean offer(String to) {
    return this.<Boolean>answer(
        done -> peers(bystander()).offer(address(to), HOST, bystander(), done));
  }

  /** The owner keeps so many ticks. */
  private TreeSet<Long> fillOwner(int count) {
    TreeSet<Long> times = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      byte[] body = tick(i);
      assertThat(this.<IntakeAnswer>answer(done -> take(body, done)))
          .isEqualTo(new IntakeAnswer.Kept(RUN, i + 1));
      times.add(timeOf(i));
    }
    return times;
  }

  private void mergeTick(String gateway, long time) {
    byte[] page = tick(new FrameEncoder(HOST, HostPage.RUN), time);
    assertThat(this.<Boolean>answer(done -> merge(gateway, page, done))).isTrue();
  }

  private CopyAnswer send(String from, long number, int count, byte... frames) {
    return answer(
        done -> peers(from).copy(address(replica()), message(from, number, count, frames), done));
  }

  private Peers.Copy message(String from, long number, int count, byte... frames) {
    return new Peers.Copy(HOST, epoch(), from, SESSION, number, count, frames);
  }

  private long timeOf(int i) {
    return now() - 60_000 + 1_000L * i;
  }

  private byte[] tick(int i) {
    return tick(run, timeOf(i));
  }

  private static byte[] tick(FrameEncoder encoder, long time) {
    return encoder.encode(new Tick.Builder().add(Labels.of(Labels.NAME, "m"), time).at(time));
  }
}
