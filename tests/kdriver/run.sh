#!/usr/bin/env bash
# Compiles the headers of kdriver/include as every side does that shares them, with the assertions inside them switched on and every
# hidden padding an error. Prints one TAP line for each compiler. A compiler that is not here is skipped by name.
set -u
cd "$(dirname "$0")" || exit 1
include=../../kdriver/include
flags=(-std=c11 -ffreestanding -Wall -Wextra -Wpadded -Werror -I"$include" -x c -fsyntax-only)
failed=0

compile() {
	local name=$1 package=$2
	shift 2
	if ! command -v "$1" >/dev/null; then
		echo "ok $name # SKIP no $1 here: package $package"
	elif "$@" "${flags[@]}" "$include/tracer_ioctl.h"; then
		echo "ok $name"
	else
		echo "not ok $name"
		failed=1
	fi
}

compile "headers, 64 bits, System V" gcc gcc -m64
compile "headers, 32 bits, System V" gcc gcc -m32
compile "headers, 64 bits, Windows" gcc-mingw-w64-x86-64 x86_64-w64-mingw32-gcc
compile "headers, 32 bits, Windows" gcc-mingw-w64-i686 i686-w64-mingw32-gcc
exit $failed
