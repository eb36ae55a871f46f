import { EvaluatorSettings } from '../apps/evaluator/src/host/evaluator-settings.js';
import { build } from './build.js';
import { commandLine, refuseUsage } from './command-line.js';
import { onStopSignal } from './command.js';
import { appArguments, appEnvironment } from './services/app-program.js';
import { Progress } from './services/progress.js';

const usage = `Usage: scripts/evaluator

Builds an evaluator and starts it on this host, which needs a Docker engine. Ctrl-C stops it.

Environment: ASSAY_URL (address of the service), ASSAY_EVALUATOR_TOKEN (printed by assay evaluator register),
ASSAY_EVALUATOR_HOME (folder for temporary files and cached artifacts, default .assay), DOCKER_HOST (the Docker engine),
and the other variables of docs/guides/evaluators.md.`;

const { positionals } = commandLine(usage, {});
if (positionals.length > 0) refuseUsage(usage, `Unknown argument: ${positionals.join(' ')}.`);

/** Builds what has changed, and replaces this process by the evaluator, which gets all signals itself. */
async function main(): Promise<void> {
  // wrong settings are reported before the build
  new EvaluatorSettings();
  // ends the compilers as well
  onStopSignal(() => process.exit(130));
  const progress = new Progress((text) => process.stdout.write(text));
  await progress.step('Building the evaluator', async (detail) => {
    const built = await build(['services']);
    if (built.length === 0) detail('nothing changed');
  });
  const command = [process.execPath, ...appArguments('evaluator')];
  process.execve!(process.execPath, command, { ...process.env, ...appEnvironment('evaluator') });
}

await main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
