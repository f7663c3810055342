package io.fleetgauge.probe.host.libc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Calls of the C library. Any thread may call; each call has memory of its own. */
public final class Libc {
  private static final int PERMISSION = 1;

  /** Larger than each of the structures. */
  private static final long STRUCTURE_BYTES = 256;

  private static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();
  private static final Linker.Option KEEP_ERRNO = Linker.Option.captureCallState("errno");
  private static final VarHandle ERRNO =
      CALL_STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle STATVFS =
      function("statvfs", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS), KEEP_ERRNO);
  private static final MethodHandle ADJTIMEX =
      function("adjtimex", FunctionDescriptor.of(JAVA_INT, ADDRESS), KEEP_ERRNO);
  private static final MethodHandle STRERROR =
      function("strerror", FunctionDescriptor.of(ADDRESS, JAVA_INT));
  private static final MethodHandle PAGE_SIZE =
      function("getpagesize", FunctionDescriptor.of(JAVA_INT));

  /**
   * Space of a file system.
   *
   * @param error what the call failed with; empty if it did not
   * @param size bytes, as {@code free} and {@code available}
   */
  public record Space(
      String error, double size, double free, double available, double files, double filesFree) {}

  private Libc() {}

  @SuppressWarnings("restricted")
  private static MethodHandle function(
      String name, FunctionDescriptor signature, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), signature, options);
  }

  /** Bytes of a page of memory. */
  public static int pageBytes() {
    try {
      return (int) PAGE_SIZE.invokeExact();
    } catch (Throwable e) {
      throw new IllegalStateException("getpagesize cannot be called", e);
    }
  }

  /** Asks for the space of the file system that holds a path; blocks as long as it does. */
  public static Space space(String path) {
    try (Arena memory = Arena.ofConfined()) {
      MemorySegment state = memory.allocate(CALL_STATE);
      MemorySegment answer = memory.allocate(STRUCTURE_BYTES, Long.BYTES);
      int result =
          (int)
              STATVFS.invokeExact(state, memory.allocateFrom(path, StandardCharsets.UTF_8), answer);
      if (result != 0) {
        return new Space(message((int) ERRNO.get(state, 0L)), 0, 0, 0, 0, 0);
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
    } catch (Throwable e) {
      throw new IllegalStateException("statvfs cannot be called", e);
    }
  }

  /** As the C library says it, in lower case as Go has it. */
  @SuppressWarnings("restricted")
  private static String message(int error) throws Throwable {
    MemorySegment text = (MemorySegment) STRERROR.invokeExact(error);
    return text.reinterpret(STRUCTURE_BYTES).getString(0).toLowerCase(Locale.ROOT);
  }

  private static double unsigned(MemorySegment answer, int index) {
    long value = answer.getAtIndex(JAVA_LONG, index);
    return value >= 0 ? value : value + 0x1p64;
  }

  /** State of the kernel's clock, or null if this process may not ask for it. */
  public static ClockState clock() {
    try (Arena memory = Arena.ofConfined()) {
      MemorySegment state = memory.allocate(CALL_STATE);
      // All zero: nothing is changed.
      MemorySegment timex = memory.allocate(STRUCTURE_BYTES, Long.BYTES);
      int result = (int) ADJTIMEX.invokeExact(state, timex);
      if (result < 0) {
        int error = (int) ERRNO.get(state, 0L);
        if (error == PERMISSION) {
          return null;
        }
        throw new IllegalStateException("adjtimex: " + message(error));
      }
      return ClockState.of(result, timex);
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("adjtimex cannot be called", e);
    }
  }
}
