// Writes the commands of a job as a shell script that runs as the job does, but for the actions of others:
// job.mjs FILE JOB. FILE is a GitHub workflow, or a .gitlab-ci.yml whose "extends" are resolved. What it does not know, such
// as an expression, it refuses.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const { parse } = createRequire(process.cwd() + '/')('yaml');
const [file, name] = process.argv.slice(2);
const document = parse(fs.readFileSync(file, 'utf8'));
const quoted = (text) => `'${String(text).replaceAll("'", `'\\''`)}'`;
const lines = ['set -u', 'status=0'];

function step(title, commands) {
  lines.push(`echo ${quoted('> ' + title)}`, `bash -eo pipefail -c ${quoted(commands)} </dev/null || status=1`);
}

function gitHub(job) {
  const values = { 'github.workspace': '$PWD', 'github.run_number': '1' };
  const evaluate = (text) => String(text).replace(/\$\{\{ *([^}]*?) *\}\}/g, (all, expression) => {
    if (!(expression in values)) {
      throw new Error(`${file}: unknown expression ${all}`);
    }
    return values[expression];
  });
  for (const [key, value] of Object.entries({ ...document.env, ...job.env })) {
    lines.push(`export ${key}="${evaluate(value)}"`);
  }
  lines.push('export GITHUB_ACTIONS=true');
  const conditions = { undefined: '[ $status = 0 ]', 'failure()': '[ $status != 0 ]', 'always()': 'true' };
  for (const { uses, run, name: title, if: condition } of job.steps) {
    if (uses) {
      lines.push(`echo ${quoted('> uses ' + uses + ': not run here')}`);
      continue;
    }
    if (!(condition in conditions)) {
      throw new Error(`${file}: unknown condition ${condition}`);
    }
    lines.push(`if ${conditions[condition]}; then`);
    step(title ?? run, evaluate(run));
    lines.push('fi');
  }
}

function gitLab(job) {
  for (const [key, value] of Object.entries({ ...document.variables, ...job.variables })) {
    lines.push(`export ${key}=${quoted(value)}`);
  }
  step('before_script and script', [...(job.before_script ?? []), ...job.script].join('\n'));
  lines.push('kept=$status');
  step('after_script', (job.after_script ?? []).join('\n'));
  lines.push('status=$kept');
}

if (document.jobs) {
  gitHub(document.jobs[name]);
} else {
  gitLab(document[name]);
}
console.log([...lines, 'exit $status'].join('\n'));
