# Jobs of three classes whose maps wait for two seconds each, so that they take as long on any machine. Every twenty
# seconds all users of the classes in plan.yaml submit one. With "teach" it writes one job of each class.
#
#   sh examples/waiting/stream.sh teach > teach.yaml
#   sh examples/waiting/stream.sh 3 > stream.yaml
waves=$1
job() { # class, number of maps, user, penalty, deadline
	input=
	i=1
	while [ $i -le $2 ]; do
		input="$input examples/waiting/line.txt,"
		i=$((i + 1))
	done
	echo "---"
	echo "name: $1-$wave-$3"
	echo "class: $1"
	echo "map: sh -c 'sleep 2; cat'"
	echo "input: [${input%,}]"
	echo "output: out/$1-$wave-$3"
	echo "reduces: 0"
	echo "weight: $4"
	echo "arrive: $((20 * (wave - 1)))s"
	[ $waves = teach ] || echo "deadline: $5"
}
wave=1
if [ $waves = teach ]; then
	job etl 36 1 4
	job reports 24 1 2
	job ad-hoc 6 1 3
	exit
fi
while [ $wave -le $waves ]; do
	job etl 36 1 4 18s
	job etl 36 2 4 18s
	job ad-hoc 6 1 3 8s
	job ad-hoc 6 2 3 8s
	for user in 1 2 3 4; do
		job reports 24 $user 2 18s
	done
	wave=$((wave + 1))
done
