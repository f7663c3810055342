package io.fleetgauge.gateway.sender;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.gateway.sender.SentRecord.Term;
import io.fleetgauge.gateway.sender.TimeRanges.Range;
import io.fleetgauge.sample.journal.Journal;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SentRecordsTest {
  private static final Term TERM = new Term(-7, 65_536);
  private static final Journal.Position POSITION = new Journal.Position(3, 14);

  @TempDir Path folder;
  private SentRecords records;

  @BeforeEach
  void open() throws Exception {
    records = reopened();
  }

  private SentRecords reopened() throws Exception {
    SentRecords opened = new SentRecords(folder.resolve("f/sent"));
    opened.open();
    return opened;
  }

  private static SentRecord record(Term term, long until, Range... gaps) {
    return new SentRecord("r", "a host/1", term, until, List.of(gaps));
  }

  @Test
  void aRecordIsALine() {
    SentRecord record = record(TERM, 100_000, new Range(3, 4), new Range(5, 9));
    assertThat(record.line()).isEqualTo("r a+host%2F1 -7 65536 100000 3-4 5-9\n");
    assertThat(SentRecords.parse(record.line())).containsExactly(record);
    SentRecord begin = new SentRecord("r", SentRecord.BEGIN, Term.NONE, 5, List.of());
    SentRecord ofHost = new SentRecord("r", "*", Term.NONE, 5, List.of());
    assertThat(SentRecords.parse(begin.line() + ofHost.line())).containsExactly(begin, ofHost);
  }

  @Test
  void linesThatAreNoneAreSkipped() {
    assertThat(
            SentRecords.parse(
                """
                r h 1 1
                r h 1 1 -5
                r h 1 1 99999999999999
                r h 1 1 5 4-3
                r h 1 1 5 4
                r %zz 1 1 5

                journal 1 2
                r h 1 1 5
                """))
        .containsExactly(new SentRecord("r", "h", new Term(1, 1), 5, List.of()));
  }

  @Test
  void theFileHasAllThatIsKnown() throws Exception {
    SentRecord record = record(TERM, 100_000, new Range(3, 4));
    records.put(record);
    assertThat(records.begun("r", 55)).isEqualTo(55);
    records.write(POSITION);
    SentRecords again = reopened();
    assertThat(again.position()).isEqualTo(POSITION);
    assertThat(again.of("r", record.host())).contains(record);
    assertThat(again.begun("r", 77)).isEqualTo(55);
    again.keepOnly(Set.of("r"), host -> false);
    again.write(POSITION);
    assertThat(reopened().of("r", record.host())).isEmpty();
  }

  @Test
  void theRecordOfALaterOwnerCounts() {
    SentRecord later = record(new Term(-7, 131_072), 50);
    records.told(later, 0);
    records.told(record(TERM, 100), 0);
    records.put(record(TERM, 100));
    assertThat(records.of("r", "a host/1")).contains(later);
    SentRecord ofAnotherGeneration = record(new Term(8, 1), 10);
    records.told(ofAnotherGeneration, 0);
    assertThat(records.of("r", "a host/1")).contains(ofAnotherGeneration);
  }

  @Test
  void whatACopyHeardIsForgottenWhenTheOwnerHasToldTwice() {
    records.told(record(TERM, 100), 0);
    records.heard(Set.of("r"), "a host/1", new Range(30, 31));
    assertThat(records.of("r", "a host/1")).contains(record(TERM, 100, new Range(30, 31)));
    records.told(record(TERM, 110), 0);
    assertThat(records.of("r", "a host/1")).contains(record(TERM, 110, new Range(30, 31)));
    records.told(record(TERM, 120), 0);
    assertThat(records.of("r", "a host/1")).contains(record(TERM, 120));
  }

  @Test
  void theEarliestBeginCountsAndNoneInTheFuture() {
    records.begun("r", 55);
    records.told(new SentRecord("r", SentRecord.BEGIN, Term.NONE, 99, List.of()), 60);
    assertThat(records.begun("r", 0)).isEqualTo(55);
    records.told(new SentRecord("r", SentRecord.BEGIN, Term.NONE, 44, List.of()), 60);
    assertThat(records.begun("r", 0)).isEqualTo(44);
    records.told(new SentRecord("s", SentRecord.BEGIN, Term.NONE, 99, List.of()), 60);
    assertThat(records.begun("s", 61)).isEqualTo(61);
  }
}
