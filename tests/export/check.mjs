// Reads what analyzer export wrote with what others made, and says what is wrong with it.
//   node check.mjs speedscope|perfetto|folded FILE
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import protobuf from 'protobufjs';

const [format, path] = process.argv.slice(2);

function fail(why) {
  console.log(why);
  process.exit(1);
}

/** The schema that speedscope's own package has of its files. */
function speedscope() {
  const schema = fileURLToPath(import.meta.resolve('speedscope/package.json')).replace(
    'package.json', 'dist/release/file-format-schema.json');
  const validate = new Ajv({ allErrors: false, strict: false }).compile(JSON.parse(readFileSync(schema, 'utf8')));
  const file = JSON.parse(readFileSync(path, 'utf8'));
  if (!validate(file)) fail(JSON.stringify(validate.errors.slice(0, 3)));
  for (const profile of file.profiles.filter((one) => one.type === 'evented')) {
    const open = [];
    let last = profile.startValue;
    for (const { type, frame, at } of profile.events) {
      if (at < last) fail(`${profile.name}: ${at} stands behind ${last}`);
      last = at;
      if (type === 'O') open.push(frame);
      else if (open.pop() !== frame) fail(`${profile.name}: at ${at} another frame ends than the last that began`);
    }
    if (open.length > 0) fail(`${profile.name}: ${open.length} frames do not end`);
  }
  return file.profiles.length;
}

/** Perfetto's format by another library of protobuf; the numbers are those of the public schema. */
function perfetto() {
  const { root } = protobuf.parse(`syntax = "proto2";
    message Trace { repeated Packet packet = 1; }
    message Packet { optional uint64 timestamp = 8; optional uint32 sequence = 10; optional Event event = 11; optional Interned data = 12;
      optional uint32 flags = 13; optional Track track = 60; }
    message Track { optional uint64 uuid = 1; optional string name = 2; optional uint64 parent = 5; optional Counter counter = 8; }
    message Counter { optional string unit = 6; }
    message Interned { repeated Name categories = 1; repeated Name names = 2; }
    message Name { optional uint64 iid = 1; optional string name = 2; }
    message Event { repeated uint64 categories = 3; optional int32 type = 9; optional uint64 iid = 10; optional uint64 track = 11;
      optional string name = 23; optional int64 value = 30; repeated fixed64 flows = 47; repeated fixed64 ends = 48; }`, { keepCase: true });
  const { packet } = root.lookupType('Trace').decode(readFileSync(path));
  const tracks = new Set(packet.filter((one) => one.track).map((one) => String(one.track.uuid)));
  const names = new Set();
  if (packet[0].flags !== 1 || packet.some((one) => one.sequence !== 1)) fail('the first packet does not begin a sequence');
  const events = [];
  for (const one of packet) {
    for (const name of one.data?.names ?? []) names.add(String(name.iid));
    if (!one.event) continue;
    if (!tracks.has(String(one.event.track))) fail(`no track ${one.event.track}`);
    if (one.event.type === 1 && !one.event.name && !names.has(String(one.event.iid))) fail(`no name ${one.event.iid}`);
    events.push({ at: BigInt(String(one.timestamp)), ...one.event });
  }
  events.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0)); // Stable, as trace_processor's.
  const depth = new Map();
  const flows = new Set();
  for (const one of events) {
    const track = String(one.track);
    const now = (depth.get(track) ?? 0) + (one.type === 1 ? 1 : one.type === 2 ? -1 : 0);
    if (now < 0) fail(`track ${track} at ${one.at}: a span ends that did not begin`);
    depth.set(track, now);
    for (const flow of one.flows ?? []) flows.add(String(flow));
    for (const flow of one.ends ?? []) if (!flows.delete(String(flow))) fail(`flow ${flow} ends at ${one.at} and did not begin`);
  }
  for (const [track, left] of depth) if (left !== 0) fail(`track ${track}: ${left} spans do not end`);
  return events.length;
}

/** What flame graphs are drawn from: frames, a blank, a count. */
function folded() {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const bad = lines.find((line) => !/^[^;]+(;[^;]+)* [1-9][0-9]*$/.test(line));
  if (bad !== undefined) fail(`no stack with its count: ${bad}`);
  return lines.length;
}

const count = { speedscope, perfetto, folded }[format]();
if (count === 0) fail('nothing is in it');
console.log(`${count} read`);
