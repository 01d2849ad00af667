package io.slackline.yarn;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an operator says of the plug-in in yarn-site.xml. */
final class Settings {
  private static final Logger LOG = LoggerFactory.getLogger(Settings.class);
  static final String ADDRESS = "yarn.slackline.address";
  static final String SECRET_FILE = "yarn.slackline.secret.file";
  static final String TLS = "yarn.slackline.tls.dir";
  static final String CLUSTER = "yarn.slackline.cluster";
  static final String SILENCE = "yarn.slackline.silence.ms";
  static final String HOLD = "yarn.slackline.hold.ms";
  static final String CA = "ca.pem";
  static final String CERT = "cert.pem";
  static final String KEY = "key.pem";

  /** Where Slackline listens, as HOST:PORT. */
  final String address;
  /** What both sides know. */
  final byte[] secret;
  /** The folder with ca.pem, cert.pem and key.pem, by which the stream is encrypted; null: it is not. */
  final Path tls;
  /** The name of the cluster, of all its ResourceManagers; one without a name has the address of its own. */
  final String cluster;
  /** After so long without a word of Slackline's the stock scheduler places work. */
  final long silenceMs;
  /** For so long an application with a deadline waits at submission for a verdict; then it is accepted. */
  final long holdMs;

  Settings(Configuration conf) throws IOException {
    address = conf.getTrimmed(ADDRESS, "127.0.0.1:7447");
    String own = NetUtils.getHostPortString(NetUtils.getConnectAddress(conf.getSocketAddr(YarnConfiguration.RM_ADDRESS,
        YarnConfiguration.DEFAULT_RM_ADDRESS, YarnConfiguration.DEFAULT_RM_PORT)));
    cluster = conf.getTrimmed(CLUSTER, conf.getTrimmed(YarnConfiguration.RM_CLUSTER_ID, own));
    silenceMs = number(conf, SILENCE, 1000);
    holdMs = number(conf, HOLD, 2000);
    String file = conf.getTrimmed(SECRET_FILE);
    if (file == null) {
      throw new IOException(SECRET_FILE + " names no file with the secret that this plug-in and Slackline share");
    }
    secret = text(file).strip().getBytes(StandardCharsets.UTF_8);
    if (secret.length == 0) {
      throw new IOException("the file " + file + " of " + SECRET_FILE + " is empty");
    }
    if (open(Path.of(file))) { // no reason to stop a ResourceManager
      LOG.warn("the secret in {} is open to everybody on this machine; chmod o= {} closes it", file, file);
    }
    String dir = conf.getTrimmed(TLS);
    tls = dir == null ? null : Path.of(dir);
    for (String name : tls == null ? List.<String>of() : List.of(CA, CERT, KEY)) {
      if (!Files.isReadable(tls.resolve(name))) {
        throw new IOException(TLS + " is " + dir + ", and " + tls.resolve(name) + " cannot be read");
      }
    }
    String host = address.substring(0, Math.max(0, address.lastIndexOf(':')));
    if (tls == null && !host.matches("localhost|\\[::1]|127(\\.\\d+){3}")) {
      throw new IOException(ADDRESS + " is " + address + "; the stream is not encrypted, so it has to stay on this machine (127.0.0.1:PORT); "
          + TLS + " encrypts it");
    }
  }

  private static long number(Configuration conf, String key, long usual) throws IOException {
    try {
      return conf.getLong(key, usual);
    } catch (NumberFormatException e) {
      throw new IOException(key + " is " + conf.get(key) + ", and takes a number of milliseconds", e);
    }
  }

  private static String text(String file) throws IOException {
    try {
      return Files.readString(Path.of(file), StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      throw new IOException("the file " + file + " of " + SECRET_FILE + " is not there", e);
    } catch (IOException e) {
      throw new IOException("the file " + file + " of " + SECRET_FILE + " cannot be read by the user " + System.getProperty("user.name")
          + ", as which the ResourceManager runs: " + e, e);
    }
  }

  /** Tells whether others than the owner and the group of a file may read or change it. */
  static boolean open(Path file) throws IOException {
    Set<PosixFilePermission> may = Files.getPosixFilePermissions(file);
    return may.contains(PosixFilePermission.OTHERS_READ) || may.contains(PosixFilePermission.OTHERS_WRITE);
  }
}
