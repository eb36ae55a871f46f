import { probeTable } from '../test/e2e/probes/table.js';
import { build } from './build.js';
import { chosen, commandLine, refuseUsage } from './command-line.js';
import { runNode } from './command.js';

const known = [
  { name: 'archives' },
  { name: 'page-cache' },
  { name: 'surroundings' },
  { name: 'taint' },
  ...probeTable.flatMap(({ rows }) => rows),
];

const usage = `Usage: npm run test:probes [-- [--runtime runsc] [PROBE…]]

Sends every hostile model of sandboxes/probes, each alone, through the whole service on the Docker engine of DOCKER_HOST, and an honest
model after each; \`archives\` are those that are hostile themselves, and what becomes of images that are only untidy.
Names: ${known.map(({ name }) => name).join(', ')}; default: all.

  --runtime runsc  under gVisor, if the engine has it`;

const { values, positionals } = commandLine(usage, { runtime: { type: 'string', default: 'runc' } });
chosen(usage, 'probe', known, positionals);
if (!['runc', 'runsc'].includes(values.runtime)) refuseUsage(usage, `Unknown runtime: ${values.runtime}.`);
await build(['services']);
const environment = { PROBES_ALONE: '1', PROBES_RUNTIME: values.runtime, PROBES: positionals.join(' ') };
// without named probes, also tests what they rely on: the driver under each runtime
const specs = positionals.length > 0 ? ['probes/'] : ['probes/', 'sandbox-driver'];
const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--selectProjects', 'e2e'];
const parameters = [...jest, '--verbose', '--testPathPatterns', ...specs.map((spec) => `test/e2e/${spec}`)];
const { code } = await runNode(parameters, { environment, onOutput: (text) => void process.stdout.write(text) });
process.exitCode = code;
