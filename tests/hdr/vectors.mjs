// Writes tests/contract/latency/golden-vectors.txt: histograms that HdrHistogram's own JavaScript recorded and encoded. Run by hand:
// npm ci && node vectors.mjs > ../contract/latency/golden-vectors.txt
import { build, encodeIntoCompressedBase64 } from "hdr-histogram-js";

const sets = {
  empty: [],
  zero: [0],
  one: [1],
  "edges of buckets": [1, 2046, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 1048575, 1048576, 3600000000000],
  "a million and one": [...Array(1000).fill(1000), 1000000, 1000001],
  "powers of three": [...Array(26).keys()].map((power) => 3 ** power),
};
let state = 12345;
sets["a tail"] = [...Array(5000).keys()].map(() => {
  state = (state * 1103515245 + 12345) % 2147483648;
  return Math.floor(2000 / ((state + 1) / 2147483649));
});
for (const [name, values] of Object.entries(sets)) {
  const histogram = build({ bitBucketSize: 64, lowestDiscernibleValue: 1, highestTrackableValue: 3600000000000, numberOfSignificantValueDigits: 3 });
  values.forEach((value) => histogram.recordValue(value));
  const percentiles = [50, 90, 99, 99.9].map((percent) => histogram.getValueAtPercentile(percent));
  console.log([name, values.join(" "), percentiles.join(" "), encodeIntoCompressedBase64(histogram)].join("\t"));
}
