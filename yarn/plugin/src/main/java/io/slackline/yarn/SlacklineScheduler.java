package io.slackline.yarn;

import io.slackline.yarn.v1.Application;
import io.slackline.yarn.v1.ApplicationEnd;
import io.slackline.yarn.v1.Asks;
import io.slackline.yarn.v1.AttemptEnd;
import io.slackline.yarn.v1.Cause;
import io.slackline.yarn.v1.Completion;
import io.slackline.yarn.v1.Done;
import io.slackline.yarn.v1.End;
import io.slackline.yarn.v1.Event;
import io.slackline.yarn.v1.Item;
import io.slackline.yarn.v1.Mode;
import io.slackline.yarn.v1.Snapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Allocation;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacitySchedulerConfiguration;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ContainerAllocationProposal;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.ResourceCommitRequest;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.SchedulerContainer;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerApp;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.common.fica.FiCaSchedulerNode;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppAttemptRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.AppRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeAddedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeRemovedSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeResourceUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.NodeUpdateSchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEvent;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.event.SchedulerEventType;
import org.apache.hadoop.yarn.util.resource.Resources;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * YARN's CapacityScheduler, of which Slackline may take the place: it is told what happens, and what it asks for is
 * committed by the scheduler's own checks. It decides nothing. While no Slackline is attached, or it yields, this is
 * the CapacityScheduler.
 *
 * <p>Whatever goes wrong in here is logged, and stock scheduling goes on: nothing may leave handle, which would end the
 * ResourceManager.
 */
public class SlacklineScheduler extends CapacityScheduler implements Link.Site {
  private static final Logger LOG = LoggerFactory.getLogger(SlacklineScheduler.class);

  private final News news = new News();
  private final Gate gate = new Gate(this);
  private final Hands hands = new Hands(this);
  private final Staging staging = new Staging();
  /** Containers that Slackline was told of, and whose end it was not. */
  private final Map<ContainerId, ApplicationAttemptId> told = new ConcurrentHashMap<>();
  /** How many containers of a priority have ended well, whoever was told of it. */
  private final Map<ApplicationId, Map<Integer, Integer>> done = new ConcurrentHashMap<>();
  /** By priority: how many containers came with the answer to an attempt's last ask, which did not know of them. */
  private final Map<ApplicationAttemptId, Map<Integer, Integer>> behind = new ConcurrentHashMap<>();
  /** How many more containers an application is told that it may get. */
  private final Map<ApplicationId, Integer> headroom = new ConcurrentHashMap<>();
  private volatile Mode mode = Mode.MODE_STOCK;
  private volatile boolean attached;
  private volatile Link link;

  @Override
  public void serviceInit(Configuration conf) throws Exception {
    Settings settings = new Settings(conf);
    // Its threads are what rests while Slackline places work; without them each heartbeat would propose in vain.
    conf.setBoolean(CapacitySchedulerConfiguration.SCHEDULE_ASYNCHRONOUSLY_ENABLE, true);
    gate.init(settings.holdMs);
    staging.init(conf);
    link = new Link(settings, ResourceManager.getClusterTimeStamp() + "-" + System.nanoTime(), this);
    super.serviceInit(conf);
  }

  @Override
  public void serviceStart() throws Exception {
    super.serviceStart();
    staging.warm();
    link.start();
  }

  @Override
  public void serviceStop() throws Exception {
    if (link != null) {
      link.stop();
    }
    gate.stop();
    staging.stop();
    super.serviceStop();
  }

  /** The stock scheduler's own threads rest while there is more than they may have pending. */
  @Override
  public int getAsyncSchedulingPendingBacklogs() {
    return mode == Mode.MODE_OURS ? Integer.MAX_VALUE : super.getAsyncSchedulingPendingBacklogs();
  }

  /** The one point that all containers pass, the stock scheduler's and ours. */
  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public boolean tryCommit(Resource cluster, ResourceCommitRequest r, boolean updatePending) {
    long item = link.isMine() ? hands.item() : 0;
    SchedulerContainer<FiCaSchedulerApp, FiCaSchedulerNode> c = null;
    ContainerAllocationProposal<FiCaSchedulerApp, FiCaSchedulerNode> p = null;
    if (r.anythingAllocatedOrReserved()) {
      p = r.getFirstAllocatedOrReservedContainer();
      c = p.getAllocatedOrReservedContainer();
      boolean held = gate.isHeld(c.getSchedulerApplicationAttempt().getApplicationId());
      if (!link.isMine() && (mode == Mode.MODE_OURS || mode == Mode.MODE_STOCK && held)) {
        if (!r.getContainersToAllocate().isEmpty()) { // it was in flight when control was taken
          c.getSchedulerApplicationAttempt().decUnconfirmedRes(r.getTotalAllocatedResource());
        }
        return false;
      }
    }
    boolean ok = super.tryCommit(cluster, r, updatePending);
    try {
      if (ok && c != null && c.isAllocated()) {
        allocated(c.getRmContainer(), p.getAllocationLocalityType(), item);
      }
    } catch (Throwable t) {
      wrong("a commit", t);
    }
    return ok;
  }

  private void allocated(RMContainer c, org.apache.hadoop.yarn.server.resourcemanager.scheduler.NodeType near, long item) {
    if (attached && told.putIfAbsent(c.getContainerId(), c.getApplicationAttemptId()) == null) {
      tell(Event.newBuilder().setContainer(Words.container(c, near, item)));
      if (item == 0) {
        asks(c.getApplicationAttemptId());
      }
    }
  }

  @Override
  public Allocation allocate(ApplicationAttemptId id, List<ResourceRequest> ask, List<SchedulingRequest> requests,
      List<ContainerId> release, List<String> shun, List<String> forgive, ContainerUpdates updates) {
    Allocation a = super.allocate(id, ask, requests, release, shun, forgive, updates);
    try {
      boolean asked = isAny(ask);
      Map<Integer, Integer> unknown = asked ? unknown(ask, a.getContainers()) : Map.of();
      if (unknown.isEmpty()) {
        behind.remove(id);
      } else {
        behind.put(id, unknown);
      }
      if (asked || isAny(release) || isAny(shun) || isAny(forgive)) {
        asks(id);
      }
      Integer cap = headroom.get(id.getApplicationId());
      FiCaSchedulerApp app = cap == null ? null : getApplicationAttempt(id);
      if (app != null && a.getResourceLimit() != null) {
        a.setResourceLimit(Resources.componentwiseMin(a.getResourceLimit(), Resources.multiply(hands.largest(app), cap)));
      }
    } catch (Throwable t) {
      wrong("an ask", t);
    }
    return a;
  }

  private static boolean isAny(List<?> list) {
    return list != null && !list.isEmpty();
  }

  /** How many containers of each priority for which there is an ask come with the answer to it. */
  private static Map<Integer, Integer> unknown(List<ResourceRequest> ask, List<Container> given) {
    Map<Integer, Integer> n = new HashMap<>();
    for (Container c : given == null ? List.<Container>of() : given) {
      if (ask.stream().anyMatch(r -> r.getPriority().equals(c.getPriority()))) {
        n.merge(c.getPriority().getPriority(), 1, Integer::sum);
      }
    }
    return n;
  }

  @Override
  protected void completedContainerInternal(RMContainer c, ContainerStatus status, RMContainerEventType by) {
    super.completedContainerInternal(c, status, by);
    try {
      if (Words.isWell(status, by) && c.getAllocatedPriority() != null) {
        done.computeIfAbsent(c.getApplicationAttemptId().getApplicationId(), id -> new ConcurrentHashMap<>())
            .merge(c.getAllocatedPriority().getPriority(), 1, Integer::sum);
      }
      ApplicationAttemptId attempt = told.remove(c.getContainerId());
      if (attempt != null) {
        Completion end = Words.completion(status, by);
        tell(Event.newBuilder().setCompletion(end));
        if (end.getCause() != Cause.CAUSE_EXITED) {
          asks(attempt); // what nobody has picked up is asked for again
        }
      }
    } catch (Throwable t) {
      wrong("the end of a container", t);
    }
  }

  @Override
  protected void containerLaunchedOnNode(ContainerId id, SchedulerNode node) {
    super.containerLaunchedOnNode(id, node);
    try {
      if (told.containsKey(id)) {
        tell(Event.newBuilder().setLaunched(id.toString()));
      }
    } catch (Throwable t) {
      wrong("a launch", t);
    }
  }

  @Override
  public void handle(SchedulerEvent e) {
    try {
      if (gate.keeps(e)) {
        return;
      }
    } catch (Throwable t) {
      wrong("a submission", t);
    }
    locked(() -> { // no full state comes between what happens and that it is told: a node would come up behind its containers
      super.handle(e);
      try {
        if (e.getType() == SchedulerEventType.APP_REMOVED) {
          staging.forget(((AppRemovedSchedulerEvent) e).getApplicationID());
          done.remove(((AppRemovedSchedulerEvent) e).getApplicationID());
        }
        after(e);
      } catch (Throwable t) {
        wrong(String.valueOf(e.getType()), t);
      }
    });
  }

  /** Tells what has happened. */
  void after(SchedulerEvent e) {
    if (!attached) {
      return;
    }
    switch (e.getType()) {
      case NODE_ADDED:
        added(((NodeAddedSchedulerEvent) e).getAddedRMNode().getNodeID());
        break;
      case NODE_REMOVED: {
        NodeId id = ((NodeRemovedSchedulerEvent) e).getRemovedRMNode().getNodeID();
        tell(Event.newBuilder().setNodeDown(id.getHost()));
        break;
      }
      case NODE_RESOURCE_UPDATE:
        changed(((NodeResourceUpdateSchedulerEvent) e).getRMNode().getNodeID());
        break;
      case NODE_LABELS_UPDATE:
      case NODE_ATTRIBUTES_UPDATE:
        nodeTracker.getAllNodes().forEach(n -> changed(n.getNodeID()));
        break;
      case NODE_UPDATE:
        news.beat(((NodeUpdateSchedulerEvent) e).getRMNode().getNodeID().getHost());
        link.wake();
        break;
      case APP_ADDED: {
        ApplicationId id = ((AppAddedSchedulerEvent) e).getApplicationId();
        if (!(e instanceof Gate.Released)) {
          application(id, false);
        }
        break;
      }
      case APP_REMOVED: {
        AppRemovedSchedulerEvent x = (AppRemovedSchedulerEvent) e;
        RMApp app = rmContext.getRMApps().get(x.getApplicationID());
        headroom.remove(x.getApplicationID());
        tell(Event.newBuilder().setApplicationEnd(ApplicationEnd.newBuilder().setId(x.getApplicationID().toString())
            .setEnd(Words.end(app, x.getFinalState())).setEndedMs(app == null ? 0 : app.getFinishTime())));
        break;
      }
      case APP_ATTEMPT_ADDED:
        asks(((AppAttemptAddedSchedulerEvent) e).getApplicationAttemptId());
        break;
      case APP_ATTEMPT_REMOVED: {
        AppAttemptRemovedSchedulerEvent x = (AppAttemptRemovedSchedulerEvent) e;
        RMAppAttemptState s = x.getFinalAttemptState();
        behind.remove(x.getApplicationAttemptID());
        tell(Event.newBuilder().setAttemptEnd(AttemptEnd.newBuilder()
            .setApplication(x.getApplicationAttemptID().getApplicationId().toString())
            .setAttempt(x.getApplicationAttemptID().getAttemptId())
            .setEnd(s == RMAppAttemptState.FINISHED ? End.END_SUCCEEDED : s == RMAppAttemptState.KILLED ? End.END_KILLED : End.END_FAILED)));
        break;
      }
      default:
        break;
    }
  }

  private void added(NodeId id) {
    FiCaSchedulerNode n = nodeTracker.getNode(id);
    if (n == null) {
      return;
    }
    tell(Event.newBuilder().setNodeUp(Words.node(n)));
    for (RMContainer c : n.getCopiedListOfRunningContainers()) {
      allocated(c, null, 0); // it ran there before the ResourceManager started
    }
  }

  private void changed(NodeId id) {
    FiCaSchedulerNode n = nodeTracker.getNode(id);
    if (n != null) {
      tell(Event.newBuilder().setNodeChanged(Words.node(n)));
    }
  }

  /** Tells of an application, if Slackline is there. */
  void application(ApplicationId id, boolean held) {
    RMApp app = rmContext.getRMApps().get(id);
    if (app != null) {
      tell(Event.newBuilder().setApplication(Words.application(app, held, staging.of(id))));
    }
  }

  /** Has the files of an application read, and calls back; false: nobody will call. */
  boolean reads(ApplicationId id, Runnable then) {
    RMApp app = rmApp(id);
    return app != null && staging.read(id, app.getUser(), app.getApplicationSubmissionContext(), then);
  }

  /** Tells whether files that were read of an application name a deadline. */
  boolean hasDeadline(ApplicationId id) {
    return staging.of(id) != null && !staging.of(id).getDeadline().isEmpty();
  }

  /** Tells once more of an application that waits no longer, with what was read of it meanwhile. */
  void again(ApplicationId id) {
    locked(() -> {
      if (applications.containsKey(id)) {
        application(id, false);
      } else {
        staging.forget(id); // it has ended
      }
    });
  }

  void tell(Event.Builder e) {
    if (attached) {
      news.add(e.build());
      link.wake();
    }
  }

  private void asks(ApplicationAttemptId id) {
    if (attached) {
      news.asked(id);
      link.wake();
    }
  }

  /** What an attempt asks for, and where it may have nothing; while it waits for its own container YARN's list of that counts. */
  private Asks asked(FiCaSchedulerApp a) {
    Collection<String> avoids = a.isWaitingForAMContainer()
        ? nodeTracker.getAllNodes().stream().map(FiCaSchedulerNode::getNodeName).filter(a::isPlaceBlacklisted).toList()
        : a.getBlacklistedNodes();
    return Words.asks(a, hands.applied(), behind(a.getApplicationAttemptId()), avoids);
  }

  void post(org.apache.hadoop.yarn.event.Event<?> e) {
    rmContext.getDispatcher().getEventHandler().handle(e);
  }

  RMApp rmApp(ApplicationId id) {
    return rmContext.getRMApps().get(id);
  }

  boolean isAttached() {
    return attached;
  }

  /** So many less than its last ask says an attempt wants, by priority, until it asks again. */
  Map<Integer, Integer> behind(ApplicationAttemptId id) {
    return behind.getOrDefault(id, Map.of());
  }

  boolean hasTold(ContainerId id) {
    return told.containsKey(id);
  }

  boolean serves() {
    return rmContext.isSchedulerReadyForAllocatingContainers();
  }

  FiCaSchedulerNode nodeNamed(String host) {
    List<FiCaSchedulerNode> l = host.isEmpty() ? null : nodeTracker.getNodesByResourceName(host);
    return l == null || l.isEmpty() ? null : l.get(0);
  }

  SchedulerApplication<FiCaSchedulerApp> applicationOf(ApplicationId id) {
    return applications.get(id);
  }

  /** Runs under the scheduler's own lock. */
  void locked(Runnable r) {
    writeLock.lock();
    try {
      r.run();
    } finally {
      writeLock.unlock();
    }
  }

  Gate gate() {
    return gate;
  }

  void cap(ApplicationId id, int containers) {
    if (containers < 0) {
      headroom.remove(id);
    } else {
      headroom.put(id, containers);
    }
  }

  void wrong(String what, Throwable t) {
    LOG.error("telling Slackline of {} went wrong; all is told again", what, t);
    news.overflow();
  }

  // What the link asks for.

  @Override
  public Snapshot snapshot(long next) {
    Snapshot.Builder b = Snapshot.newBuilder().setNext(next).setMode(mode);
    locked(() -> {
      if (!attached) {
        hands.forget();
      }
      attached = true;
      news.clear();
      told.clear();
      headroom.clear();
      b.setTimeMs(System.currentTimeMillis());
      nodeTracker.getAllNodes().forEach(n -> b.addNodes(Words.node(n)));
      for (ApplicationId id : gate.waiting()) {
        if (rmApp(id) != null) {
          b.addApplications(Words.application(rmApp(id), true, staging.of(id)));
        }
      }
      for (Map.Entry<ApplicationId, SchedulerApplication<FiCaSchedulerApp>> e : applications.entrySet()) {
        RMApp app = rmApp(e.getKey());
        if (app == null) {
          continue;
        }
        Application.Builder x = Words.application(app, false, staging.of(e.getKey())).toBuilder();
        done.getOrDefault(e.getKey(), Map.of()).forEach((p, n) -> x.addDone(Done.newBuilder().setPriority(p).setCount(n)));
        b.addApplications(x);
        reads(e.getKey(), () -> again(e.getKey())); // it came while nobody was attached
        FiCaSchedulerApp a = e.getValue().getCurrentAppAttempt();
        if (a != null) {
          b.addAsks(asked(a));
          for (RMContainer c : a.getLiveContainers()) {
            told.put(c.getContainerId(), c.getApplicationAttemptId());
            b.addContainers(Words.container(c, null, 0));
          }
        }
      }
    });
    return b.build();
  }

  @Override
  public List<Event> news(boolean beating) {
    List<Event> out = new ArrayList<>();
    boolean[] over = new boolean[1];
    locked(() -> {
      List<ApplicationAttemptId> asked = news.take(out, beating);
      if (asked == null) {
        over[0] = true;
        return;
      }
      for (ApplicationAttemptId id : asked) {
        FiCaSchedulerApp a = getApplicationAttempt(id);
        if (a != null && a.getApplicationAttemptId().equals(id)) {
          out.add(Event.newBuilder().setAsks(asked(a)).build());
        }
      }
    });
    return over[0] ? null : out;
  }

  @Override
  public void does(Item item) {
    try {
      hands.does(item);
    } catch (Throwable t) {
      LOG.error("item {} went wrong", item.getId(), t);
    }
  }

  @Override
  public Mode mode() {
    return mode;
  }

  /** Takes control, or gives it away. Reservations of the stock scheduler would bar nodes for ours. */
  @Override
  public void mode(Mode to) {
    LOG.info("who places work: {}", to);
    locked(() -> {
      mode = to;
      if (to == Mode.MODE_OURS) {
        for (FiCaSchedulerNode n : nodeTracker.getAllNodes()) {
          if (n.getReservedContainer() != null) {
            killReservedContainer(n.getReservedContainer());
          }
        }
      }
    });
  }

  @Override
  public void broken() {
    if (mode != Mode.MODE_STOCK || attached) {
      LOG.info("Slackline is gone: the stock scheduler places work");
    }
    mode = Mode.MODE_STOCK;
    attached = false;
    headroom.clear();
    news.clear();
    gate.open();
  }
}
