#!/usr/bin/env bash
# Writes what of the programs others made, as CycloneDX 1.5 (JSON), to standard output: from the lock files, so it needs no build, and from
# the last publish of RID, if there was one, the .NET runtime that is inside of the program. Needs jq. The same files give the same bytes.
#   sbom.sh [RID]
set -eu
cd "$(dirname "$0")"
rid=${1:-}
projects=(analyzer analyzer/analysis commandline contract etl symbols tracer tracer/capture tracer/simulator)
version=$(sed -n 's:.*<Version>\(.*\)</Version>.*:\1:p' Directory.Build.props)
assets=artifacts/obj/tracer/project.assets.json
runtime='[]'
if [ -n "$rid" ] && [ -e "$assets" ]; then
	runtime=$(jq --arg rid "$rid" '[.project.frameworks[].downloadDependencies[]?
		| select(.name == "Microsoft.NETCore.App.Runtime." + $rid)
		| {name, version: (.version | capture("\\[(?<v>[^,\\]]+)").v)}] | unique' "$assets")
fi
jq -n -S --arg version "$version" --arg rid "$rid" --argjson runtime "$runtime" '
	def purl: "pkg:nuget/\(.name)@\(.version)";
	[inputs | .dependencies | to_entries[] | select(.key == "net10.0") | .value | to_entries[]
		| select(.value.type != "Project")
		| {name: .key, version: .value.resolved, hash: .value.contentHash, needs: (.value.dependencies // {} | keys)}]
		| unique_by(.name) as $packages
	| ($packages | map({key: .name, value: purl}) | from_entries) as $purls
	| {
		bomFormat: "CycloneDX",
		specVersion: "1.5",
		version: 1,
		metadata: {component: {type: "application", "bom-ref": "tracer", name: "tracer", version: $version}},
		components: ([$packages[] | {
			type: "library",
			"bom-ref": purl,
			name, version,
			purl: purl,
			# The SDK adds its analyzers of trimming; nothing of them is in the programs.
			scope: (if .name == "Microsoft.NET.ILLink.Tasks" then "excluded" else "required" end),
			properties: [{name: "nuget:contentHash", value: .hash}]
		}] + [$runtime[] | {type: "framework", "bom-ref": purl, name, version, purl: purl, scope: "required"}]),
		dependencies: ([{ref: "tracer", dependsOn: ([$packages[] | purl] + [$runtime[] | purl])}]
			+ [$packages[] | {ref: purl, dependsOn: [.needs[] | $purls[.] // empty]}])
	}' "${projects[@]/%//packages.lock.json}"
