package io.fleetgauge.probe.host.reading;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Memory;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import jnr.ffi.annotations.SaveError;

/**
 * Calls of the C library, through the binding that the driver is called with too: the JDK's own one
 * brings several hundred classes. Any thread may call; each call has memory of its own.
 */
public final class Libc {
  /** The error of a call that this process may not make. */
  public static final int PERMISSION = 1;

  /** The error of a file that it may not open. */
  public static final int ACCESS = 13;

  /** As a flag of opening: the file is not for programs that are started. */
  private static final int CLOSE_ON_EXEC = 0x80000;

  private static final int NETWORK_NAMESPACE = 0x40000000;

  /** Larger than each of the structures. */
  private static final int STRUCTURE_BYTES = 256;

  private static final CLibrary LIBRARY =
      LibraryLoader.create(CLibrary.class).failImmediately().load("c");
  private static final Runtime RUNTIME = Runtime.getRuntime(LIBRARY);

  /** The functions as C declares them. Public because the binding implements it. */
  public interface CLibrary {
    @SaveError
    int statvfs(Pointer path, Pointer answer);

    @SaveError
    int adjtimex(Pointer timex);

    Pointer localtime_r(Pointer seconds, Pointer answer);

    Pointer strerror(int error);

    int getpagesize();

    @SaveError
    int open(Pointer path, int flags);

    @SaveError
    int setns(int file, int type);

    int close(int file);
  }

  /**
   * Space of a file system.
   *
   * @param error what the call failed with; empty if it did not
   * @param size bytes, as {@code free} and {@code available}
   */
  public record Space(
      String error, double size, double free, double available, double files, double filesFree) {}

  /**
   * The time zone of this process at a moment.
   *
   * @param name such as CET; a number such as +03 where the zone has no name
   * @param offset seconds east of UTC
   */
  public record Zone(String name, long offset) {}

  private Libc() {}

  /** Bytes of a page of memory. */
  public static int pageBytes() {
    return LIBRARY.getpagesize();
  }

  /** Asks for the space of the file system that holds a path; blocks as long as it does. */
  public static Space space(String path) {
    Pointer answer = Memory.allocateDirect(RUNTIME, STRUCTURE_BYTES, true);
    if (LIBRARY.statvfs(text(path), answer) != 0) {
      return new Space(message(RUNTIME.getLastError()), 0, 0, 0, 0, 0);
    }
    // block size, fragment size, blocks, free, available, files, free files
    double block = unsigned(answer, 0);
    return new Space(
        "",
        unsigned(answer, 2) * block,
        unsigned(answer, 3) * block,
        unsigned(answer, 4) * block,
        unsigned(answer, 5),
        unsigned(answer, 6));
  }

  /**
   * Takes the calling thread into another network namespace, for as long as it lives. It must be a
   * thread of the system that does nothing else.
   *
   * @param path of the namespace, such as {@code /proc/PID/ns/net}
   * @return 0, or the number of the error
   */
  public static int enterNetwork(String path) {
    int file = LIBRARY.open(text(path), CLOSE_ON_EXEC);
    if (file < 0) {
      return RUNTIME.getLastError();
    }
    int error = LIBRARY.setns(file, NETWORK_NAMESPACE) == 0 ? 0 : RUNTIME.getLastError();
    LIBRARY.close(file);
    return error;
  }

  private static Pointer text(String path) {
    byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
    Pointer text = Memory.allocateDirect(RUNTIME, bytes.length + 1, true);
    text.put(0, bytes, 0, bytes.length);
    return text;
  }

  /** As the C library says it, in lower case as Go has it. */
  public static String message(int error) {
    return LIBRARY.strerror(error).getString(0).toLowerCase(Locale.ROOT);
  }

  private static double unsigned(Pointer answer, int index) {
    long value = answer.getLong((long) Long.BYTES * index);
    return value >= 0 ? value : value + 0x1p64;
  }

  /**
   * The time zone as TZ and the machine have it. The JDK calls most zones otherwise than the C
   * library and Go.
   *
   * @param seconds since the epoch
   */
  public static Zone zone(long seconds) {
    Pointer time = Memory.allocateDirect(RUNTIME, Long.BYTES, true);
    time.putLong(0, seconds);
    Pointer local = Memory.allocateDirect(RUNTIME, STRUCTURE_BYTES, true);
    LIBRARY.localtime_r(time, local);
    // Nine numbers of 4 bytes and 4 bytes of padding come first.
    return new Zone(local.getPointer(48).getString(0), local.getLong(40));
  }

  /** State of the kernel's clock, or null if this process may not ask for it. */
  public static ClockState clock() {
    // All zero: nothing is changed.
    Pointer timex = Memory.allocateDirect(RUNTIME, STRUCTURE_BYTES, true);
    int result = LIBRARY.adjtimex(timex);
    if (result < 0) {
      int error = RUNTIME.getLastError();
      if (error == PERMISSION) {
        return null;
      }
      throw new IllegalStateException("adjtimex: " + message(error));
    }
    return ClockState.of(result, timex);
  }
}
