#!/bin/sh
# The hadoop command of this cluster: hadoop jar JAR ..., hadoop fs ..., hadoop application ..., hadoop job ...
what=$1
[ $# -eq 0 ] || shift
case $what in
jar) class=org.apache.hadoop.util.RunJar ;;
fs) class=org.apache.hadoop.fs.FsShell ;;
application) class=org.apache.hadoop.yarn.client.cli.ApplicationCLI; set -- application "$@" ;;
job) class=org.apache.hadoop.mapred.JobClient ;;
node) class=org.apache.hadoop.yarn.client.cli.NodeCLI ;;
rmadmin) class=org.apache.hadoop.yarn.client.cli.RMAdminCLI ;;
*.*) class=$what ;;
*) echo "usage: hadoop jar|fs|application|job|node|rmadmin ..." >&2; exit 2 ;;
esac
HADOOP_USER_NAME=${HADOOP_USER_NAME:-$(id -un)} exec java -Xmx256m @JVM@ @OPENS@ -Djdk.net.hosts.file='@DIR@/hosts' \
	-Dsl.node=client -Dsl.port=860 -cp '@DIR@/conf:@DIR@/lib/*' $class "$@"
