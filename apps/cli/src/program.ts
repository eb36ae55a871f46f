import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { adminCommand } from './commands/admin.command.js';
import { benchmarkCommand, historyCommand } from './commands/benchmark.command.js';
import { checkCommand } from './commands/check.command.js';
import { compareCommand } from './commands/compare.command.js';
import { datasetCommand } from './commands/dataset.command.js';
import { evaluatorCommand } from './commands/evaluator.command.js';
import { leaderboardCommand, loopCommand } from './commands/leaderboard.command.js';
import { loginCommand } from './commands/login.command.js';
import { modelCommand } from './commands/model.command.js';
import { perturbationCommand } from './commands/perturbation.command.js';
import { planCommand } from './commands/plan.command.js';
import { contextsCommand, examplesCommand, exportCommand } from './commands/round-content.command.js';
import { roundCommand } from './commands/round.command.js';
import { forkCommand, snapshotCommand } from './commands/saved-boards.command.js';
import { submitCommand } from './commands/submit.command.js';
import { taskCommand } from './commands/task.command.js';
import { userCommand } from './commands/user.command.js';
import { verifyCommand } from './commands/verify.command.js';
import { exitCodesText } from './command-failure.js';

/** Returns the command `assay` with all its subcommands. Errors are thrown, not printed. */
export function program(): Command {
  const assay = new Command('assay')
    .description('Checks models, submits them to Assay and shows their results.')
    .version(manifest.version)
    // subcommands have a --version option of their own, for the version of a dataset
    .enablePositionalOptions()
    .addHelpText('after', `\n${exitCodesText()}`)
    .addCommand(loginCommand())
    .addCommand(checkCommand())
    .addCommand(submitCommand())
    .addCommand(modelCommand())
    .addCommand(leaderboardCommand())
    .addCommand(compareCommand())
    .addCommand(historyCommand())
    .addCommand(forkCommand())
    .addCommand(snapshotCommand())
    .addCommand(loopCommand())
    .addCommand(taskCommand())
    .addCommand(datasetCommand())
    .addCommand(roundCommand())
    .addCommand(planCommand())
    .addCommand(contextsCommand())
    .addCommand(examplesCommand())
    .addCommand(exportCommand())
    .addCommand(perturbationCommand())
    .addCommand(benchmarkCommand())
    .addCommand(verifyCommand())
    .addCommand(evaluatorCommand())
    .addCommand(userCommand())
    .addCommand(adminCommand());
  throwInsteadOfExit(assay);
  return assay;
}

function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) throwInsteadOfExit(child);
}
