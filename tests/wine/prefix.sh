#!/usr/bin/env bash
# Makes a Wine prefix for a test, with Windows 10:
#   tests/wine/prefix.sh FOLDER
# Wine copies 700 MB into one, 10 s of a CPU. That is done once for each version of Wine, in a user's cache; a FOLDER gets links to the
# files there and a registry of its own. Tests write no file of Wine's in place. No prefix is in this tree: its z: leads to all files.
set -eu
folder=$(realpath -m "$1")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tracer-tests
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
wineserver=$(command -v wineserver || echo /usr/lib/wine/wineserver)
export WINEPREFIX WINEARCH=win64 WINEDLLOVERRIDES=mshtml=
mkdir -p "$cache"
made=$cache/$("$wine" --version)

# The services of the session that makes a prefix do not know of all that it makes, so the session ends here.
make_first() {
	WINEPREFIX=$made.part
	rm -rf "$made.part"
	timeout 450 "$wine" wineboot -i && timeout 100 "$wine" reg add 'HKCU\Software\Wine' /v Version /d win10 /f || return
	timeout 100 "$wineserver" -k || true
	timeout 100 "$wineserver" -w
	mv "$made.part" "$made"
}

exec 9>"$cache/lock"
flock 9
# Wine's own programs would keep the lock.
[ -d "$made" ] || make_first 9>&-
flock -u 9
cp -al "$made" "$folder" 2>/dev/null || { rm -rf "$folder" && cp -a "$made" "$folder"; }
for file in "$made"/*.reg; do
	cp --remove-destination "$file" "$folder"
done
