package io.fleetgauge.sample.gpu;

import java.util.Locale;
import java.util.Optional;

/** Actions that XIDs call for, after the buckets of NVIDIA's catalog. */
public enum XidAction {
  NOTE("Nothing has to be done unless it comes back often."),
  RESTART_JOB("Restart the job, and check the application if it happens again."),
  LOOK_BEFORE("Look at the XID before it; without one, restart the job."),
  RESET_GPU("Drain the GPU and reset it; ask the vendor if it comes back."),
  RESET_LATER("Reset the GPU when its job has ended."),
  RESET_OR_REBOOT("Drain the node and reset the GPU; reboot the node if the reset fails."),
  RESET_THEN_REPLACE("Drain the node and reset the GPU; replace the board if it stays away."),
  REBOOT_NODE("Drain the node and reboot it; replace the board if it comes back."),
  READ_RECOVERY("Do what DCGM_FI_DEV_GPU_RECOVERY_ACTION asks for."),
  WATCH_MEMORY("Watch the memory errors of the GPU; plan to replace the board if they go on."),
  CONTAINED("Restart the job; reset the GPU when it is free, and see whether a row is remapped."),
  CHECK_MEMORY("Drain the GPU and reset it; replace the board if a row cannot be remapped."),
  CHECK_LINK("Drain the node and reset the GPU; check cable, tray and board if it comes back."),
  CHECK_POWER("Drain the node and check the power connectors of the board."),
  UPDATE("Update driver and firmware to versions that go together."),
  REPLACE("Drain the GPU and replace the board."),
  ASK_SUPPORT("Ask the vendor if it comes back.");

  private final String text;

  XidAction(String text) {
    this.text = text;
  }

  /** A sentence that says what to do. */
  public String text() {
    return text;
  }

  /** The action of a name in {@code xids.tsv}. */
  static Optional<XidAction> find(String name) {
    for (XidAction action : values()) {
      if (action.name().toLowerCase(Locale.ROOT).equals(name)) {
        return Optional.of(action);
      }
    }
    return Optional.empty();
  }
}
