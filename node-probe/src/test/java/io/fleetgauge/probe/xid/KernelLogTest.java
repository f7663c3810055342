package io.fleetgauge.probe.xid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fleetgauge.probe.Damage;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelLogTest {
  private static final String GPU = "00000000:3B:00.0";
  private static final String OFF =
      "3,1,50000000,-;NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n"
          + " SUBSYSTEM=pci\n DEVICE=+pci:0000:3b:00.0\n";

  @TempDir private Path folder;
  private long now = 1_700_000_000_000L;
  private final XidCounts gpus = new XidCounts(() -> now);
  private final XidCounts switches = new XidCounts(() -> now);
  private final KernelLines lines = new KernelLines();
  private KernelLog log;

  @BeforeEach
  void uptime() throws Exception {
    Files.writeString(folder.resolve("uptime"), "110.00 200.00\n");
    log = log(folder.resolve("kmsg"));
  }

  private KernelLog log(Path device) {
    return new KernelLog(device, folder, () -> now, gpus, switches, lines);
  }

  private void take(String text) {
    log.take(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
  }

  @Test
  void whatWasThereBeforeIsRememberedWithItsOwnTimeAndWhatComesIsCounted() {
    log.history(true);
    take(OFF);
    assertThat(gpus.all()).containsExactly(new XidCounts.Seen(GPU, 79, 0, now - 60_000));
    log.history(false);
    take(OFF);
    assertThat(gpus.all()).containsExactly(new XidCounts.Seen(GPU, 79, 1, now));
    assertThat(log.lines()).isEqualTo(2);
  }

  @Test
  void aLogThatIsOpenedAgainCountsWhatCameMeanwhileAndNothingTwice() {
    log.history(false);
    take(OFF + "3,2,50000100,-;NVRM: Xid (PCI:0000:3b:00): 31, x\n3,3,50000200,-;cut he");
    now += 10 * XidCounts.SAME_MILLIS;
    log.opened();
    take(OFF + "3,2,50000100,-;NVRM: Xid (PCI:0000:3b:00): 31, x\n");
    take("3,3,50000200,-;NVRM: Xid (PCI:0000:3b:00): 31, y\n");
    assertThat(gpus.all())
        .containsExactlyInAnyOrder(
            new XidCounts.Seen(GPU, 79, 1, now - 10 * XidCounts.SAME_MILLIS),
            new XidCounts.Seen(GPU, 31, 2, now));
    assertThat(log.lost()).isZero();
  }

  @Test
  void linesAboutFaultsAreKeptAlsoThoseFromBeforeTheProbe() {
    log.history(true);
    take(OFF);
    log.history(false);
    take(OFF.replace(",1,5", ",2,5"));
    take("3,3,5,-;NVRM: GPU 0000:3c:00.0: GPU has fallen off the bus.\n");
    take("3,4,5,-;nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30\n");
    take("3,5,5,-;mlx5_core 0000:5e:00.0: device's health compromised - reached miss count\n");
    take("3,6,5,-;INFO: task nvidia-smi:17 blocked for more than 122 seconds.\n");
    take("0,7,5,-;watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [napi/eth0-9:77]\n");
    take("3,8,5,-;mlx5_core 0000:5e:00.0: Port module event: module 0, Cable plugged\n");
    take("11,9,5,-;INFO: task nvidia-smi:17 blocked for more than 122 seconds.\n");
    assertThat(lines.all(now))
        .extracting(seen -> seen.line().kind() + " " + seen.line().address() + " " + seen.count())
        .containsExactly(
            "XID 00000000:3B:00.0 2",
            "BUS 00000000:3C:00.0 1",
            "SXID 00000000:C1:00.0 1",
            "MLX5 00000000:5E:00.0 1",
            "HUNG_TASK  1",
            "SOFT_LOCKUP  1");
    assertThat(lines.all(now).getFirst().line().text())
        .isEqualTo("NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.");
  }

  @Test
  void ofWhatARealDriverWritesTheErrorsAreKeptAndNoSerialNumber() throws Exception {
    String real;
    try (InputStream in = getClass().getResourceAsStream("h200-580.159.04.kmsg")) {
      real = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
    assertThat(real).contains("Serial Number: 1234567890123");
    log.history(false);
    take(real);
    assertThat(gpus.all())
        .containsExactlyInAnyOrder(
            new XidCounts.Seen("00000000:00:06.0", 43, 1, now),
            new XidCounts.Seen("00000000:00:06.0", 31, 1, now));
    assertThat(log.lost()).isZero();
    assertThat(lines.all(now))
        .extracting(seen -> seen.line().text())
        .containsExactly(
            "NVRM: Xid (PCI:0000:00:06): 43, channel 0x0000000a",
            "NVRM: Xid (PCI:0000:00:06): 31, channel 0x0000000a, intr 00000000. MMU Fault: ENGINE"
                + " GRAPHICS GPC1 GPCCLIENT_T1_8 faulted @ 0x8379_5be00000. Fault is of type"
                + " FAULT_PDE ACCESS_TYPE_VIRT_WRITE");
    take(
        "4,490,5,-;NVRM: GPU Board Serial Number: 1234567890123\\x0aNVRM: Xid (PCI:0000:00:07): 31,"
            + " x\n");
    assertThat(lines.all(now))
        .extracting(seen -> seen.line().text())
        .contains("NVRM: GPU Board Serial Number: ?\\x0aNVRM: Xid (PCI:0000:00:07): 31, x")
        .noneMatch(text -> text.contains("1234567890123"));
  }

  @Test
  void recordsThatTheKernelDroppedAreNoticedByTheGapInTheirNumbers() {
    log.history(false);
    take("6,7,1,-;a\n6,8,2,-;b\n6,12,3,-;c\n6,13,4,-;d\n");
    assertThat(log.lost()).isEqualTo(1);
  }

  @Test
  void theSentenceAndTheCodeOfOneFallAreOneError() {
    log.history(false);
    take(OFF + "3,2,50000100,-;NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.\n");
    assertThat(gpus.all()).containsExactly(new XidCounts.Seen(GPU, 79, 1, now));
  }

  @Test
  void errorsOfSwitchesAreOfSwitches() {
    log.history(false);
    take("3,1,5,-;nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30\n");
    assertThat(gpus.all()).isEmpty();
    assertThat(switches.all())
        .containsExactly(new XidCounts.Seen("00000000:C1:00.0", 20_034, 1, now));
  }

  @Test
  void aLineThatNeverEndsIsCutAndTheNextIsRead() {
    log.history(false);
    for (int i = 0; i < 1_000; i++) {
      take("3,1,5,-;x".repeat(100));
    }
    take("\n" + OFF);
    assertThat(gpus.last(GPU)).isEqualTo(79);
    assertThat(log.lines()).isEqualTo(2);
  }

  @Test
  void damagedLinesAreReadOrCounted() {
    eachIsReadOrCounted(1_000);
  }

  /**
   * @see #damagedLinesAreReadOrCounted
   */
  @Tag("slow")
  @Test
  void aHundredThousandDamagedLinesAreReadOrCounted() {
    eachIsReadOrCounted(100_000);
  }

  private void eachIsReadOrCounted(int times) {
    log.history(false);
    SplittableRandom random = new SplittableRandom(7);
    String line = OFF.substring(0, OFF.indexOf('\n'));
    long errors = 0;
    long unreadable = 0;
    long lines = 0;
    for (int i = 0; i < times; i++) {
      now += XidCounts.SAME_MILLIS;
      String damaged = KernelLineTest.damaged(line, random).replace('\n', '?');
      take(damaged + "\n");
      boolean isLine = !damaged.isEmpty() && damaged.charAt(0) != ' ';
      KernelLine.Kind kind = KernelLine.read(damaged).kind();
      lines += isLine ? 1 : 0;
      errors += isLine && kind == KernelLine.Kind.XID ? 1 : 0;
      unreadable += isLine && kind == KernelLine.Kind.UNREADABLE ? 1 : 0;
    }
    long counted = gpus.all().stream().mapToLong(XidCounts.Seen::count).sum();
    assertThat(log.lines()).isEqualTo(lines);
    assertThat(log.unreadable()).isEqualTo(unreadable).isPositive();
    assertThat(counted + gpus.overflows()).isEqualTo(errors);
    assertThat(counted).isPositive();
  }

  @Test
  void aDamagedRecordCostsNoOther() {
    log.history(false);
    SplittableRandom random = Damage.random("kmsg");
    String gpu = "3,%d,50000000,-;NVRM: Xid (PCI:0000:3b:00 GPU-I:05): 43, pid=1, name=a\n";
    for (int i = 0; i < Damage.TIMES; i++) {
      byte[] other =
          "4,%d,50000000,-;NVRM: Xid (PCI:0000:5e:00): 31, pid=7, name=b, Ch 00000010\n"
              .formatted(2 * i)
              .getBytes(StandardCharsets.ISO_8859_1);
      now += XidCounts.SAME_MILLIS;
      log.take(ByteBuffer.wrap(Damage.values()[i % 7].to(other, random)));
      take(gpu.formatted(2 * i + 1));
    }
    assertThat(gpus.all()).contains(new XidCounts.Seen(GPU, 43, Damage.TIMES, now));
    assertThat(log.unreadable()).isPositive();
  }

  @Test
  void aRecordMayComeInPiecesAndTheFirstThousandBytesOfALongOneAreRead() {
    log.history(false);
    for (char each : OFF.toCharArray()) {
      take("" + each);
    }
    assertThat(gpus.all()).containsExactly(new XidCounts.Seen(GPU, 79, 1, now));
    String error = "3,2,5,-;NVRM: Xid (PCI:0000:5e:00): 31";
    take("3,3,5,-;NVRM: " + "x".repeat(1_024 - error.length() - 6) + error.substring(8) + "0\n");
    take("3,4,5,-;NVRM: " + "x".repeat(2_000) + error.substring(8) + "\n");
    assertThat(gpus.last("00000000:5E:00.0")).as("the digit behind them is cut off").isEqualTo(31);
    assertThat(log.lines()).isEqualTo(3);
    assertThat(log.unreadable()).isZero();
  }

  @Test
  void anErrorFromBeforeHasTheTimeOfItsRecordAsFarAsItIsKnown() throws Exception {
    log.history(true);
    take("3,1,111000000,-;NVRM: Xid (PCI:0000:3b:00): 31, later than now\n");
    assertThat(gpus.all()).containsExactly(new XidCounts.Seen(GPU, 31, 0, now));
    Files.writeString(folder.resolve("uptime"), "none\n");
    take("3,2,50000000,-;NVRM: Xid (PCI:0000:3b:00): 32, x\n");
    Files.delete(folder.resolve("uptime"));
    take("3,3,50000000,-;NVRM: Xid (PCI:0000:3b:00): 33, x\n");
    assertThat(gpus.all())
        .contains(new XidCounts.Seen(GPU, 32, 0, now), new XidCounts.Seen(GPU, 33, 0, now));
  }

  @Test
  void recordsWithoutANumberAreReadAndNoneIsLostBetweenThem() {
    log.history(false);
    take("6,0,1,-;a\n6,1,2,-;b\n;c\nd\n6,2,3,-;e\n");
    log.opened();
    take("f\n" + OFF.replaceFirst("3,1,", "3,x,"));
    assertThat(gpus.last(GPU)).isEqualTo(79);
    assertThat(log.lines()).isEqualTo(7);
    assertThat(log.lost()).isZero();
  }

  @Test
  void aFileIsFollowedAsALogIs() throws Exception {
    Path file = Files.writeString(folder.resolve("messages"), OFF);
    KernelLog followed = log(file);
    followed.start();
    await().until(() -> gpus.last(GPU) == 79);
    assertThat(followed.isOpen()).isTrue();
    Files.writeString(
        file, "3,2,5,-;NVRM: Xid (PCI:0000:3b:00): 31, x\n", StandardOpenOption.APPEND);
    await().until(() -> gpus.last(GPU) == 31);
    assertThat(gpus.all()).contains(new XidCounts.Seen(GPU, 31, 1, now));
    followed.close();
    await().until(() -> !followed.isOpen());
  }

  @Test
  void aDeviceIsFollowedAndClosingDoesNotWaitForTheNextRecord() throws Exception {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    KernelLog followed = log(pipe);
    followed.start();
    try (OutputStream kernel = Files.newOutputStream(pipe)) {
      await().until(followed::isOpen);
      kernel.write(OFF.getBytes(StandardCharsets.ISO_8859_1));
      kernel.flush();
      await().until(() -> gpus.last(GPU) == 79);
      followed.close();
      await("no record comes any more").until(() -> !followed.isOpen());
    }
  }

  @Test
  void aLogThatIsNotThereIsAState() {
    KernelLog none = log(folder.resolve("nowhere"));
    none.start();
    assertThat(none.isOpen()).isFalse();
    none.close();
    assertThat(List.of(none.lines(), none.lost())).containsOnly(0L);
  }
}
