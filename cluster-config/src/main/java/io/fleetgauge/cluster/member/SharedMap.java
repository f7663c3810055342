package io.fleetgauge.cluster.member;

import com.hazelcast.core.EntryAdapter;
import com.hazelcast.core.EntryEvent;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.fleetgauge.cluster.member.Entry.Found;
import io.fleetgauge.runtime.trust.Seal;
import io.fleetgauge.sample.wire.WireException;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A map that all members share: sealed entries by name. Others can put anything into it, so each
 * entry is read by itself; one that is not proven is ignored. Every call may wait.
 */
final class SharedMap {
  private final String name;
  private final HazelcastInstance hazelcast;
  private final IMap<Object, Object> map;
  private final Seal seal;
  private final String cluster;
  private final AtomicLong sequence;
  private final IgnoredEntries ignored;

  /**
   * @param cluster the cluster's name
   * @param sequence of the last entry that this process wrote into any map
   */
  SharedMap(
      HazelcastInstance hazelcast,
      String name,
      Seal seal,
      String cluster,
      AtomicLong sequence,
      IgnoredEntries ignored) {
    this.name = name;
    this.hazelcast = hazelcast;
    this.map = hazelcast.getMap(name);
    this.seal = seal;
    this.cluster = cluster;
    this.sequence = sequence;
    this.ignored = ignored;
  }

  /** Reads the body of an entry. */
  interface Form<T> {
    /**
     * @throws WireException if the entry does not belong in its place
     */
    T read(String name, Entry entry) throws WireException;
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

  Found get(String key) {
    Found found;
    try {
      Object value = map.get(key);
      found = value == null ? new Found.Nothing() : open(key, value);
    } catch (RuntimeException e) {
      found = new Found.Other(unreadable(e));
    }
    if (found instanceof Found.Other(String reason)) {
      ignore(key, reason);
    }
    return found;
  }

  /** The readable entries of some names. */
  <T> Map<String, T> get(Collection<String> keys, Form<T> form) {
    Map<String, T> read = new TreeMap<>();
    try {
      map.getAll(Set.copyOf(keys)).forEach((key, value) -> put(read, key, value, form));
    } catch (RuntimeException e) {
      unreadable(e);
      // One of them cannot be deserialized, and all failed with it.
      for (String key : keys) {
        if (get(key) instanceof Found.Proven(byte[] bytes, Entry entry)) {
          put(read, key, bytes, form);
        }
      }
    }
    return read;
  }

  /** All readable entries. */
  <T> Map<String, T> all(Form<T> form) {
    Map<String, T> read = new TreeMap<>();
    // An entry is deserialized when it is its turn, so one that fails ends nothing.
    Iterator<Map.Entry<Object, Object>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      try {
        Map.Entry<Object, Object> each = entries.next();
        put(read, each.getKey(), each.getValue(), form);
      } catch (RuntimeException e) {
        ignore("(a name or value of another form)", unreadable(e));
      }
    }
    return read;
  }

  private <T> void put(Map<String, T> into, Object key, Object value, Form<T> form) {
    if (!(key instanceof String place)) {
      ignore(String.valueOf(key), "its name is of " + key.getClass().getName());
      return;
    }
    switch (open(place, value)) {
      case Found.Nothing nothing -> {}
      case Found.Proven proven -> {
        try {
          into.put(place, form.read(place, proven.entry()));
        } catch (WireException e) {
          ignore(place, e.getMessage());
        }
      }
      case Found.Newer newer -> ignore(place, "it has format version " + newer.version());
      case Found.Other(String reason) -> ignore(place, reason);
    }
  }

  private Found open(String key, Object value) {
    if (!(value instanceof byte[] bytes)) {
      return new Found.Other("it is of " + value.getClass().getName() + ", expected are bytes");
    }
    return Entry.open(bytes, seal, cluster, name, key);
  }

  /**
   * Why an entry cannot be read.
   *
   * @throws RuntimeException {@code failure} itself, if it is the call that failed
   */
  private static String unreadable(RuntimeException failure) {
    if (failure instanceof HazelcastSerializationException
        || failure instanceof SecurityException
        || failure.getClass() == HazelcastException.class) {
      return "it cannot be deserialized: " + IgnoredEntries.quoted(failure.getMessage());
    }
    throw failure;
  }

  private void ignore(String key, String reason) {
    ignored.ignore("entry " + IgnoredEntries.quoted(key) + " of map " + name, reason);
  }

  /**
   * Puts an entry of this member.
   *
   * @return its sequence
   */
  long set(String key, byte[] body) {
    map.set(key, sealed(key, body));
    return sequence.get();
  }

  /** Replaces an entry if it still is what was found. */
  boolean replace(String key, Found before, byte[] body) {
    byte[] sealed = sealed(key, body);
    return switch (before) {
      case Found.Nothing nothing -> map.putIfAbsent(key, sealed) == null;
      case Found.Proven proven -> map.replace(key, proven.bytes(), sealed);
      case Found.Newer newer -> false;
      case Found.Other other -> {
        map.set(key, sealed);
        yield true;
      }
    };
  }

  private byte[] sealed(String key, byte[] body) {
    String session = hazelcast.getCluster().getLocalMember().getUuid().toString();
    return new Entry(session, sequence.incrementAndGet(), body).sealed(seal, cluster, name, key);
  }

  /** Signs proven entries with the present secret that were signed with another valid one. */
  void signAgain() {
    all((key, entry) -> entry)
        .forEach(
            (key, entry) -> {
              byte[] signed = entry.sealed(seal, cluster, name, key);
              if (map.get(key) instanceof byte[] there
                  && !Arrays.equals(signed, there)
                  && open(key, there) instanceof Found.Proven(byte[] bytes, Entry same)
                  && same.sequence() == entry.sequence()
                  && same.session().equals(entry.session())) {
                map.replace(key, bytes, signed);
              }
            });
  }

  void delete(String key) {
    map.delete(key);
  }

  int size() {
    return map.size();
  }
}
