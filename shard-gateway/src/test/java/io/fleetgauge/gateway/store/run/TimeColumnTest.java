package io.fleetgauge.gateway.store.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fleetgauge.gateway.store.chunk.Chunks;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TimeColumnTest {
  private static final long BLOCK = 10_000;

  private final Chunks chunks = new Chunks();

  private static TimeColumn column(long first, int size, long step) {
    TimeColumn column = new TimeColumn(first, first + 1_000_000);
    for (int i = 1; i < size; i++) {
      column.append(first + i * step);
    }
    return column;
  }

  @Test
  void aColumnTakesTimesOfItsBlockUntilItIsFull() {
    TimeColumn column = new TimeColumn(100, 1_000);
    assertThat(column.takes(999)).isTrue();
    assertThat(column.takes(1_000)).as("the next block").isFalse();
    for (int i = 1; i < TimeColumn.CAPACITY; i++) {
      assertThat(column.takes(100 + i)).isTrue();
      column.append(100 + i);
    }
    assertThat(column.takes(999)).as("full").isFalse();
    assertThat(column.first()).isEqualTo(100);
    assertThat(column.last()).isEqualTo(100 + TimeColumn.CAPACITY - 1);
    assertThat(column.size()).isEqualTo(TimeColumn.CAPACITY);
  }

  @Test
  void packingKeepsTheTimesInFewerBytes() {
    TimeColumn column = column(1_700_000_000_000L, TimeColumn.CAPACITY, 15_000);
    long[] before = column.times(chunks).clone();
    int bytes = column.bytes();
    column.pack(chunks);
    assertThat(column.bytes()).isLessThan(bytes / 10);
    assertThat(column.times(chunks)).isEqualTo(before);
    assertThat(column.time(63, chunks)).isEqualTo(before[63]);
    column.pack(chunks);
    assertThat(column.times(chunks)).isEqualTo(before);
  }

  @Test
  void aColumnThatIsNotFullIsNotPacked() {
    TimeColumn column = column(0, TimeColumn.CAPACITY - 1, 10);
    column.pack(chunks);
    assertThat(column.bytes()).isEqualTo(8 * TimeColumn.CAPACITY);
    assertThat(column.takes(1_000)).isTrue();
  }

  @Test
  void aCopyGoesOnWithoutItsSource() {
    TimeColumn column = column(0, 10, 10);
    TimeColumn copy = column.copy(2, 3, chunks);
    copy.append(45);
    column.append(100);
    assertThat(Arrays.copyOf(copy.times(chunks), 4)).containsExactly(20, 30, 40, 45);
    assertThat(copy.first()).isEqualTo(20);
    assertThat(copy.last()).isEqualTo(45);
    assertThat(copy.size()).isEqualTo(4);
    assertThat(copy.end).isEqualTo(column.end);
  }

  @Test
  void columnsAreFoundByNumberAlsoWhenTheOldestHaveGone() {
    ColumnList list = ColumnList.empty();
    for (int i = 0; i < 20; i++) {
      assertThat(list.add(column(i * 1_000, 64, 1), chunks)).isEqualTo(i);
    }
    ColumnList left = list.from(15);
    assertThat(left.base()).isEqualTo(15);
    assertThat(left.end()).isEqualTo(20);
    for (int i = 15; i < 20; i++) {
      assertThat(left.times(i, chunks)[0]).isEqualTo(i * 1_000);
      assertThat(left.get(i)).isSameAs(list.get(i));
    }
    assertThatThrownBy(() -> left.get(20)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(left.add(column(1, 1, 1), chunks)).isEqualTo(20);
    assertThat(list.get(10).bytes()).as("old columns are packed").isLessThan(100);
    assertThat(list.get(19).bytes()).as("new ones are not").isEqualTo(512);
  }

  @Test
  void pagesOfOneTickShareAColumn() {
    LaneColumns columns = new LaneColumns(BLOCK);
    Page first = columns.page(null, 0, 5);
    Page second = columns.page(null, 0, 5);
    assertThat(second.column()).isSameAs(first.column());
    assertThat(second.from()).isZero();
    first.column().append(7);
    Page third = columns.page(null, 0, 7);
    assertThat(third.column()).isSameAs(first.column());
    assertThat(third.from()).isEqualTo(1);
    assertThat(columns.list().end()).isEqualTo(1);
    Page other = columns.page(null, 0, 8);
    assertThat(other.column()).isNotSameAs(first.column());
    assertThat(columns.list().end()).isEqualTo(2);
  }

  @Test
  void aSeriesThatComesBackContinuesInItsColumn() {
    LaneColumns columns = new LaneColumns(BLOCK);
    Page page = columns.page(null, 0, 5);
    columns.page(null, 0, 6);
    Page again = columns.page(page.column(), page.number(), 9);
    assertThat(again.column()).isSameAs(page.column());
    assertThat(again.number()).isEqualTo(page.number());
    assertThat(again.from()).isEqualTo(1);
    assertThat(page.column().last()).isEqualTo(9);
    assertThat(columns.page(page.column(), page.number(), 9).from()).isEqualTo(1);
  }

  @Test
  void seriesThatLeaveAColumnInOneWayShareTheCopy() {
    LaneColumns columns = new LaneColumns(BLOCK);
    Page page = columns.page(null, 0, 0);
    LongStream.range(1, 10).forEach(page.column()::append);
    Page one = columns.diverge(page.column(), 2, 3, 100);
    assertThat(columns.diverge(page.column(), 2, 3, 100)).isSameAs(one);
    assertThat(columns.diverge(page.column(), 2, 3, 101).column()).isNotSameAs(one.column());
    assertThat(columns.diverge(page.column(), 1, 3, 101).column().first()).isEqualTo(1);
    assertThat(columns.diverge(page.column(), 1, 2, 101).column().size()).isEqualTo(3);
    assertThat(Arrays.copyOf(one.column().times(chunks), 4)).containsExactly(2, 3, 4, 100);
  }

  @Test
  void closedPagesAreNotContinued() {
    LaneColumns columns = new LaneColumns(BLOCK);
    Page page = columns.page(null, 0, 5);
    columns.closePages();
    assertThat(columns.page(null, 0, 5).column()).isNotSameAs(page.column());
  }

  @Test
  void theOldestBlockIsThatOfTheOldestColumnThatIsNotSealed() {
    LaneColumns columns = new LaneColumns(BLOCK);
    assertThat(columns.oldestBlockStart(Long.MIN_VALUE)).isEqualTo(Long.MAX_VALUE);
    columns.page(null, 0, 3 * BLOCK + 5);
    columns.page(null, 0, 2 * BLOCK);
    columns.page(null, 0, 2 * BLOCK - 1);
    assertThat(columns.oldestBlockStart(Long.MIN_VALUE)).isEqualTo(BLOCK);
    assertThat(columns.oldestBlockStart(2 * BLOCK)).isEqualTo(2 * BLOCK);
    assertThat(columns.oldestBlockStart(3 * BLOCK)).isEqualTo(3 * BLOCK);
    assertThat(columns.oldestBlockStart(4 * BLOCK)).isEqualTo(Long.MAX_VALUE);
    assertThat(columns.blockStart(-1)).isEqualTo(-BLOCK);
    assertThat(columns.blockStart(BLOCK)).isEqualTo(BLOCK);
    assertThat(columns.bytes()).isEqualTo(3 * 512);
  }
}
