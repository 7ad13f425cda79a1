#!/usr/bin/env bash
# Makes the report of a simulated hour, measures its size, the time and memory of making it, and how soon headless Chromium shows it, and
# writes bench/report.md. See bench/README.md. Needs tracer and analyzer built (dotnet build -c Release), node, npm and chromium.
#   TRACER_BENCH_DIR  where the trace is kept; a temporary folder that is deleted when left out (0.9 GB)
#   ROUNDS            how often the page is opened (default: 5); medians count
set -euo pipefail
cd "$(dirname "$0")/.."
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 LC_ALL=C
rounds=${ROUNDS:-5}
load=$(cut -d' ' -f1-3 /proc/loadavg)
dir=${TRACER_BENCH_DIR:-}
if [ -z "$dir" ]; then
	dir=$(mktemp -d)
	trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
trace=$dir/hour.etl page=$dir/hour.html
[ -d viewer/node_modules ] || (cd viewer && npm ci --no-audit --no-fund --ignore-scripts) >&2

simulated="simulate acpi-isr --seed 8 --cpus 2 --load idle --duration 3600s --no-second-run"
# shellcheck disable=SC2086
[ -f "$trace" ] || dotnet artifacts/bin/tracer/release/tracer.dll $simulated -o "$trace" >&2

# Of 200 us or more there are thousands: more than a page has one by one.
/usr/bin/time -f "%e %M" -o "$dir/time" dotnet artifacts/bin/analyzer/release/analyzer.dll report "$trace" --threshold 200us -o "$page"
read -r seconds kilobytes <"$dir/time"
CHROMIUM=$(command -v chromium || command -v chromium-browser || command -v google-chrome) \
	node bench/report-paint.mjs "$page" "$rounds" >"$dir/paint.json"
fact() { jq -r "$1" "$dir/paint.json"; }

{
	echo "# The report of an hour"
	echo
	echo "Written by \`bench/report.sh\` on $(date -u +%Y-%m-%d); load before: $load;"
	echo "$(nproc) cores of $(sed -nE 's/^model name.*: //p' /proc/cpuinfo | head -n 1), .NET $(dotnet --version), $(fact .browser)."
	echo
	echo "The trace: \`tracer $simulated\`, $(stat -c %s "$trace") bytes, $(fact .events) events;"
	echo "\`analyzer report hour.etl --threshold 200us -o hour.html\`: $(fact .episodes) episodes, of which"
	echo "$(fact .listed) are in the page one by one ($(fact .timelines) with a timeline) and $(fact .leftOut) as dots on the map."
	echo
	echo "| what | measured | at most |"
	echo "|---|---|---|"
	echo "| size of the page | $(stat -c %s "$page") bytes | 2,000,000 |"
	echo "| making it | $seconds s, $((kilobytes / 1024)) MB of memory | |"
	echo "| from opening it to the first paint, median of $rounds | $(fact .paintMs) ms | |"
	echo "| from opening it to the whole page, median of $rounds | $(fact .drawnMs) ms | |"
} >bench/report.md
cat bench/report.md
