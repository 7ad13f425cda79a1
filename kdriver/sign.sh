#!/usr/bin/env bash
# Signs drivers for test machines, in place, and verifies the signature.
#   kdriver/sign.sh FILE.sys... [--folder FOLDER]
#   kdriver/sign.sh FILE.sys... --certificate CERTIFICATE.pem --key KEY.pem
# Without a certificate it makes one of its own, once, in FOLDER (kdriver/out/certificate unless given): tracer-test.pem, its key, and
# tracer-test.cer for the test machine. Windows loads what it signs only with test signing on and that certificate installed.
# The laboratory driver is signed with that certificate only.
set -euo pipefail
folder=$(dirname "$0")/out/certificate files=() certificate='' key=''
while [ $# -gt 0 ]; do
	case $1 in
	--folder) folder=${2:?} && shift ;;
	--certificate) certificate=${2:?} && shift ;;
	--key) key=${2:?} && shift ;;
	-*) echo "sign.sh: no option $1" >&2 && exit 2 ;;
	*) files+=("$1") ;;
	esac
	shift
done
[ ${#files[@]} -gt 0 ] || { echo "sign.sh: which file?" >&2 && exit 2; }

for tool in osslsigncode openssl; do
	command -v $tool >/dev/null || { echo "sign.sh: no $tool here: package $tool" >&2 && exit 1; }
done

# By its name, or by the description in its version resource (UTF-16).
is_laboratory() {
	[[ $(basename "$1") == *[Ll]ab* ]] || LC_ALL=C grep -qaP 'l\x00a\x00b\x00o\x00r\x00a\x00t\x00o\x00r\x00y' "$1"
}

make_certificate() {
	mkdir -p "$folder"
	(umask 077 && openssl req -x509 -newkey rsa:2048 -nodes -sha256 -days 3650 -subj "/CN=Tracer test certificate, not for release" \
		-addext keyUsage=critical,digitalSignature -addext extendedKeyUsage=codeSigning \
		-keyout "$key" -out "$certificate.part" 2>/dev/null)
	mv "$certificate.part" "$certificate"
	openssl x509 -in "$certificate" -outform DER -out "${certificate%.pem}.cer"
}

if [ -z "$certificate" ]; then
	certificate=$folder/tracer-test.pem key=$folder/tracer-test.key
	[ -e "$certificate" ] || make_certificate
else
	for file in "${files[@]}"; do
		is_laboratory "$file" && echo "sign.sh: $file is the laboratory driver: it gets the test certificate only" >&2 && exit 1
	done
fi
[ -e "$key" ] || { echo "sign.sh: no key: --key KEY.pem" >&2 && exit 1; }

for file in "${files[@]}"; do
	signed=$file.signed
	rm -f "$signed"
	osslsigncode sign -certs "$certificate" -key "$key" -h sha256 -ph -n "Tracer latency probe" -in "$file" -out "$signed" >/dev/null ||
		{ echo "sign.sh: $file could not be signed" >&2 && exit 1; }
	osslsigncode verify -CAfile "$certificate" -in "$signed" >/dev/null ||
		{ echo "sign.sh: the signature of $file does not verify" >&2 && exit 1; }
	mv "$signed" "$file"
done
