package io.fleetgauge.sample.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class XidTest {
  @ParameterizedTest
  @CsvSource({
    "79, XID, CRITICAL, CRITICAL, REBOOT_NODE",
    "119, XID, CRITICAL, CRITICAL, RESET_OR_REBOOT",
    "149, XID, CRITICAL, CRITICAL, CHECK_LINK",
    "94, XID, OTHER, WARNING, CONTAINED",
    "63, XID, OTHER, WARNING, RESET_LATER",
    "33, XID, OTHER, INFO, ASK_SUPPORT",
    "13, XID_APPLICATION, EXCEPTION, INFO, RESTART_JOB",
    "43, XID_APPLICATION, APPLICATION, INFO, RESTART_JOB",
    "45, XID_APPLICATION, APPLICATION, INFO, LOOK_BEFORE"
  })
  void aCodeSaysWhatItIsAndWhatToDo(
      int code, FaultKind kind, XidClass type, Severity severity, XidAction action) {
    Xid xid = Xid.of(code);
    assertThat(xid.kind()).isEqualTo(kind);
    assertThat(xid.type()).isEqualTo(type);
    assertThat(xid.severity()).isEqualTo(severity);
    assertThat(xid.action()).isEqualTo(action);
    assertThat(xid.meaning()).endsWith(".");
  }

  @Test
  void aCodeThatIsNotInTheCatalogIsAWarning() {
    Xid xid = Xid.of(9_999);
    assertThat(xid.code()).isEqualTo(9_999);
    assertThat(xid.kind()).isEqualTo(FaultKind.XID);
    assertThat(xid.severity()).isEqualTo(Severity.WARNING);
  }

  @Test
  void criticalCodesAreThoseOfCriticalSeverityAndApplicationsAreNever() {
    for (XidClass type : XidClass.values()) {
      for (int code : type.codes()) {
        Xid xid = Xid.of(code);
        assertThat(xid.severity() == Severity.CRITICAL)
            .as("XID %s", code)
            .isEqualTo(type == XidClass.CRITICAL);
        if (xid.kind() == FaultKind.XID_APPLICATION) {
          assertThat(xid.severity()).as("XID %s", code).isEqualTo(Severity.INFO);
        }
        assertThat(xid.meaning()).as("XID %s", code).matches("[A-Z][^\\t]+\\.");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void anActionIsASentenceAndSomeCodeCallsForIt(XidAction action) {
    assertThat(action.text()).matches("[A-Z].+\\.");
    TreeSet<XidAction> wanted = new TreeSet<>();
    for (XidClass type : XidClass.values()) {
      type.codes().forEach(code -> wanted.add(Xid.of(code).action()));
    }
    assertThat(wanted).contains(action);
  }
}
