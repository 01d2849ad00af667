package io.slackline.yarn;

import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Names;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;

/**
 * What has happened and was not told yet. Heartbeats of a node are told once, however many there were, and asks of an
 * attempt as they stand in the end. More than can be kept becomes a snapshot.
 */
final class News {
  static final int MOST = 50_000;
  /**
   * So many nodes' heartbeats are told at a time, or a part of those that wait if that is more. What is decided for them is
   * done in one go, and the last of it waits for all before; with very few the link rests while Slackline decides.
   */
  static final int BEATS = 4;
  private static final int PART = 100;

  private List<Event> events = new ArrayList<>();
  private final Set<String> beats = new LinkedHashSet<>();
  private final Set<ApplicationAttemptId> asked = new LinkedHashSet<>();
  private boolean over;

  synchronized void add(Event e) {
    if (events.size() >= MOST) {
      overflow();
    }
    if (!over) {
      events.add(e);
    }
  }

  synchronized void beat(String node) {
    beats.add(node);
  }

  synchronized void asked(ApplicationAttemptId id) {
    asked.add(id);
  }

  /** All has to be told again. */
  synchronized void overflow() {
    clear();
    over = true;
  }

  synchronized void clear() {
    events = new ArrayList<>();
    beats.clear();
    asked.clear();
    over = false;
  }

  /** Adds what has happened to the list, heartbeats too or not, and returns who has asked; null if there was too much. */
  synchronized List<ApplicationAttemptId> take(List<Event> into, boolean beating) {
    if (over) {
      return null;
    }
    into.addAll(events);
    if (beating && !beats.isEmpty()) {
      Names.Builder first = Names.newBuilder();
      Iterator<String> i = beats.iterator();
      for (int n = Math.max(BEATS, beats.size() / PART); n > 0 && i.hasNext(); n--) {
        first.addNames(i.next());
        i.remove();
      }
      into.add(Event.newBuilder().setHeartbeats(first).build());
    }
    List<ApplicationAttemptId> who = new ArrayList<>(asked);
    events = new ArrayList<>();
    asked.clear();
    return who;
  }
}
