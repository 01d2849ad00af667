# user TAB side TAB name or page, sorted by user and side, becomes name TAB page. Visits of users that nobody knows are counted.
# user is made text by "", as awk would take the users 1 and 1.0 for the same number.
BEGIN { FS = OFS = "\t" }
$2 == 0 { user = $1 ""; name = $3; next }
$1 "" == user { print name, $3; next }
{ unknown++ }
END { if (unknown) print "reporter:counter:join,unknown," unknown > "/dev/stderr" }
