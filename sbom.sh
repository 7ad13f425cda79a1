#!/usr/bin/env bash
# Writes what of the programs others made, as CycloneDX 1.5 (JSON), to standard output: from the lock files, so it needs no build, and from
# the last publish of RID, if there was one, the .NET runtime that is inside of the program, and that of the viewer. Needs jq. The same
# files give the same bytes.
#   sbom.sh [RID]
set -eu
cd "$(dirname "$0")"
rid=${1:-}
projects=(analyzer analyzer/analysis analyzer/browser analyzer/shared commandline contract etl symbols tracer tracer/capture tracer/measure
	tracer/simulator)
version=$(sed -n 's:.*<Version>\(.*\)</Version>.*:\1:p' Directory.Build.props)
runtime='[]'
if [ -n "$rid" ]; then
	# Neither has a lock file's entry.
	assets=()
	for file in artifacts/obj/tracer/project.assets.json artifacts/obj/Tracer.Browser/project.assets.json; do
		[ ! -e "$file" ] || assets+=("$file")
	done
	[ ${#assets[@]} = 0 ] || runtime=$(jq -s --arg rid "$rid" '[.[].project.frameworks[].downloadDependencies[]?
		| select(.name == "Microsoft.NETCore.App.Runtime." + $rid or .name == "Microsoft.NETCore.App.Runtime.Mono.browser-wasm")
		| {name, version: (.version | capture("\\[(?<v>[^,\\]]+)").v)}] | unique' "${assets[@]}")
fi
# The page of `analyzer report`, and the viewer, hold the packages whose licences stand beside it, a heading each.
page=$(grep -E '^[^ ]+ [0-9][^ ]* \(.+\)$' viewer/bundle/licences.txt | jq -R -n '[inputs
	| capture("^(?<name>[^ ]+) (?<version>[^ ]+) \\((?<licence>.+)\\)$")]')
jq -n -S --arg version "$version" --arg rid "$rid" --argjson runtime "$runtime" --argjson page "$page" '
	def purl: "pkg:nuget/\(.name)@\(.version)";
	def npm: "pkg:npm/\(.name | sub("^@"; "%40"))@\(.version)";
	[inputs | .dependencies | to_entries[] | select(.key == "net10.0") | .value | to_entries[]
		| select(.value.type != "Project")
		| {name: .key, version: .value.resolved, hash: .value.contentHash, needs: (.value.dependencies // {} | keys)}]
		| unique_by(.name) as $packages
	| ($packages | map({key: .name, value: purl}) | from_entries) as $purls
	| {
		bomFormat: "CycloneDX",
		specVersion: "1.5",
		version: 1,
		metadata: {component: {type: "application", "bom-ref": "tracer", name: "tracer", version: $version,
			licenses: [{license: {id: "MIT"}}]}},
		components: ([$packages[] | {
			type: "library",
			"bom-ref": purl,
			name, version,
			purl: purl,
			# The SDK adds its analyzers of trimming and what builds for browsers; nothing of them is in the programs.
			scope: (if .name | IN("Microsoft.NET.ILLink.Tasks", "Microsoft.NET.Sdk.WebAssembly.Pack")
				then "excluded" else "required" end),
			properties: [{name: "nuget:contentHash", value: .hash}]
		}] + [$runtime[] | {type: "framework", "bom-ref": purl, name, version, purl: purl, scope: "required"}]
			+ [$page[] | {type: "library", "bom-ref": npm, name, version, purl: npm, scope: "required",
				licenses: [{license: {id: .licence}}]}]),
		dependencies: ([{ref: "tracer", dependsOn: ([$packages[] | purl] + [$runtime[] | purl] + [$page[] | npm])}]
			+ [$packages[] | {ref: purl, dependsOn: [.needs[] | $purls[.] // empty]}])
	}' "${projects[@]/%//packages.lock.json}"
