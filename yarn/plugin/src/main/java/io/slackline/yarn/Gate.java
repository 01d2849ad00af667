package io.slackline.yarn;

import io.slackline.yarn.v1.Mode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEvent;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppEventType;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppState;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttempt;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEventType;

/**
 * Holds applications that claim something of Slackline at their submission until a verdict comes, on no thread: the event that
 * adds one is put aside, and posted again. The client waits, and prints the sentence of a refusal. A MapReduce job without
 * tags waits until its files are read, which may name a deadline.
 */
final class Gate {
  /** An event that was put aside and comes again. */
  static final class Released extends AppAddedSchedulerEvent {
    Released(AppAddedSchedulerEvent e, ApplicationSubmissionContext c) {
      super(e.getUser(), c, e.getIsAppRecovering(), e.getApplicatonPriority(), e.getPlacementContext());
    }
  }

  private static final class Held {
    final AppAddedSchedulerEvent event;
    volatile Future<?> timeout;
    /** Slackline has been told of it. */
    boolean told;

    /** Somebody has decided. */
    void over() {
      Future<?> t = timeout;
      if (t != null) { // else it will find nobody
        t.cancel(false);
      }
    }

    Held(AppAddedSchedulerEvent event) {
      this.event = event;
    }
  }

  /** What stands before the colon of a tag that Slackline reads. */
  private static final Set<String> OUR_TAGS = Set.of("dl", "in", "soft", "vdl", "weight", "class", "wf", "due", "deadline", "within");

  private final SlacklineScheduler scheduler;
  /** Who wait. Whoever takes an entry out decides. */
  private final Map<ApplicationId, Held> held = new ConcurrentHashMap<>();
  /** Who were let in and have not come again yet; a kill takes them out. */
  private final Set<ApplicationId> passing = ConcurrentHashMap.newKeySet();
  /** Who were accepted and are to get nothing, not from the stock scheduler either. */
  private final Set<ApplicationId> accepted = ConcurrentHashMap.newKeySet();
  /** Why they wait who have not begun, as Slackline says. */
  private final Map<ApplicationId, String> said = new ConcurrentHashMap<>();
  private ScheduledThreadPoolExecutor timer;
  private long holdMs;

  Gate(SlacklineScheduler scheduler) {
    this.scheduler = scheduler;
  }

  void init(long holdMs) { // recovery adds applications before anything is started
    this.holdMs = holdMs;
    timer = new ScheduledThreadPoolExecutor(1, r -> {
      Thread t = new Thread(r, "slackline-gate");
      t.setDaemon(true);
      return t;
    });
    timer.setRemoveOnCancelPolicy(true);
  }

  void stop() {
    if (timer != null) {
      timer.shutdownNow();
    }
  }

  /** Tells whether the event goes no further for now. */
  boolean keeps(SchedulerEvent e) {
    if (e instanceof Released) {
      return !passing.remove(((Released) e).getApplicationId()); // it was killed on the way
    }
    if (e.getType() == SchedulerEventType.APP_ADDED) {
      AppAddedSchedulerEvent a = (AppAddedSchedulerEvent) e;
      return !a.getIsAppRecovering() && scheduler.isAttached() && hold(a);
    }
    if (e.getType() == SchedulerEventType.APP_REMOVED) {
      ApplicationId id = ((AppRemovedSchedulerEvent) e).getApplicationID();
      Held h = held.remove(id);
      if (h != null) {
        h.over();
      }
      passing.remove(id);
      accepted.remove(id);
      said.remove(id);
    }
    return false;
  }

  /** Only who has a tag or a deadline for Slackline waits for a verdict: it may claim more than it may, or make no sense. */
  private boolean asks(ApplicationId id) {
    RMApp app = scheduler.rmApp(id);
    return app != null && (scheduler.hasDeadline(id) || app.getApplicationTags().stream().anyMatch(t -> OUR_TAGS.contains(t.split(":", 2)[0]) && t.contains(":")));
  }

  private boolean hold(AppAddedSchedulerEvent a) {
    ApplicationId id = a.getApplicationId();
    Held h = new Held(a);
    held.put(id, h); // before its time can be up
    h.timeout = timer.schedule(() -> admit(id), holdMs, TimeUnit.MILLISECONDS);
    try {
      if (scheduler.reads(id, () -> tell(id, true))) {
        timer.schedule(() -> tell(id, false), holdMs * 3 / 4, TimeUnit.MILLISECONDS);
      } else if (asks(id)) {
        tell(id, true);
      } else if (held.remove(id) != null) {
        h.over();
        return false;
      }
    } catch (Throwable t) { // it waits all the same, and must not be added twice
      scheduler.wrong("a submission", t);
    }
    return true;
  }

  /** Tells of an application that waits: once its files are read, or when that has taken too long, and then again. */
  private void tell(ApplicationId id, boolean all) {
    boolean asks = asks(id);
    Held waits = held.computeIfPresent(id, (k, h) -> {
      if (all || !h.told) {
        scheduler.application(id, asks);
      }
      h.told = true;
      return h;
    });
    if (waits == null && all) {
      scheduler.again(id);
    } else if (waits != null && (!asks || scheduler.mode() == Mode.MODE_WATCH)) {
      admit(id); // who only watches gives no verdicts
    }
  }

  /** Lets an application in, if it waits. Any thread. */
  void admit(ApplicationId id) {
    Held h = held.remove(id);
    RMApp app = scheduler.rmApp(id);
    if (h == null || app == null) {
      return;
    }
    h.over();
    passing.add(id);
    scheduler.post(new Released(h.event, app.getApplicationSubmissionContext()));
  }

  /** Refuses an application that waits, and ends one that was accepted. */
  void reject(ApplicationId id, String sentence) {
    String said = "slackline: " + sentence;
    Held h = held.remove(id);
    if (h != null) {
      h.over();
      scheduler.post(new RMAppEvent(id, RMAppEventType.APP_REJECTED, said));
    } else {
      scheduler.post(new RMAppEvent(id, RMAppEventType.KILL, said));
    }
  }

  /** Lets users read why an application waits, now or once it has an attempt. */
  void say(ApplicationId id, String sentence) {
    said.put(id, sentence);
    explain(id);
  }

  /** Says it of the attempt that there is, until its master runs: the stock scheduler's own words are of its own doings. */
  void explain(ApplicationId id) {
    String sentence = said.getOrDefault(id, "");
    RMApp app = scheduler.rmApp(id);
    RMAppAttempt attempt = app == null ? null : app.getCurrentAppAttempt();
    if (attempt != null && app.getState() == RMAppState.ACCEPTED && !sentence.isEmpty()) {
      attempt.updateAMLaunchDiagnostics("slackline: " + sentence);
    }
  }

  /** Bars an accepted application from the stock scheduler, or no more. */
  void bar(ApplicationId id, boolean it) {
    if (it) {
      accepted.add(id);
    } else {
      accepted.remove(id);
    }
  }

  boolean isHeld(ApplicationId id) {
    return accepted.contains(id);
  }

  List<ApplicationId> waiting() {
    return new ArrayList<>(held.keySet());
  }

  /** Nobody gives verdicts any more: all are let in. */
  void open() {
    accepted.clear();
    said.clear();
    for (ApplicationId id : waiting()) {
      admit(id);
    }
  }
}
