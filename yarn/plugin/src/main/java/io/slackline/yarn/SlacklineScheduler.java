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
import io.slackline.yarn.v1.Queue;
import io.slackline.yarn.v1.Queues;
import io.slackline.yarn.v1.Snapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.com.google.common.util.concurrent.SettableFuture;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerStatus;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceRequest;
import org.apache.hadoop.yarn.api.records.SchedulingRequest;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.resourcemanager.RMContext;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.RMApp;
import org.apache.hadoop.yarn.server.resourcemanager.rmapp.attempt.RMAppAttemptState;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainer;
import org.apache.hadoop.yarn.server.resourcemanager.rmcontainer.RMContainerEventType;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.Allocation;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.ContainerUpdates;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplication;
import org.apache.hadoop.yarn.server.resourcemanager.scheduler.SchedulerApplicationAttempt;
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
  private final Left left = new Left(this);
  private final Guarantees guarantees = new Guarantees(this);
  /** Containers that Slackline was told of, and whose end it was not. */
  private final Map<ContainerId, ApplicationAttemptId> told = new ConcurrentHashMap<>();
  /** How many containers of a priority have ended well, whoever was told of it. */
  private final Map<ApplicationId, Map<Integer, Integer>> done = new ConcurrentHashMap<>();
  /** By priority: how many containers came with the answer to an attempt's last ask, which did not know of them. */
  private final Map<ApplicationAttemptId, Map<Integer, Integer>> behind = new ConcurrentHashMap<>();
  /** How many more containers an application is told that it may get. */
  private final Map<ApplicationId, Integer> headroom = new ConcurrentHashMap<>();
  /** Attempts that get nothing now, as their queue runs as many as it may, or their masters would take more than they may. */
  private final Set<ApplicationAttemptId> idle = ConcurrentHashMap.newKeySet();
  private volatile Mode mode = Mode.MODE_STOCK;
  private volatile boolean attached;
  /** Null if the plug-in could not start: then this is the CapacityScheduler for good. */
  private volatile Link link;
  /** The thread that takes in a node's beat. */
  private volatile Thread beating;
  private boolean ports;

  @Override
  public void serviceInit(Configuration conf) throws Exception {
    try {
      Settings settings = new Settings(conf);
      ports = conf.getBoolean(YarnConfiguration.RM_SCHEDULER_INCLUDE_PORT_IN_NODE_NAME,
          YarnConfiguration.DEFAULT_RM_SCHEDULER_USE_PORT_FOR_NODE_NAME);
      // At beats the stock scheduler proposes who stands first again and again: if Slackline holds him, nobody else gets anything.
      if (conf.get(CapacitySchedulerConfiguration.SCHEDULE_ASYNCHRONOUSLY_ENABLE) == null) {
        conf.setBoolean(CapacitySchedulerConfiguration.SCHEDULE_ASYNCHRONOUSLY_ENABLE, true);
      }
      gate.init(settings.holdMs);
      guarantees.init(conf);
      staging.init(conf);
      link = new Link(settings, ResourceManager.getClusterTimeStamp() + "-" + System.nanoTime(), this);
    } catch (Throwable t) { // nothing of ours is a reason to have no ResourceManager
      LOG.error("the stock scheduler places all work until the next start, as the plug-in of Slackline cannot start: {}",
          t instanceof IOException ? t.getMessage() : String.valueOf(t));
    }
    super.serviceInit(conf);
  }

  @Override
  public void serviceStart() throws Exception {
    super.serviceStart();
    if (link != null) {
      staging.warm();
      link.start();
    }
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

  /** Where it places work at beats, it finds no node for that, as it asks for one under its lock. */
  @Override
  public FiCaSchedulerNode getNode(NodeId id) {
    return mode == Mode.MODE_OURS && Thread.currentThread() == beating && writeLock.isHeldByCurrentThread() ? null : super.getNode(id);
  }

  /** A node of a partition: there the stock scheduler places all work, also of those who ask for none, where it shares what is idle. */
  static boolean isApart(FiCaSchedulerNode n) {
    return n != null && !n.getPartition().isEmpty();
  }

  private boolean isMine() {
    return link != null && link.isMine();
  }

  /** The one point that all containers pass, the stock scheduler's and ours. */
  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public boolean tryCommit(Resource cluster, ResourceCommitRequest r, boolean updatePending) {
    long item = isMine() ? hands.item() : 0;
    SchedulerContainer<FiCaSchedulerApp, FiCaSchedulerNode> c = null;
    ContainerAllocationProposal<FiCaSchedulerApp, FiCaSchedulerNode> p = null;
    if (r.anythingAllocatedOrReserved()) {
      p = r.getFirstAllocatedOrReservedContainer();
      c = p.getAllocatedOrReservedContainer();
      ApplicationId id = c.getSchedulerApplicationAttempt().getApplicationId();
      boolean apart = isApart(c.getSchedulerNode());
      boolean ours = mode == Mode.MODE_OURS && !left.has(id) && !apart;
      if (!isMine() && (ours || (apart || mode == Mode.MODE_STOCK) && gate.isHeld(id))) {
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
      tell(Event.newBuilder().setContainer(Words.container(c, named(c.getAllocatedNode()), near, item)));
      if (item == 0) {
        asks(c.getApplicationAttemptId());
      }
    }
  }

  @Override
  public Allocation allocate(ApplicationAttemptId id, List<ResourceRequest> ask, List<SchedulingRequest> requests,
      List<ContainerId> release, List<String> shun, List<String> forgive, ContainerUpdates updates) {
    try {
      if (left.looks(id.getApplicationId(), ask, requests)) {
        again(id.getApplicationId());
      }
    } catch (Throwable t) {
      wrong("an ask", t);
    }
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
      ApplicationId app = c.getApplicationAttemptId().getApplicationId();
      if (Words.isWell(status, by) && c.getAllocatedPriority() != null && applications.containsKey(app)) {
        done.computeIfAbsent(app, id -> new ConcurrentHashMap<>())
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
    if (e.getType() == SchedulerEventType.NODE_UPDATE) { // most of them: what it tells is told under the stock scheduler's own locks
      beat((NodeUpdateSchedulerEvent) e);
      return;
    }
    locked(() -> { // no full state comes between what happens and that it is told: a node would come up behind its containers
      super.handle(e);
      try {
        if (e.getType() == SchedulerEventType.APP_REMOVED) {
          ApplicationId id = ((AppRemovedSchedulerEvent) e).getApplicationID();
          staging.forget(id);
          done.remove(id);
          left.forget(id);
        } else if (e.getType() == SchedulerEventType.APP_ATTEMPT_REMOVED) {
          behind.remove(((AppAttemptRemovedSchedulerEvent) e).getApplicationAttemptID());
        } else if (e.getType() == SchedulerEventType.APP_ATTEMPT_ADDED) {
          gate.explain(((AppAttemptAddedSchedulerEvent) e).getApplicationAttemptId().getApplicationId());
        }
        after(e);
        stir();
      } catch (Throwable t) {
        wrong(String.valueOf(e.getType()), t);
      }
    });
  }

  private void beat(NodeUpdateSchedulerEvent e) {
    beating = Thread.currentThread();
    try {
      super.handle(e);
    } finally {
      beating = null;
    }
    try {
      NodeId id = e.getRMNode().getNodeID();
      FiCaSchedulerNode n = mode == Mode.MODE_OURS && serves() ? nodeTracker.getNode(id) : null;
      if (n != null && (left.any() || isApart(n))) {
        locked(() -> left.serve(n, isApart(n)));
      }
      if (attached) {
        news.beat(named(id));
        link.wake();
      }
    } catch (Throwable t) {
      wrong("a beat", t);
    }
  }

  /** Tells what those ask for whom their queue lets run by now. */
  private void stir() {
    for (ApplicationAttemptId id : idle) {
      FiCaSchedulerApp a = getApplicationAttempt(id);
      if (a == null || a.isStopped() || isActive(a)) {
        idle.remove(id);
        asks(id);
      }
    }
  }

  /** The stock scheduler would place work of it: its queue has let it run. */
  boolean isActive(FiCaSchedulerApp a) {
    return a.isRunnable() && !a.getCSLeafQueue().getPendingApplications().contains(a);
  }

  @Override
  public void reinitialize(Configuration conf, RMContext context, boolean validation) throws IOException {
    super.reinitialize(conf, context, validation);
    try {
      locked(() -> {
        tell(Event.newBuilder().setQueues(Queues.newBuilder().addAllQueues(queues())));
        stir();
      });
    } catch (Throwable t) {
      wrong("a change of queues", t);
    }
  }

  private List<Queue> queues() {
    List<Queue> all = new ArrayList<>();
    if (getRootQueue() != null) {
      Words.queues(getRootQueue(), guarantees, all);
    }
    return all;
  }

  @Override
  public String moveApplication(ApplicationId id, String queue) throws YarnException {
    String to = super.moveApplication(id, queue);
    changed(id);
    return to;
  }

  @Override
  public Priority updateApplicationPriority(Priority to, ApplicationId id, SettableFuture<Object> future, UserGroupInformation user)
      throws YarnException {
    Priority is = super.updateApplicationPriority(to, id, future, user);
    changed(id);
    return is;
  }

  /** Tells of an application that stands elsewhere now. */
  private void changed(ApplicationId id) {
    try {
      locked(() -> {
        again(id);
        stir();
      });
    } catch (Throwable t) {
      wrong("a change of an application", t);
    }
  }

  /** A container whose node its application's constraints chose. */
  @Override
  public boolean attemptAllocationOnNode(SchedulerApplicationAttempt a, SchedulingRequest request, SchedulerNode node) {
    if (left.leave(a.getApplicationId(), "placement constraints")) {
      again(a.getApplicationId());
    }
    return super.attemptAllocationOnNode(a, request, node);
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
        tell(Event.newBuilder().setNodeDown(named(id)));
        break;
      }
      case NODE_RESOURCE_UPDATE:
        changed(((NodeResourceUpdateSchedulerEvent) e).getRMNode().getNodeID());
        break;
      case NODE_LABELS_UPDATE:
      case NODE_ATTRIBUTES_UPDATE:
        nodeTracker.getAllNodes().forEach(n -> changed(n.getNodeID()));
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

  /** A node as ApplicationMasters ask for it, and as it is told. */
  private String named(NodeId id) {
    return ports ? id.toString() : id.getHost();
  }

  /** Tells of an application, if Slackline is there. */
  void application(ApplicationId id, boolean held) {
    RMApp app = rmContext.getRMApps().get(id);
    if (app != null) {
      tell(Event.newBuilder().setApplication(described(app, held)));
    }
  }

  private Application described(RMApp app, boolean held) {
    ApplicationId id = app.getApplicationId();
    return Words.application(app, applications.get(id), held, staging.of(id), left.why(id));
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
        ? nodeTracker.getAllNodes().stream().map(FiCaSchedulerNode::getNodeName).filter(a::isPlaceBlacklisted).collect(Collectors.toList())
        : a.getBlacklistedNodes();
    boolean rests = !isActive(a);
    if (rests) {
      idle.add(a.getApplicationAttemptId());
    }
    return Words.asks(a, rests || left.has(a.getApplicationId()), hands.applied(), behind(a.getApplicationAttemptId()), avoids);
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

  Set<ApplicationId> applications() {
    return applications.keySet();
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

  Guarantees guarantees() {
    return guarantees;
  }

  Left left() {
    return left;
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
      b.addAllQueues(queues());
      nodeTracker.getAllNodes().forEach(n -> b.addNodes(Words.node(n)));
      for (ApplicationId id : gate.waiting()) {
        if (rmApp(id) != null) {
          b.addApplications(described(rmApp(id), true));
        }
      }
      for (Map.Entry<ApplicationId, SchedulerApplication<FiCaSchedulerApp>> e : applications.entrySet()) {
        RMApp app = rmApp(e.getKey());
        if (app == null) {
          continue;
        }
        Application.Builder x = described(app, false).toBuilder();
        done.getOrDefault(e.getKey(), Map.of()).forEach((p, n) -> x.addDone(Done.newBuilder().setPriority(p).setCount(n)));
        b.addApplications(x);
        reads(e.getKey(), () -> again(e.getKey())); // it came while nobody was attached
        FiCaSchedulerApp a = e.getValue().getCurrentAppAttempt();
        if (a != null) {
          b.addAsks(asked(a));
          for (RMContainer c : a.getLiveContainers()) {
            told.put(c.getContainerId(), c.getApplicationAttemptId());
            b.addContainers(Words.container(c, named(c.getAllocatedNode()), null, 0));
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
