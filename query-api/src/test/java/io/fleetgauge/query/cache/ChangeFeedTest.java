package io.fleetgauge.query.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.query.fleet.Changes;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ChangeFeedTest {
  private final Versions versions = new Versions();
  private final AtomicLong epoch = new AtomicLong(1);
  private final List<Optional<Changes>> asked = new ArrayList<>();
  private final List<Promise<Changes>> answers = new ArrayList<>();
  private final ChangeFeed feed =
      new ChangeFeed(
          last -> {
            asked.add(last);
            answers.add(Promise.promise());
            return answers.getLast().future();
          },
          epoch::get,
          versions);

  private static Changes changes(boolean all, Long... buckets) {
    return new Changes(1, 7_000, all, List.of(buckets), "position");
  }

  private boolean isUnchanged(long after, long to, long stamp) {
    return versions.isUnchanged(new ReadTime(after, to, stamp));
  }

  @Test
  void aRoundAsksOnceForAllCallersThatWait() {
    Future<Long> first = feed.refresh();
    Future<Long> second = feed.refresh();
    Future<Long> third = feed.refresh();
    assertThat(asked).hasSize(1);
    answers.getFirst().complete(changes(true));
    assertThat(first.result()).isEqualTo(versions.stamp());
    assertThat(second.isComplete()).as("the round had begun before this caller came").isFalse();
    assertThat(asked).hasSize(2);
    answers.getLast().complete(changes(false));
    assertThat(second.succeeded()).isTrue();
    assertThat(third.succeeded()).isTrue();
    assertThat(feed.rounds()).isEqualTo(2);
  }

  @Test
  void eachRoundContinuesWhereTheLastOneEnded() {
    feed.refresh();
    answers.getFirst().complete(changes(true));
    feed.refresh();
    assertThat(asked.getFirst()).isEmpty();
    assertThat(asked.getLast()).contains(changes(true));
  }

  @Test
  void whatTheShardsReportMakesAnswersStale() {
    feed.refresh();
    answers.getLast().complete(changes(false));
    long stamp = versions.stamp();
    feed.refresh();
    answers.getLast().complete(changes(false));
    assertThat(versions.stamp()).as("nothing has changed").isEqualTo(stamp);
    feed.refresh();
    answers.getLast().complete(changes(false, 4L));
    assertThat(isUnchanged(20_000, 25_000, stamp)).isFalse();
    assertThat(isUnchanged(0, 20_000, stamp)).isTrue();
    stamp = versions.stamp();
    feed.refresh();
    answers.getLast().complete(changes(true));
    assertThat(isUnchanged(0, 1, stamp)).isFalse();
  }

  @Test
  void afterARoundThatFailedAnythingMayHaveChangedAndTheNextBeginsAnew() {
    feed.refresh();
    answers.getLast().complete(changes(false));
    long stamp = versions.stamp();
    Future<Long> failing = feed.refresh();
    answers.getLast().fail("no answer");
    assertThat(failing.result()).isGreaterThan(stamp);
    assertThat(isUnchanged(0, 1, stamp)).isFalse();
    assertThat(feed.epoch()).isEqualTo(-1);
    feed.refresh();
    assertThat(asked.getLast()).isEmpty();
  }

  @Test
  void itKnowsTheTableAndTheWatermarkOfTheLastRound() {
    assertThat(feed.isCurrent()).isFalse();
    assertThat(feed.epoch()).isEqualTo(-1);
    assertThat(feed.watermark()).isEqualTo(Long.MIN_VALUE);
    feed.refresh();
    answers.getLast().complete(changes(true));
    assertThat(feed.isCurrent()).isTrue();
    assertThat(feed.epoch()).isEqualTo(1);
    assertThat(feed.watermark()).isEqualTo(7_000);
    epoch.set(2);
    assertThat(feed.isCurrent()).isFalse();
  }

  @Test
  void whatAReadReportsCountsAsARound() {
    feed.refresh();
    answers.getLast().complete(changes(true));
    Changes known = feed.begin().last().orElseThrow();
    long before = versions.stamp();
    ChangeFeed.Look look = feed.begin();
    Changes report = changes(false, 4L);
    long stamp = feed.end(look, report).orElseThrow();
    assertThat(stamp).isEqualTo(versions.stamp()).isGreaterThan(before);
    assertThat(isUnchanged(20_000, 25_000, before)).isFalse();
    assertThat(isUnchanged(20_000, 25_000, stamp)).isTrue();
    assertThat(look.last()).containsSame(known);
    assertThat(feed.begin().last()).as("the next look goes on there").containsSame(report);
    assertThat(feed.rounds()).isEqualTo(1);
  }

  @Test
  void aReadThatMayLackWhatOthersReportedMeanwhileDoesNotCount() {
    feed.refresh();
    answers.getLast().complete(changes(true));
    ChangeFeed.Look first = feed.begin();
    ChangeFeed.Look second = feed.begin();
    Changes reported = changes(false, 4L);
    assertThat(feed.end(second, reported)).isPresent();
    long stamp = versions.stamp();
    assertThat(feed.end(first, changes(true))).isEmpty();
    assertThat(versions.stamp()).isEqualTo(stamp);
    assertThat(feed.begin().last()).containsSame(reported);
    assertThat(first.stamp()).as("what was read can be kept with that").isLessThan(stamp);
    ChangeFeed.Look third = feed.begin();
    feed.refresh();
    answers.getLast().fail("no answer");
    assertThat(feed.end(third, changes(false))).isEmpty();
  }

  @Test
  void readsThatOverlapWhileNothingChangesAllCount() {
    feed.refresh();
    answers.getLast().complete(changes(true));
    ChangeFeed.Look first = feed.begin();
    ChangeFeed.Look second = feed.begin();
    Changes reported = changes(false);
    assertThat(feed.end(second, reported)).contains(versions.stamp());
    assertThat(feed.end(first, changes(false, 4L))).contains(versions.stamp());
    assertThat(isUnchanged(20_000, 25_000, first.stamp())).isFalse();
    assertThat(feed.begin().last())
        .as("not back to where the earlier look ended")
        .containsSame(reported);
  }

  @Test
  void howeverManyAskNoneWaitsForMore() {
    for (int caller = 1; caller <= 200; caller++) {
      Future<Long> answer = feed.refresh();
      assertThat(asked).hasSize(caller);
      answers.getLast().complete(changes(false));
      assertThat(answer.succeeded()).isTrue();
    }
  }
}
