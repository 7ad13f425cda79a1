#!/usr/bin/env bash
# Builds what a release consists of: single files of tracer and analyzer that need no .NET, for Windows and Linux, and one zip for each.
# In a zip the analyzer is the native one where native.sh has made it on such a system, for these sources; programs.txt says which it is.
#   publish.sh [--no-zip] [win-x64|linux-x64|win-arm64|linux-arm64]...      default: the first two
#   publish.sh which RID                              what of the analyzer a zip would have: a line of programs.txt
#   publish.sh wine [tracer|analyzer]                 what tests run under Wine: quicker to build, and no release; one of them, or both
#   publish.sh documents FOLDER [RID]                 the pages of a zip alone
# artifacts/publish/RID/ has the programs, artifacts/release/ what goes out: tracer-VERSION-RID.zip, tracer-VERSION-RID.cdx.json (what of it
# others made: sbom.sh), viewer.html, which is in each zip, too, and SHA256SUMS. Signed drivers go in where kdriver/build.sh has made them;
# the laboratory driver never does: it is no driver for a user's machine.
set -eu
cd "$(dirname "$0")"
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
# documents FOLDER: what users read, as pages that a double-click opens. What is for who has the source stays there: other folders, and what
# stands between <!-- source --> and <!-- /source -->.
documents() {
	mkdir -p "$1"
	cp CHANGELOG.md SECURITY.md "$1"
	cp --parents docs/README.md docs/use/*.md docs/reference/*.md "$1"
	# Links to what only the source has become plain words.
	find "$1" -name '*.md' -exec perl -MFile::Basename -0777 -i -pe 's#<!-- source -->.*?<!-- /source -->\n?##gs;
		s{\[([^\]]+)\]\(((?!\w+:|#)[^)#]+)(#[^)]*)?\)}{-e dirname($ARGV)."/$2" ? $& : $1}ge' {} +
	[ -d viewer/node_modules ] || (cd viewer && npm ci --ignore-scripts --no-audit --no-fund >&2)
	node viewer/docs.mjs "$1"
	sed -e '/release\/page.css/{r release/page.css' -e 'd}' release/START-HERE.html | first_page "$2" >"$1/START-HERE.html"
}

# first_page RID: of the page that a zip begins with, what its system needs.
first_page() {
	case $1 in
	win*) perl -0777 -pe 's/<!-- elsewhere.*?-->\n//s; s/<!-- \/?windows -->\n//g' ;;
	*) perl -0777 -pe 's/<!-- windows -->.*?<!-- \/windows -->\n//s; s/<!-- elsewhere\n(.*?)-->\n/$1/s' ;;
	esac
}

sources="analyzer commandline contract etl symbols tracer Directory.* global.json"
# native RID: the folder with the native analyzer; nothing where there is none, or sources are newer.
native() {
	local folder=artifacts/native/$1 program
	program=$folder/analyzer$(suffix "$1")
	# shellcheck disable=SC2086 # Several words.
	if [ -e "$program" ] && [ -z "$(find $sources native.sh -newer "$program" -type f -print -quit)" ]; then
		echo "$folder"
	fi
}
suffix() { case $1 in win*) echo .exe ;; esac }
# which RID: what a zip has of the analyzer.
which_analyzer() {
	if [ -n "$(native "$1")" ]; then
		echo "analyzer: machine code for $1, compiled ahead; it needs no .NET"
	else
		echo "analyzer: .NET with its runtime, in one file"
	fi
}

if [ "${1:-}" = which ]; then
	which_analyzer "${2:?of which system}"
	exit
fi

if [ "${1:-}" = documents ]; then
	documents "${2:?the folder to write them into}" "${3:-win-x64}"
	exit
fi

zip=yes rids=() programs=()
for word in "$@"; do
	case $word in
	--no-zip) zip=no ;;
	wine) zip=no rids+=("$word") ;;
	win-x64 | linux-x64 | win-arm64 | linux-arm64) rids+=("$word") ;;
	tracer | analyzer) zip=no programs+=("$word") ;;
	*)
		echo "usage: publish.sh [--no-zip] [win-x64|linux-x64|win-arm64|linux-arm64]..., or publish.sh wine [tracer|analyzer]" >&2
		exit 64
		;;
	esac
done
[ ${#rids[@]} -gt 0 ] || rids=(win-x64 linux-x64)
[ ${#programs[@]} -gt 0 ] || programs=(tracer analyzer)
version=$(sed -n 's:.*<Version>\(.*\)</Version>.*:\1:p' Directory.Build.props)

# publish PROJECT RID: one file, compiled to machine code as far as ReadyToRun goes and as large as it is, so that it starts at once
# (docs/internals/decisions.md, 102). That for Wine is for Windows, too, but compressed, because Wine 8 cannot map one as large, and
# compiled when it runs. Nothing is done where no source is newer than what is there.
publish() {
	local program=artifacts/publish/$2/$1 rid=$2 how=(-p:PublishReadyToRun=true -p:PublishReadyToRunComposite=false)
	[ "$2" != wine ] || rid=win-x64 how=(-p:EnableCompressionInSingleFile=true)
	program+=$(suffix "$rid")
	# shellcheck disable=SC2086 # Several words.
	if [ -e "$program" ] && [ -z "$(find $sources publish.sh -newer "$program" -type f -print -quit)" ]; then
		return
	fi
	# The packages of both programs by their lock files; for a runtime identifier there is none, and the same packages are taken.
	dotnet restore "$1" --locked-mode -v q
	dotnet publish "$1" -c Release -r "$rid" --self-contained -p:PackAsTool=false -p:PublishSingleFile=true \
		-p:IncludeNativeLibrariesForSelfExtract=false "${how[@]}" \
		-p:RunAnalyzers=false -o "artifacts/publish/$2" -v q
}

# The page that analyses a trace in the browser; it is the same for all systems. Made again where a source is newer.
viewer() {
	local page=artifacts/release/viewer.html
	if [ ! -e $page ] || [ -n "$(find analyzer/browser analyzer/analysis analyzer/shared analyzer/forecast commandline contract etl \
		symbols viewer samples Directory.* global.json -not -path '*/node_modules/*' -newer $page -type f -print -quit)" ]; then
		viewer/viewer.sh $page >&2
	fi
}

# pack RID: the folder of a release, and its zip. The same files give the same zip.
pack() {
	local name=tracer-$version-$1 folder=artifacts/release/tracer-$version-$1 suffix analyzer
	suffix=$(suffix "$1")
	analyzer=$(native "$1")
	analyzer=${analyzer:-artifacts/publish/$1}
	rm -rf "$folder" "$folder.zip"
	mkdir -p "$folder/samples"
	cp "artifacts/publish/$1/tracer$suffix" "$analyzer/analyzer$suffix" LICENSE "$folder"
	# SQLite's library, for "analyzer export": the one part that is no part of the program's file.
	cp "$analyzer"/*e_sqlite3* "$folder"
	chmod +x "$folder/tracer$suffix" "$folder/analyzer$suffix" # What came from another machine may have lost it.
	{
		echo "tracer: .NET with its runtime, in one file"
		which_analyzer "$1"
	} >"$folder/programs.txt"
	documents "$folder" "$1"
	cp artifacts/release/viewer.html "$folder"
	./sbom.sh "$1" >"$folder.cdx.json"
	cp "$folder.cdx.json" "$folder/sbom.cdx.json"
	cp samples/latency.wprp samples/latency-boot.wprp samples/tracer-task.xml samples/first.etl "$folder/samples"
	[ -z "$suffix" ] || cp samples/windows-proof.cmd release/Record.cmd "$folder"
	if [ "$1" = win-x64 ]; then
		# Beside the program, where "tracer driver install" looks; the one for 32-bit systems goes by itself.
		if [ -e kdriver/out/x64/TracerLatency.sys ]; then
			cp kdriver/out/x64/TracerLatency.* "$folder"
		fi
		if [ -e kdriver/out/x86/TracerLatency.sys ]; then
			mkdir -p "$folder/driver-x86"
			cp kdriver/out/x86/TracerLatency.* "$folder/driver-x86"
		fi
	fi
	(cd "$folder" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum >SHA256SUMS)
	find "$folder" -exec touch -d "@${SOURCE_DATE_EPOCH:-0}" {} +
	(cd artifacts/release && find "$name" -print0 | sort -z | xargs -0 zip -q -X "$name.zip")
	echo "artifacts/release/$name.zip"
}

[ $zip = no ] || viewer
for rid in "${rids[@]}"; do
	for program in "${programs[@]}"; do publish "$program" "$rid"; done
	echo "artifacts/publish/$rid"
	[ $zip = no ] || pack "$rid"
done
[ $zip = no ] || (cd artifacts/release && sha256sum -- *.zip *.cdx.json viewer.html >SHA256SUMS)
