package io.slackline.yarn;

import io.slackline.yarn.v1.Answer;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Locality;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Place;
import io.slackline.yarn.v1.Verdict;
import io.slackline.yarn.v1.Why;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMAppImpl;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.NodeType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerAppUtils;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.SchedulingMode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ContainerAllocationProposal;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ResourceCommitRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.SchedulerContainer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.AppPlacementAllocator;
import org.apache.hadoop.yarn.server.scheduler.SchedulerRequestKey;
import org.apache.hadoop.yarn.server.utils.BuilderUtils;
import org.apache.hadoop.yarn.util.resource.Resources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what items ask for, on the link's thread, through the scheduler's own checks. */
final class Hands {
  private static final Logger LOG = LoggerFactory.getLogger(Hands.class);
  private static final NodeType[] NEAREST = {NodeType.NODE_LOCAL, NodeType.RACK_LOCAL, NodeType.OFF_SWITCH};
  private static final int REMEMBERED = 1 << 16;

  private final SlacklineScheduler scheduler;
  /** Items that were seen, the eldest first. */
  private final java.util.LinkedHashSet<Long> seen = new java.util.LinkedHashSet<>();
  private long item;
  private volatile long applied;

  Hands(SlacklineScheduler scheduler) {
    this.scheduler = scheduler;
  }

  /** The item that is being placed, 0 = none. */
  long item() {
    return item;
  }

  /** The last item that asks account for. */
  long applied() {
    return applied;
  }

  /** Another Slackline has come, or the same one again: its items are all new. */
  void forget() {
    seen.clear();
    applied = 0;
  }

  void does(Item x) {
    if (x.getId() > 0 && !seen.add(x.getId())) {
      return;
    }
    if (seen.size() > REMEMBERED) {
      seen.remove(seen.iterator().next());
    }
    switch (x.getDoesCase()) {
      case PLACE:
        scheduler.locked(() -> place(x.getId(), x.getPlace()));
        break;
      case KILL:
        x.getKill().getContainersList().forEach(c -> kill(x.getId(), c));
        break;
      case HEADROOM: {
        ApplicationId id = application(x.getHeadroom().getApplication());
        if (id == null || scheduler.applicationOf(id) == null) {
          refuse(x.getId(), "", 1, Why.WHY_NO_APPLICATION);
        } else if (scheduler.mode() == Mode.MODE_WATCH) {
          refuse(x.getId(), x.getHeadroom().getApplication(), 1, Why.WHY_WATCHED);
        } else {
          scheduler.cap(id, x.getHeadroom().getContainers());
        }
        break;
      }
      case VERDICT:
        judge(x.getId(), x.getVerdict());
        break;
      default:
        refuse(x.getId(), "", 1, Why.WHY_BAD_ITEM);
    }
    applied = Math.max(applied, x.getId());
  }

  private static ApplicationId application(String name) {
    try {
      return ApplicationId.fromString(name);
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  private void judge(long id, Verdict v) {
    ApplicationId app = application(v.getApplication());
    RMApp known = app == null ? null : scheduler.rmApp(app);
    if (known == null || RMAppImpl.isAppInFinalState(known)) {
      refuse(id, v.getApplication(), 1, Why.WHY_NO_APPLICATION);
      return;
    }
    if (scheduler.mode() == Mode.MODE_WATCH) {
      refuse(id, v.getApplication(), 1, Why.WHY_WATCHED);
      return;
    }
    switch (v.getJudgement()) {
      case JUDGEMENT_ADMIT:
        scheduler.gate().bar(app, false);
        scheduler.gate().say(app, v.getSentence());
        scheduler.gate().admit(app);
        break;
      case JUDGEMENT_HOLD:
      case JUDGEMENT_SAMPLE:
        scheduler.gate().bar(app, true);
        scheduler.gate().say(app, v.getSentence());
        scheduler.gate().admit(app);
        break;
      case JUDGEMENT_REJECT:
        scheduler.gate().reject(app, v.getSentence());
        break;
      default:
        refuse(id, v.getApplication(), 1, Why.WHY_BAD_ITEM);
    }
  }

  /** Ends a container so that its ApplicationMaster counts no failure. */
  private void kill(long id, String name) {
    Why why = Why.WHY_STALE;
    try {
      ContainerId c = ContainerId.fromString(name);
      RMContainer r = scheduler.getRMContainer(c);
      if (scheduler.mode() != Mode.MODE_OURS) {
        why = scheduler.mode() == Mode.MODE_WATCH ? Why.WHY_WATCHED : Why.WHY_YIELDED;
      } else if (r != null && scheduler.hasTold(c)) {
        scheduler.completedContainer(r, SchedulerUtils.createPreemptedContainerStatus(c, SchedulerUtils.PREEMPTED_CONTAINER),
            RMContainerEventType.KILL);
        return;
      }
    } catch (IllegalArgumentException e) {
      why = Why.WHY_BAD_ITEM;
    }
    scheduler.tell(Event.newBuilder().setAnswer(Answer.newBuilder().setItem(id).setRefused(1).setWhy(why).setContainer(name)));
  }

  private void refuse(long id, String app, int count, Why why) {
    scheduler.tell(Event.newBuilder().setAnswer(Answer.newBuilder().setItem(id).setApplication(app).setRefused(count).setWhy(why)));
  }

  /** Places containers one after the other, and says how many. */
  private void place(long id, Place p) {
    int done = 0;
    Why why = null;
    item = id;
    try {
      while (done < p.getCount() && (why = one(p)) == null) {
        done++;
      }
    } catch (Throwable t) { // in whatever state the scheduler is, Slackline has to hear of it
      LOG.error("placing a container of {} went wrong", p.getApplication(), t);
      why = Why.WHY_GONE;
    } finally {
      item = 0;
      Answer.Builder a = Answer.newBuilder().setItem(id).setApplication(p.getApplication()).setGranted(done);
      if (done < p.getCount()) {
        a.setRefused(p.getCount() - done).setWhy(why);
      }
      scheduler.tell(Event.newBuilder().setAnswer(a));
    }
  }

  /** One container; why not, or null. */
  private Why one(Place p) {
    if (scheduler.mode() != Mode.MODE_OURS) {
      return scheduler.mode() == Mode.MODE_WATCH ? Why.WHY_WATCHED : Why.WHY_YIELDED;
    }
    if (!scheduler.serves()) {
      return Why.WHY_NOT_SERVING;
    }
    ApplicationId id = application(p.getApplication());
    SchedulerApplication<FiCaSchedulerApp> sa = id == null ? null : scheduler.applicationOf(id);
    FiCaSchedulerApp app = sa == null ? null : sa.getCurrentAppAttempt();
    if (app == null || app.isStopped()) {
      return Why.WHY_NO_APPLICATION;
    }
    if (scheduler.left().has(id)) {
      return Why.WHY_STALE;
    }
    if (!scheduler.isActive(app)) {
      return Why.WHY_NOT_ADMITTED; // its queue runs as many as it may, or their masters take what they may
    }
    FiCaSchedulerNode node = scheduler.nodeNamed(p.getNode());
    if (node == null) {
      return Why.WHY_NODE_AWAY;
    }
    Map<Integer, Integer> behind = scheduler.behind(app.getApplicationAttemptId());
    Why last = Why.WHY_STALE;
    for (int priority : p.getPrioritiesList()) {
      List<SchedulerRequestKey> keys = app.getAppSchedulingInfo().getSchedulerKeys().stream()
          .filter(k -> k.getPriority().getPriority() == priority).collect(Collectors.toList());
      if (keys.stream().mapToInt(app::getOutstandingAsksCount).sum() <= behind.getOrDefault(priority, 0)) {
        continue; // what it asks for beyond that it has been given, and did not know yet when it asked
      }
      for (SchedulerRequestKey key : keys) {
        Why why = commit(app, key, node, p.getFarthest());
        if (why == null) {
          return null;
        }
        last = why;
      }
    }
    return last;
  }

  private Why commit(FiCaSchedulerApp app, SchedulerRequestKey key, FiCaSchedulerNode node, Locality farthest) {
    AppPlacementAllocator<FiCaSchedulerNode> asks = app.getAppSchedulingInfo().getAppPlacementAllocator(key);
    if (asks == null || app.getOutstandingAsksCount(key) <= 0 || SchedulerAppUtils.isPlaceBlacklisted(app, node, LOG)
        || !asks.precheckNode(node, SchedulingMode.RESPECT_PARTITION_EXCLUSIVITY)) {
      return Why.WHY_STALE;
    }
    NodeType near = nearest(app, key, asks, node);
    if (near == null || farthest == Locality.LOCALITY_NODE && near != NodeType.NODE_LOCAL
        || farthest == Locality.LOCALITY_RACK && near == NodeType.OFF_SWITCH) {
      return Why.WHY_STALE;
    }
    Resource takes = asks.getPendingAsk(ResourceRequest.ANY).getPerAllocationResource();
    if (!Resources.fitsIn(takes, node.getUnallocatedResource())) {
      return Why.WHY_NO_ROOM;
    }
    if (scheduler.guarantees().owed(app.getCSLeafQueue(), takes)) {
      return Why.WHY_OWED;
    }
    Container c = BuilderUtils.newContainer(null, node.getNodeID(), node.getHttpAddress(), takes, key.getPriority(), null,
        key.getAllocationRequestId()); // it gets its id when it is committed
    RMContainer r = app.allocate(node, key, c);
    if (r == null) {
      return Why.WHY_NO_APPLICATION;
    }
    app.incUnconfirmedRes(takes); // a commit always takes it off
    SchedulerContainer<FiCaSchedulerApp, FiCaSchedulerNode> s = new SchedulerContainer<>(app, node, r, node.getPartition(), true);
    ResourceCommitRequest<FiCaSchedulerApp, FiCaSchedulerNode> request = new ResourceCommitRequest<>(
        Collections.singletonList(new ContainerAllocationProposal<>(s, null, null, near, near,
            SchedulingMode.RESPECT_PARTITION_EXCLUSIVITY, takes)), null, null);
    return scheduler.tryCommit(scheduler.getClusterResource(), request, true) ? null : Why.WHY_LIMIT;
  }

  /** The nearest at which something is asked for, null if nothing is. */
  private static NodeType nearest(FiCaSchedulerApp app, SchedulerRequestKey key, AppPlacementAllocator<FiCaSchedulerNode> asks,
      FiCaSchedulerNode node) {
    for (NodeType t : NEAREST) {
      String place = t == NodeType.NODE_LOCAL ? node.getNodeName() : t == NodeType.RACK_LOCAL ? node.getRackName() : ResourceRequest.ANY;
      boolean may = t == NodeType.NODE_LOCAL || asks.canDelayTo(place);
      if (may && asks.canAllocate(t, node) && app.getOutstandingAsksCount(key, place) > 0) {
        return t;
      }
    }
    return null;
  }

  /** What the largest container takes that the application asks for. */
  Resource largest(FiCaSchedulerApp app) {
    Resource most = Resources.createResource(0, 0);
    for (ResourceRequest r : app.getAppSchedulingInfo().getAllResourceRequests()) {
      most = Resources.componentwiseMax(most, r.getCapability());
    }
    return most;
  }
}
