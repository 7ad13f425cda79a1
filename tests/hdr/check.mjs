// Reads encoded histograms from a file, one a line, with HdrHistogram's own JavaScript, and prints what it finds in each: count,
// least, greatest, percentiles and the percentile text. tests/contract/latency compares it with what Tracer says.
import { readFileSync } from "node:fs";
import { decodeFromCompressedBase64 } from "hdr-histogram-js";

const percents = [0, 50, 90, 99, 99.9, 99.99, 99.999, 100];
for (const line of readFileSync(process.argv[2], "utf8").split("\n").filter((text) => text.length > 0)) {
  const histogram = decodeFromCompressedBase64(line, 64);
  console.log(JSON.stringify({
    count: histogram.totalCount,
    least: histogram.minNonZeroValue,
    most: histogram.maxValue,
    percentiles: percents.map((percent) => histogram.getValueAtPercentile(percent)),
    text: histogram.outputPercentileDistribution(5, 1),
  }));
}
