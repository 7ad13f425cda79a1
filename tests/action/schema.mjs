// Reads an action by the schema of GitHub's actions: node schema.mjs FILE; 0 where it keeps it.
import { readFileSync } from 'node:fs';
import { validateAction } from '@action-validator/core';

const { errors } = validateAction(readFileSync(process.argv[2], 'utf8'));
if (errors.length > 0) {
  console.error(JSON.stringify(errors, null, 2));
  process.exit(1);
}
