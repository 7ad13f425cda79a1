// A client of `analyzer mcp` by the protocol's own TypeScript SDK solves three cases step by step, and writes what it asked and what it
// was told as Markdown. Each step follows from the answer before; what it concludes is checked. No model is behind it.
//   node cases.mjs FOLDER COMMAND [ARGUMENT]...
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [folder, command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args: [...args, "mcp", folder], stderr: "pipe" });
let errors = "";
transport.stderr.on("data", (text) => (errors += text));
const client = new Client({ name: "tracer-cases", version: "1.0.0" });
await client.connect(transport);
const page = [];
const say = (...lines) => page.push(...lines, "");

/** Calls a tool, writes it down, and gives its data. */
async function ask(why, name, given = {}) {
  const result = await client.callTool({ name, arguments: given });
  const text = result.content[0].text.trimEnd();
  say(why, "```", `> ${name} ${JSON.stringify(given)}`, ...text.split("\n").slice(0, 24).map((line) => line.trimEnd()), "```");
  assert.ok(!result.isError, text);
  assert.ok(JSON.stringify(result.structuredContent).length <= 24 * 1024);
  return result.structuredContent;
}

say(
  "# A client at work",
  "Three cases, solved by a client of `analyzer mcp` that the project did not write: the protocol's TypeScript SDK. "
    + "`tests/mcp/run.sh` writes this page anew and compares it; the program that asks is `tests/mcp/cases.mjs`. Of each answer the first "
    + "24 lines are shown; beside the text the client gets the same as JSON, by which it goes on.",
);
const { tools } = await client.listTools();
assert.ok(tools.every((tool) => tool.annotations.readOnlyHint));
const listed = await ask("## What there is", "traces");
const called = (part) => listed.traces.find((one) => one.trace.includes(part)).trace;

// A network driver that the framework ndis.sys stands before.
{
  const trace = called("nic-behind-ndis");
  say("## Case 1: sound stutters on one machine");
  const open = await ask("Can the trace tell at all?", "open", { trace });
  assert.ok(open.questions.some((one) => one.answerable));
  const blame = await ask("It can. Who is it?", "blame", { trace });
  const [culprit] = blame.culprits;
  const { episodes } = await ask("Does every single latency say so?", "episodes", { trace, culprit: culprit.name });
  assert.equal(episodes.length, blame.summary.episodes);
  const close = await ask("What ran in the worst of them?", "timeline", { trace, episode: episodes[0].id, limit: 6 });
  assert.ok(close.spans.some((span) => span.kind === "dpc" && span.label === culprit.name));
  const counter = await ask("And if it were gone?", "blame", { trace, without: culprit.name });
  assert.equal(counter.without.episodes ?? 0, 0);
  const { drivers } = await ask("Is it the framework that called it?", "drivers", { trace, limit: 5 });
  const framework = drivers.find((driver) => driver.name === culprit.through[0]);
  assert.ok((framework.dpc?.maxUs ?? 0) < blame.settings.thresholdUs);
  assert.deepEqual([blame.summary.verdict, culprit.mechanism, culprit.through], ["driver", "dpc", ["ndis.sys"]]);
  say(`**Answer:** ${culprit.name} (${culprit.image.company} ${culprit.image.version}), by its DPCs; ${culprit.through[0]} only calls it.`);
}

// Firmware stops the machine: every driver is innocent.
{
  const trace = called("firmware-blackout");
  say("## Case 2: the machine freezes for moments, and three drivers were already replaced");
  const blame = await ask("Who is it?", "blame", { trace });
  const [culprit] = blame.culprits;
  const { episodes } = await ask("The longest latencies:", "episodes", { trace, limit: 2 });
  const close = await ask("Did anything run meanwhile, on any CPU?", "timeline", { trace, episode: episodes[0].id });
  const silent = close.spans.filter((span) => span.kind === "blackout");
  assert.ok(new Set(silent.map((span) => span.cpu)).size >= 2, "All CPUs stood still.");
  const { drivers } = await ask("Is a driver near that length?", "drivers", { trace, limit: 5 });
  const longest = Math.max(...drivers.map((driver) => Math.max(driver.isr?.maxUs ?? 0, driver.dpc?.maxUs ?? 0)));
  const against = await ask(`What speaks against ${drivers[0].name}?`, "blame", { trace, suspect: drivers[0].name });
  assert.equal(against.suspect.name, drivers[0].name);
  assert.deepEqual([blame.summary.verdict, culprit.name], ["hardware", "hardware/firmware"]);
  say(`**Answer:** firmware or hardware: both CPUs stood still at once for ${silent[0].us} us; no driver ran longer than ${longest} us.`);
}

// A recording that cannot tell.
{
  const trace = called("coarse-clock");
  say("## Case 3: a trace that cannot tell");
  const blame = await ask("Who is it?", "blame", { trace });
  assert.equal(blame.summary.verdict, "unknown");
  assert.equal(blame.summary.culprit, null);
  const open = await ask("Why does it not know?", "open", { trace });
  const missing = open.questions.filter((one) => !one.answerable);
  assert.ok(missing.length > 0 || blame.nextSteps.length > 0);
  say(`**Answer:** nobody is named. What to do: ${blame.nextSteps[0]?.step ?? missing[0].missing.join(", ")}.`);
}

const bad = await client.callTool({ name: "blame", arguments: { trace: "../secret.etl" } });
assert.ok(bad.isError);
await assert.rejects(client.callTool({ name: "blam", arguments: {} }), (error) => error.code === -32602);
const report = await client.readResource({ uri: `tracer://blame/json/${called("nic-behind-ndis")}` });
assert.equal(JSON.parse(report.contents[0].text).schema, "tracer.blame/1");
const told = [];
await client.callTool({ name: "latency", arguments: { trace: called("coarse-clock"), per: "process,cpu" } }, undefined, {
  onprogress: (progress) => told.push(progress.progress),
});
assert.deepEqual(told, told.toSorted((one, other) => one - other));
const taken = new AbortController();
const call = client.callTool({ name: "blame", arguments: { trace: called("coarse-clock"), threshold: "1us" } }, undefined, { signal: taken.signal });
taken.abort();
await assert.rejects(call);
assert.equal((await client.listResources()).resources[0].uri, "tracer://traces");
await client.close();
assert.equal(errors, "");
console.log(page.join("\n").trimEnd());
