package io.slackline.yarn;

import io.slackline.yarn.v1.Files;
import io.slackline.yarn.v1.Split;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputByteBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.LocalResource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the client of a MapReduce job has left for its ApplicationMaster: the list of its splits, and job.xml. It
 * reads as the job's user, with the tokens that came with the job, and from the cluster's own file system only: nobody
 * may have the ResourceManager read for him what he could not read himself.
 */
final class Staging {
  private static final Logger LOG = LoggerFactory.getLogger(Staging.class);
  private static final String SPLITS = "jobSubmitDir/job.splitmetainfo";
  private static final String JOB = "job.xml";
  private static final String DEADLINE = "mapred.job.deadline";
  private static final int LONGEST_DEADLINE = 100;
  private static final byte[] MAGIC = "META-SPL".getBytes(StandardCharsets.US_ASCII);
  private static final int LARGEST = 32 << 20;
  private static final int MOST_SPLITS = 100_000;
  private static final int MOST_HOSTS = 100;
  private static final int THREADS = 2;
  private static final int WAITING = 1000;

  private final Map<ApplicationId, Files> known = new ConcurrentHashMap<>();
  private Configuration conf;
  private ThreadPoolExecutor readers;

  void init(Configuration c) {
    conf = new Configuration(c);
    readers = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(WAITING), r -> {
      Thread t = new Thread(r, "slackline-staging");
      t.setDaemon(true);
      return t;
    });
    readers.allowCoreThreadTimeOut(true);
  }

  /** Has the classes loaded that the first reading would wait for. */
  void warm() {
    readers.execute(() -> {
      try {
        FileSystem.get(conf).exists(new Path("/"));
      } catch (Throwable t) { // it may not be up yet
        LOG.info("the file system does not answer: {}", String.valueOf(t));
      }
    });
  }

  void stop() {
    if (readers != null) {
      readers.shutdownNow();
    }
  }

  /** What was read of an application, null if nothing was. */
  Files of(ApplicationId id) {
    return known.get(id);
  }

  void forget(ApplicationId id) {
    known.remove(id);
  }

  /** Has an application's files read, and calls back. False: there is nothing to read, and nobody will call. */
  boolean read(ApplicationId id, String user, ApplicationSubmissionContext c, Runnable then) {
    if (!"MAPREDUCE".equals(c.getApplicationType()) || c.getAMContainerSpec() == null || known.containsKey(id)) {
      return false;
    }
    Map<String, LocalResource> files = c.getAMContainerSpec().getLocalResources();
    if (files == null || files.get(SPLITS) == null || files.get(JOB) == null) {
      return false;
    }
    try {
      readers.execute(() -> {
        try {
          Files f = read(user, c.getAMContainerSpec().getTokens(), path(files.get(SPLITS)), path(files.get(JOB)));
          if (f != null) {
            known.put(id, f);
          }
        } catch (Throwable t) { // whatever a user has left there
          LOG.info("{}: its splits cannot be read: {}", id, String.valueOf(t));
        }
        then.run();
      });
    } catch (RejectedExecutionException e) {
      return false;
    }
    return true;
  }

  private static Path path(LocalResource r) throws Exception {
    return r.getResource().toPath();
  }

  private Files read(String user, ByteBuffer tokens, Path splits, Path job) throws Exception {
    UserGroupInformation ugi = UserGroupInformation.createRemoteUser(user);
    if (tokens != null) {
      DataInputByteBuffer in = new DataInputByteBuffer();
      in.reset(tokens.duplicate());
      Credentials c = new Credentials();
      c.readTokenStorageStream(in);
      ugi.addCredentials(c);
    }
    try {
      return ugi.doAs((PrivilegedExceptionAction<Files>) () -> {
        FileSystem fs = FileSystem.get(conf);
        own(fs.getUri(), splits);
        own(fs.getUri(), job);
        return files(whole(fs, splits), whole(fs, job));
      });
    } finally {
      FileSystem.closeAllForUGI(ugi);
    }
  }

  static void own(URI fs, Path p) throws IOException {
    URI u = p.toUri();
    boolean same = u.getScheme() == null || u.getScheme().equals(fs.getScheme())
        && (u.getAuthority() == null || u.getAuthority().equals(fs.getAuthority()));
    if (!same) {
      throw new IOException(p + " is not on " + fs);
    }
  }

  private static byte[] whole(FileSystem fs, Path p) throws IOException {
    try (InputStream in = fs.open(p)) {
      byte[] b = in.readNBytes(LARGEST + 1);
      if (b.length > LARGEST) {
        throw new IOException(p + " is larger than " + LARGEST + " bytes");
      }
      return b;
    }
  }

  /** What the two files say; null if that is neither a deadline nor how many tasks there are. */
  static Files files(byte[] splits, byte[] job) throws IOException {
    Configuration c = new Configuration(false);
    c.addResource(new ByteArrayInputStream(job), JOB, true); // as it comes from a user it may include nothing
    String deadline = c.getRaw(DEADLINE) == null ? "" : c.getRaw(DEADLINE).trim();
    deadline = deadline.substring(0, Math.min(deadline.length(), LONGEST_DEADLINE));
    if (c.getBoolean("mapreduce.job.ubertask.enable", false)) { // all of it may run in its ApplicationMaster
      return deadline.isEmpty() ? null : Files.newBuilder().setDeadline(deadline).build();
    }
    Files.Builder b = Files.newBuilder().setDeadline(deadline).setReduces(Math.max(0, c.getInt("mapreduce.job.reduces", 1)))
        .setSlowStart(c.getFloat("mapreduce.job.reduce.slowstart.completedmaps", 0.05f))
        .putAllMap(takes(c, "map")).putAllReduce(takes(c, "reduce"));
    DataInputStream in = new DataInputStream(new ByteArrayInputStream(splits));
    byte[] magic = in.readNBytes(MAGIC.length);
    int version = WritableUtils.readVInt(in);
    if (!Arrays.equals(magic, MAGIC) || version != 1) {
      throw new IOException("this is no list of splits of version 1");
    }
    int n = WritableUtils.readVInt(in);
    if (n < 0 || n > MOST_SPLITS) {
      throw new IOException("a list of " + n + " splits");
    }
    Map<String, Integer> hosts = new LinkedHashMap<>();
    for (int i = 0; i < n; i++) {
      Split.Builder s = Split.newBuilder();
      int places = WritableUtils.readVInt(in);
      if (places < 0 || places > MOST_HOSTS) {
        throw new IOException("a split with " + places + " hosts");
      }
      for (int k = 0; k < places; k++) {
        s.addHosts(hosts.computeIfAbsent(Text.readString(in, 1024), h -> hosts.size()));
      }
      WritableUtils.readVLong(in); // where in job.split it stands
      b.addSplits(s.setBytes(Math.max(0, WritableUtils.readVLong(in))));
    }
    return b.addAllHosts(hosts.keySet()).build();
  }

  private static Map<String, Long> takes(Configuration c, String stage) {
    Map<String, Long> m = new LinkedHashMap<>();
    int mb = c.getInt("mapreduce." + stage + ".memory.mb", 1024);
    m.put("memory-mb", mb > 0 ? mb : 1024L); // -1: what Hadoop takes then
    m.put("vcores", (long) Math.max(1, c.getInt("mapreduce." + stage + ".cpu.vcores", 1)));
    return m;
  }
}
