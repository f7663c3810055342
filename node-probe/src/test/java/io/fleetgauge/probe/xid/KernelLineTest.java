package io.fleetgauge.probe.xid;

import static org.assertj.core.api.Assertions.assertThat;

import io.fleetgauge.probe.xid.KernelLine.Kind;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KernelLineTest {
  private static final String[] LINES = {
    "3,1234,5678901,-;NVRM: Xid (PCI:0000:3b:00): 79, pid=4321, GPU has fallen off the bus.",
    "3,1235,5678902,-;NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus.",
    "3,99,1,-;nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",
    "4,7,12,-;NVRM: Xid (PCI:0008:01:00): 145, RLW_REMAP Nonfatal XC0 i0 Link 02 (0x1 0x2)",
    "4,8,13,-;NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:00): 43, pid=1, name=a, Ch 00000008",
    "4,9,14,-;NVRM: The NVIDIA GPU 0000:03:00.0\\x0aNVRM: (PCI ID: 10de:2330) installed in this"
        + " system has\\x0aNVRM: fallen off the bus and is not responding to commands.",
    "2,10,15,-;mlx5_core 0000:5e:00.0: device's health compromised - reached miss count",
    "3,11,16,-;INFO: task nvidia-smi:4711 blocked for more than 122 seconds.",
    "0,12,17,-;watchdog: BUG: soft lockup - CPU#64 stuck for 23s! [napi/ib0-8194:1017]",
    "6,5,4,-;usb 1-1: new high-speed USB device"
  };

  /** What is believed, written another way. */
  private static final Pattern BELIEVED =
      Pattern.compile(
          "0*[0-7],[^;]*?,\\d{1,18}(?:,[^;]*)?;(?:(?:NVRM:|nvidia).*?(?<=NVRM: Xid"
              + " \\()(?:PCI:)?([0-9a-fA-F:.]+)(?: (?:(?!\\): ).)*)?\\):"
              + " (\\d{1,17})(?:[,; ].*)?|nvidia-nvswitch.*SXid \\(.*|NVRM:.*fallen off the bus.*)",
          Pattern.DOTALL);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mlx5_core 0000:5e:00.0: device's health compromised - reached miss count | MLX5",
        "mlx5_core 0000:5e:00.1 ens1f1: poll_health:817: unrecoverable hardware error | MLX5",
        "mlx5_core 0000:5e:00.0: wait_func:1151:(pid 8): CREATE_MKEY(0x200) timeout. Will cause a"
            + " leak of a command resource | MLX5",
        "mlx5_core 0000:5e:00.0: firmware version: 22.39.1002 | OTHER",
        "mlx4_core 0000:5e:00.0: health compromised | OTHER",
        "INFO: task nvidia-smi:4711 blocked for more than 122 seconds. | HUNG_TASK",
        "INFO: task nvidia-modeset/:4 blocked for more than 245 seconds. | HUNG_TASK",
        "INFO: task nv_queue:513 blocked for more than 122 seconds. | HUNG_TASK",
        "INFO: task pt_nccl_watchdg:9 blocked for more than 122 seconds. | HUNG_TASK",
        "INFO: task NCCL Service 3:9 blocked for more than 122 seconds. | HUNG_TASK",
        "INFO: task cuda-EvtHandlr:9 blocked for more than 122 seconds. | HUNG_TASK",
        "INFO: task jbd2/nvme0n1p2:9 blocked for more than 122 seconds. | OTHER",
        "INFO: task nvidia-smi:4711 is well | OTHER",
        "watchdog: BUG: soft lockup - CPU#64 stuck for 23s! [napi/ib0-8194:1017] | SOFT_LOCKUP",
        "watchdog: BUG: soft lockup - CPU#64 stuck for 23s! [python3:1017] | OTHER"
      })
  void faultsBesideTheGpusAreRead(String words, Kind kind) {
    KernelLine read = KernelLine.read("4,9,1234,-;" + words);
    assertThat(read.kind()).isEqualTo(kind);
    assertThat(read.address().isEmpty()).isEqualTo(kind != Kind.MLX5);
    assertThat(read.bootMicros()).isEqualTo(kind == Kind.OTHER ? 0 : 1234);
    assertThat(KernelLine.read("12,9,1234,-;" + words).kind())
        .as("a program wrote it")
        .isEqualTo(Kind.OTHER);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NVRM: Xid (PCI:0000:3b:00): 79, pid=1 | XID | 00000000:3B:00.0 | 79",
        "NVRM: Xid (0000:af:1f): 31 | XID | 00000000:AF:1F.0 | 31",
        "NVRM: Xid (PCI:00000001:3b:00.0): 119, Timeout | XID | 00000001:3B:00.0 | 119",
        "NVRM: Xid (PCI:0008:01:00): 145, RLW_REMAP Nonfatal XC0 | XID | 00000008:01:00.0 | 145",
        "NVRM: Xid (PCI:0000:5e:00 GPU-I:05): 43, pid=4243 | XID | 00000000:5E:00.0 | 43",
        "NVRM: Xid (PCI:0000:86:00 GPU-I:02 GPU-CI:00): 94, pid=1 | XID | 00000000:86:00.0 | 94",
        "NVRM: Xid (PCI:0000:86:00 GPU-I:02 more): 94, later forms | XID | 00000000:86:00.0 | 94",
        "NVRM: Xid (PCI:10000:e1:00): 31, domain of five digits | XID | 00010000:E1:00.0 | 31",
        "NVRM: Xid (PCI:0000:dc:00): 45, Ch 1 caused by previous Xid 149 | XID | 00000000:DC:00.0 |"
            + " 45",
        "NVRM: Xid (PCI:0000:3b:00): 62 2b50(2d50) | XID | 00000000:3B:00.0 | 62",
        "NVRM: GPU 0000:3b:00.0: GPU has fallen off the bus. | XID | 00000000:3B:00.0 | 79",
        "NVRM: The NVIDIA GPU 0000:03:00.0 has fallen off the bus | XID | 00000000:03:00.0 | 79",
        "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 20034, Fatal | SXID | 00000000:C1:00.0 | 20034",
        "nvidia-nvswitch11: SXid (PCI:10000:c1:00.0): 00012, x | SXID | 00010000:C1:00.0 | 12",
        "NVRM: Xid (PCI:0000:3b:00 GPU-I:112 GPU-CI:1 X:a(b)): 13 | XID | 00000000:3B:00.0 | 13",
        "NVRM: Xid (0000:3b:00 GPU-I:05): 31, Ch 00000010 | XID | 00000000:3B:00.0 | 31",
        "NVRM: Xid (PCI:10000:3b:00.1): 62, 2027(0) | XID | 00010000:3B:00.1 | 62",
        "NVRM: Xid (PCI:0000:3b:00): 31, pid=7, name=a, b): 7 (c) | XID | 00000000:3B:00.0 | 31",
        "NVRM: Xid (PCI:0000:3b:00): 31, name=\\xff\\x0aNVRM: Xid ( | XID | 00000000:3B:00.0 | 31",
        "NVRM: waits for NVRM: Xid (PCI:0000:3b:00): 8, pid=1 | XID | 00000000:3B:00.0 | 8",
        "nvidia-uvm: a\\x0aNVRM: Xid (PCI:0000:3b:00): 31, x | XID | 00000000:3B:00.0 | 31",
        "NVRM: The NVIDIA GPU 0001:03:00.0\\x0aNVRM: (PCI ID: 10de:2330) installed in this system"
            + " has\\x0aNVRM: fallen off the bus and is not responding to commands."
            + " | XID | 00000001:03:00.0 | 79"
      })
  void errorsAreReadInAllTheirForms(String text, Kind kind, String address, int code) {
    assertThat(KernelLine.read("3,1234,5678901,-;" + text))
        .isEqualTo(new KernelLine(kind, address, code, 5_678_901));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "3,1,2,-;NVRM: Xid (PCI:0000:3b:00): , pid=1",
        "3,1,2,-;NVRM: Xid (PCI:0000:3b:00): 7x9",
        "3,1,2,-;NVRM: Xid (PCI:0000:3b:00): 0, none",
        "3,1,2,-;NVRM: Xid (PCI:0000:3b:00): 1000, none",
        "3,1,2,-;NVRM: Xid (PCI:0000:3b:00): 99999999999999999999, none",
        "3,1,2,-;NVRM: Xid (PCI:zz00:3b:00): 79",
        "3,1,2,-;NVRM: Xid (PCI:0000:3b:00",
        "3,1,2,-;NVRM: Xid (PCI:0000:3b:00 GPU-I:05, 79",
        "3,1,2,-;NVRM: Xid (GPU-I:05 PCI:0000:3b:00): 79",
        "3,1,2,-;NVRM: something has fallen off the bus",
        "3,1,x,-;NVRM: Xid (PCI:0000:3b:00): 79, no time",
        "12,1,2,-;NVRM: Xid (PCI:0000:3b:00): 79, written by a program"
      })
  void whatLooksLikeAnErrorAndCannotBeBelievedIsUnreadable(String line) {
    assertThat(KernelLine.read(line).kind()).isEqualTo(Kind.UNREADABLE);
  }

  @ParameterizedTest
  @CsvSource({
    "0000:3b:00, 00000000:3B:00.0",
    "0000:3b:00.7, 00000000:3B:00.7",
    "0000:3b:00:, 00000000:3B:00.0",
    "00000000:AF:1f.0, 00000000:AF:1F.0",
    "12345678:09:af, 12345678:09:AF.0",
    "000:3b:00, ''",
    "123456789:3b:00, ''",
    "0000:3b, ''",
    "0000:3b:00:0:, ''",
    "0000:3b:00:0, ''",
    "0000:b:00, ''",
    "0000:3b:0, ''",
    "0000:3b:00., ''",
    "0000:3b:00.8, ''",
    "0000:3b:00./, ''",
    "0000:3b:00-1, ''",
    "000g:3b:00, ''",
    "0000:/b:00, ''",
    "0000:3::00, ''",
    "0000:3b:@0, ''",
    "0000:3b:G0, ''",
    "0000:3b:`0, ''",
    "'', ''"
  })
  void anAddressIsThatOfNvmlOrNone(String text, String address) {
    assertThat(KernelLine.address(text)).isEqualTo(address);
  }

  @ParameterizedTest
  @CsvSource({
    "NVRM: Xid (PCI:0000:3b:00): 999, XID",
    "NVRM: Xid (PCI:0000:3b:00): 1, XID",
    "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 99999, SXID",
    "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 100000, UNREADABLE",
    "nvidia-nvswitch0: SXid (PCI:0000:c1:00.0): 0, UNREADABLE",
    "nvidia-uvm: SXid (PCI:0000:c1:00.0): 1, OTHER",
    "nvidia: GPU 0000:3b:00.0 has fallen off the bus, OTHER"
  })
  void anErrorHasACodeThatItsKindMayHave(String text, Kind kind) {
    assertThat(KernelLine.read("0,1,0,-;" + text).kind()).isEqualTo(kind);
    assertThat(KernelLine.read("7,1,999999999999999999,-;" + text).kind()).isEqualTo(kind);
    assertThat(KernelLine.read("8,1,2,-;" + text).kind())
        .as("of a program")
        .isEqualTo(kind == Kind.OTHER ? Kind.OTHER : Kind.UNREADABLE);
  }

  @Test
  void theNumberOfARecordIsKnownWhateverItsText() {
    assertThat(KernelLine.sequence("3,1234,5,-;x")).isEqualTo(1_234);
    assertThat(KernelLine.sequence("3,0,5,-;x")).isZero();
    assertThat(KernelLine.sequence("3,999999999999999999,5,-;x"))
        .isEqualTo(999_999_999_999_999_999L);
    for (String none :
        new String[] {"", "3", "3,", "3,x,5,-;x", "3,1x,5", "3,1000000000000000000,5"}) {
      assertThat(KernelLine.sequence(none)).as(none).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";",
        "3,1,2,-;",
        "NVRM: Xid (PCI:0000:3b:00): 79",
        "3,1,2,-;NVRM: loading NVIDIA UNIX x86_64 Kernel Module",
        "3,1,2,-;audit: NVRM: Xid (PCI:0000:3b:00): 79, quoted by another",
        "3,1,2,-;NVRM: GPU at PCI:0000:3b:00: GPU-5b2c0b1e-0000-0000-0000-000000000000",
        " NVRM: Xid (PCI:0000:3b:00): 79"
      })
  void otherLinesSayNothing(String line) {
    assertThat(KernelLine.read(line).kind()).isEqualTo(Kind.OTHER);
  }

  @Test
  void damagedLinesGiveNoErrorThatTheyDoNotName() {
    eachGivesNoErrorThatItDoesNotName(2_000);
  }

  /**
   * @see #damagedLinesGiveNoErrorThatTheyDoNotName
   */
  @Tag("slow")
  @Test
  void aHundredThousandDamagedLinesGiveNoErrorThatTheyDoNotName() {
    eachGivesNoErrorThatItDoesNotName(100_000);
  }

  private static void eachGivesNoErrorThatItDoesNotName(int times) {
    SplittableRandom random = new SplittableRandom(20_251_124);
    int[] kinds = new int[Kind.values().length];
    for (int i = 0; i < times; i++) {
      String line = damaged(LINES[random.nextInt(LINES.length)], random);
      KernelLine read = KernelLine.read(line);
      kinds[read.kind().ordinal()]++;
      if (read.kind() == Kind.XID || read.kind() == Kind.SXID) {
        Matcher believed = BELIEVED.matcher(line);
        assertThat(believed.matches()).as(line).isTrue();
        if (believed.group(2) != null) {
          assertThat(Long.parseLong(believed.group(2))).as(line).isEqualTo(read.code());
          assertThat(KernelLine.address(believed.group(1))).isEqualTo(read.address());
        }
        assertThat(read.code()).isBetween(1, 99_999);
        assertThat(read.address()).matches("[0-9A-F]{8}:[0-9A-F]{2}:[0-9A-F]{2}\\.[0-7]");
      }
    }
    assertThat(kinds).as("of each kind there are some").doesNotContain(0);
  }

  static String damaged(String line, SplittableRandom random) {
    StringBuilder text = new StringBuilder(line);
    for (int n = random.nextInt(4); n > 0 && !text.isEmpty(); n--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(5)) {
        case 0 -> text.setCharAt(at, (char) random.nextInt(256));
        case 1 -> text.deleteCharAt(at);
        case 2 -> text.insert(at, "0123456789,;:()".charAt(random.nextInt(15)));
        case 3 -> text.setLength(at);
        default -> text.insert(at, text.substring(random.nextInt(at + 1), at));
      }
    }
    return text.toString();
  }
}
