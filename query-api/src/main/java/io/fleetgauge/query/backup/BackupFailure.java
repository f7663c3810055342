package io.fleetgauge.query.backup;

/** Why a backup or a restore ends; the message says what is wrong, and what to do. */
public final class BackupFailure extends Exception {
  private static final long serialVersionUID = 1L;

  public BackupFailure(String message) {
    super(message);
  }

  public BackupFailure(String message, Throwable cause) {
    super(message, cause);
  }
}
