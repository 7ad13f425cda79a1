#!/usr/bin/env bash
# `analyzer fleet --store clickhouse://...` on Debian's ClickHouse: two servers are started here and ended again. The answers of one
# server, of a cluster of two and of a file are equal; what goes wrong ends with status 1 and one sentence. Each test is a TAP line; skipped
# by name where ClickHouse is absent.
set -u
cd "$(dirname "$0")/../.." || exit 1
analyzer=artifacts/bin/analyzer/release/analyzer.dll

skip() {
	echo "ok clickhouse # SKIP $1"
	exit 0
}

[ -e $analyzer ] || skip "analyzer is not built: dotnet build -c Release"
for command in clickhouse-server curl python3; do
	command -v $command >/dev/null || skip "no $command here: packages clickhouse-server, curl, python3"
done

work=$(mktemp -d)
end() {
	local pids
	pids=$(cat "$work"/*/pid 2>/dev/null)
	# shellcheck disable=SC2086 # Several.
	kill $pids 2>/dev/null
	wait 2>/dev/null
	rm -rf "$work"
}
trap end EXIT
export CLICKHOUSE_USER=tracer CLICKHOUSE_PASSWORD=secret

# The ports of a run of its own, so that two do not meet.
port=$((20000 + $$ * 10 % 10000))
http=($port $((port + 1))) tcp=($((port + 2)) $((port + 3)))

# start NUMBER: a server, which knows both as the cluster "tracer".
start() {
	local folder=$work/$1 shard shards=
	mkdir -p "$folder"/{data,tmp}
	for shard in 0 1; do
		shards+="<shard><replica><host>127.0.0.1</host><port>${tcp[$shard]}</port><user>tracer</user><password>secret</password>"
		shards+="</replica></shard>"
	done
	cat >"$folder/config.xml" <<-END
		<yandex>
		<logger><level>warning</level><log>$folder/log</log><errorlog>$folder/errors</errorlog></logger>
		<http_port>${http[$1]}</http_port><tcp_port>${tcp[$1]}</tcp_port><listen_host>127.0.0.1</listen_host>
		<path>$folder/data/</path><tmp_path>$folder/tmp/</tmp_path><mark_cache_size>100000000</mark_cache_size>
		<users_config>users.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
		<remote_servers><tracer>$shards</tracer></remote_servers>
		</yandex>
	END
	cat >"$folder/users.xml" <<-END
		<yandex>
		<profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles><quotas><default></default></quotas>
		<users><tracer><password>secret</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
		<quota>default</quota></tracer></users>
		</yandex>
	END
	(cd "$folder" && exec clickhouse-server --config-file="$folder/config.xml" >out 2>&1) &
	echo $! >"$folder/pid"
	for _ in $(seq 100); do
		curl -s "http://127.0.0.1:${http[$1]}/ping" >/dev/null && return
		sleep 0.1
	done
	return 1
}

ask() { curl -s -u tracer:secret "http://127.0.0.1:${http[$1]}/" --data-binary "$2"; }
fleet() { timeout 120 dotnet $analyzer fleet "$@"; }

# result NAME: as the command before ended; its words are in $work/said.
result() {
	if [ $? = 0 ]; then
		echo "ok clickhouse: $1"
	else
		head -n 20 "$work/said" | sed 's/^/# /'
		echo "not ok clickhouse: $1"
	fi
}

# refused STATUS WORDS ARGUMENT...: the command ends so, with one line that has these words and no password.
refused() {
	local status=$1 words=$2
	shift 2
	fleet "$@" >"$work/out" 2>"$work/said"
	[ $? = "$status" ] && [ "$(grep -cv "^See .*--help" "$work/said")" = 1 ] && grep -q -- "$words" "$work/said" &&
		! grep -q secret "$work/said" && [ ! -s "$work/out" ]
}

start 0 && start 1 || skip "the servers do not start: $(tail -n 1 "$work"/*/errors)"

# Cases of many machines, from those of the samples: other names, versions, days and lengths.
dotnet $analyzer blame samples --format cases -o "$work/samples.jsonl" 2>"$work/said"
python3 - "$work/samples.jsonl" >"$work/cases.jsonl" <<'END'
import copy, hashlib, json, sys
samples = [json.loads(line) for line in open(sys.argv[1])]
for number in range(600):
    case = copy.deepcopy(samples[number % len(samples)])
    case["id"] = hashlib.sha256(str(number).encode()).hexdigest()[:32]
    case["machine"] = f"machine-{number % 90}'\\\t"
    case["recordedUtc"] = f"2025-{1 + number % 12:02}-{1 + number % 28:02}T00:00:00Z"
    for driver in case["drivers"]:
        driver["version"] = f"1.{number % 90 % 3}"
    for chain in case["chains"]:
        chain["us"] += number
    print(json.dumps(case))
END
one=clickhouse://127.0.0.1:${http[0]}/one
two="clickhouse://127.0.0.1:${http[0]},127.0.0.1:${http[1]}/two?cluster=tracer"

# answers STORE NAME: all that can be asked of a store, in files.
answers() {
	fleet --store "$1" --format json --since 2025-11-01 >"$work/$2.json" 2>>"$work/said" &&
		fleet --store "$1" --format csv --table cases >"$work/$2.csv" 2>>"$work/said"
}

fleet "$work/cases.jsonl" --store "$work/file.db" >/dev/null 2>"$work/said" && answers "$work/file.db" file &&
	fleet "$work/cases.jsonl" --store "$one" >/dev/null 2>"$work/said" && answers "$one" one &&
	cmp "$work/file.json" "$work/one.json" >>"$work/said" && cmp "$work/file.csv" "$work/one.csv" >>"$work/said"
result "a server answers row for row as a file does"

fleet "$work/cases.jsonl" --store "$two" >/dev/null 2>"$work/said" && answers "$two" two &&
	cmp "$work/file.json" "$work/two.json" >>"$work/said" && cmp "$work/file.csv" "$work/two.csv" >>"$work/said" &&
	counts=$(for shard in 0 1; do ask $shard "SELECT count() FROM two.cases_rows"; done | paste -sd ' ') &&
	[ "$(ask 0 "SELECT count() FROM two.cases_all")" = 600 ] && [ "${counts#0 }" = "$counts" ] && [ "${counts% 0}" = "$counts" ] &&
	[ "$(for shard in 0 1; do ask $shard "SELECT DISTINCT machine FROM two.cases_rows"; done | sort | uniq -d | wc -l)" = 0 ]
result "two servers share the rows by machine and answer as a file does"

fleet "$work/cases.jsonl" --store "$two" 2>"$work/said" >"$work/out" && grep -q "0 cases added, 600 known" "$work/said" &&
	answers "$two" again && cmp "$work/two.json" "$work/again.json" >>"$work/said"
result "a load twice changes nothing"

# Killed at whatever it was doing, and done again; and all rows twice, as a request leaves that was sent again.
dotnet $analyzer fleet "$work/cases.jsonl" --store "${two/\/two/\/killed}" >/dev/null 2>&1 &
loading=$!
for _ in $(seq 200); do
	[ "$(ask 0 "SELECT count() FROM killed.cases_all")" -gt 0 ] 2>/dev/null && break
	sleep 0.05
done
kill -9 $loading
wait $loading 2>/dev/null
for table in traits chains latencies; do
	ask 0 "INSERT INTO killed.${table}_rows SELECT * FROM killed.${table}_rows"
done
fleet "$work/cases.jsonl" --store "${two/\/two/\/killed}" >/dev/null 2>"$work/said" && answers "${two/\/two/\/killed}" killed &&
	cmp "$work/two.json" "$work/killed.json" >>"$work/said" && cmp "$work/two.csv" "$work/killed.csv" >>"$work/said"
result "a load that was killed is done again, and rows that came twice count once"

CLICKHOUSE_PASSWORD=wrong-secret refused 1 "refuses the user tracer: set CLICKHOUSE_USER" --store "$one"
result "a server that refuses"

refused 1 "cannot be reached" --store "clickhouse://127.0.0.1:$((port + 9))/one"
result "a server that is down"

ask 0 "CREATE DATABASE other" && ask 0 "CREATE VIEW other.tracer_store AS SELECT 99 AS version, '' AS cluster" &&
	refused 1 "is a store of version 99" "$work/cases.jsonl" --store "${one/%one/other}" &&
	[ "$(ask 0 "SELECT count() FROM system.tables WHERE database = 'other'")" = 1 ] &&
	ask 0 "CREATE DATABASE foreign" && ask 0 "CREATE TABLE foreign.cases (id String) ENGINE = Memory" &&
	refused 1 "no store of 'analyzer fleet'" "$work/cases.jsonl" --store "${one/%one/foreign}" &&
	refused 1 "spread over the cluster tracer" --store "${one/%one/two}" &&
	refused 1 "knows no cluster nowhere" --store "${one/%one/new}?cluster=nowhere"
result "a store of another version, of others, and of another cluster"

refused 64 "password is not taken" --store "clickhouse://me:secret@127.0.0.1/one" &&
	refused 64 "clickhouse://HOST:PORT/DATABASE" --store "clickhouse://127.0.0.1" &&
	refused 64 "clickhouse://HOST:PORT/DATABASE" --store "postgres://127.0.0.1/one"
result "addresses that are none"

kill "$(cat "$work/1/pid")"
wait "$(cat "$work/1/pid")" 2>/dev/null
refused 1 "cannot be reached" --store "$two" &&
	refused 1 "failed: Code: " --store "clickhouse://127.0.0.1:${http[0]}/two?cluster=tracer"
result "a cluster of which one server is down"
