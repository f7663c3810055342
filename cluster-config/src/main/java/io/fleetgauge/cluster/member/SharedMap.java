package io.fleetgauge.cluster.member;

import com.hazelcast.core.EntryAdapter;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A map that all members share: bytes by name. Others can put anything into it, so each entry is
 * read by itself; one that is not bytes by name is ignored. Every call may wait.
 */
final class SharedMap {
  private final String name;
  private final IMap<Object, Object> map;
  private final IgnoredEntries ignored;

  SharedMap(HazelcastInstance hazelcast, String name, IgnoredEntries ignored) {
    this.name = name;
    this.map = hazelcast.getMap(name);
    this.ignored = ignored;
  }

  /** Calls {@code changed}, on any thread, when an entry may have changed. */
  void onChange(Runnable changed) {
    map.addEntryListener(
        new EntryAdapter<Object, Object>() {
          @Override
          public void onEntryEvent(EntryEvent<Object, Object> event) {
            changed.run();
          }
        },
        false);
  }

  /** What lies in the place of one name. */
  sealed interface Found {
    record Nothing() implements Found {}

    record Bytes(byte[] bytes) implements Found {}

    record Other(String reason) implements Found {}
  }

  Found get(String key) {
    try {
      return switch (map.get(key)) {
        case null -> new Found.Nothing();
        case byte[] bytes -> new Found.Bytes(bytes);
        case Object other -> {
          String reason = "it is of " + other.getClass().getName() + ", expected are bytes";
          ignore(key, reason);
          yield new Found.Other(reason);
        }
      };
    } catch (RuntimeException e) {
      String reason = unreadable(e);
      ignore(key, reason);
      return new Found.Other(reason);
    }
  }

  /** The readable entries of some names. */
  Map<String, byte[]> get(Collection<String> keys) {
    Map<String, byte[]> read = new TreeMap<>();
    Map<Object, Object> found;
    try {
      found = map.getAll(Set.copyOf(keys));
    } catch (RuntimeException e) {
      unreadable(e);
      // One of them cannot be read: which?
      for (String key : keys) {
        if (get(key) instanceof Found.Bytes(byte[] bytes)) {
          read.put(key, bytes);
        }
      }
      return read;
    }
    found.forEach((key, value) -> put(read, key, value));
    return read;
  }

  /** All readable entries. */
  SortedMap<String, byte[]> all() {
    SortedMap<String, byte[]> read = new TreeMap<>();
    // An entry is deserialized when it is its turn, so one that fails ends nothing.
    Iterator<Map.Entry<Object, Object>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      try {
        Map.Entry<Object, Object> each = entries.next();
        put(read, each.getKey(), each.getValue());
      } catch (RuntimeException e) {
        ignore("(a name or value of another form)", unreadable(e));
      }
    }
    return read;
  }

  private void put(Map<String, byte[]> into, Object key, Object value) {
    if (key instanceof String text && value instanceof byte[] bytes) {
      into.put(text, bytes);
    } else {
      ignore(
          String.valueOf(key),
          "it is of "
              + value.getClass().getName()
              + " by "
              + key.getClass().getName()
              + ", expected are bytes by String");
    }
  }

  /**
   * Why an entry cannot be read.
   *
   * @throws RuntimeException {@code failure} itself, if it is the call that failed
   */
  private static String unreadable(RuntimeException failure) {
    if (failure instanceof HazelcastSerializationException
        || failure instanceof SecurityException
        || failure instanceof ClassCastException
        || failure.getClass() == HazelcastException.class) {
      return "it cannot be deserialized: " + IgnoredEntries.quoted(failure.getMessage());
    }
    throw failure;
  }

  /** An entry is not what its place needs. */
  void ignore(String key, String reason) {
    ignored.ignore("entry " + IgnoredEntries.quoted(key) + " of map " + name, reason);
  }

  void set(String key, byte[] bytes) {
    map.set(key, bytes);
  }

  /** Whether an entry was there or has been put, by whomever. */
  void putIfAbsent(String key, byte[] bytes) {
    map.putIfAbsent(key, bytes);
  }

  /** Replaces an entry if it still is what was found. */
  boolean replace(String key, Found before, byte[] bytes) {
    return switch (before) {
      case Found.Nothing nothing -> map.putIfAbsent(key, bytes) == null;
      case Found.Bytes found -> map.replace(key, found.bytes(), bytes);
      case Found.Other other -> {
        map.set(key, bytes);
        yield true;
      }
    };
  }

  void delete(String key) {
    map.delete(key);
  }

  boolean contains(String key) {
    return map.containsKey(key);
  }

  int size() {
    return map.size();
  }
}
