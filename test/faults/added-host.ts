import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RegisteredEvaluators } from '@assay/contracts/evaluators';
import { DockerEngine } from '@assay/sandbox/docker';
import { expect } from '@jest/globals';
import { sendSignal } from '../../scripts/services/processes.js';
import type { SupervisedProcess } from '../../scripts/services/supervised-process.js';
import { commandsOf } from '../e2e/documented-commands.js';
import { buildCli, startCli } from '../factories/services/cli-runner.js';
import type { FaultyService } from './faulty-service.js';
import type { RemoteHosts } from './remote-hosts.js';

const GUIDE = 'docs/guides/evaluators.md';
/** The address and the token in the guide. */
const EXAMPLES = { url: 'https://assay.example.org', token: 'assay_evaluator_…' };
const LOG = 'added-host';

/** The commands of the guide. */
interface Guide {
  readonly register: string;
  /** Those that a reader runs on the host. */
  readonly onHost: readonly string[];
  readonly list: string;
  readonly remove: string;
}

/** Follows the guide for evaluators: adds the host at a place, and removes it again. */
export class AddedHost {
  private readonly guide = readGuide();
  private readonly name = this.guide.register.split(' ').at(-1)!;
  /** Next to the homes of the other evaluators. */
  private readonly home = this.service.world.evaluatorHome(this.name);
  private shell: SupervisedProcess | undefined;

  constructor(
    private readonly service: FaultyService,
    private readonly remote: RemoteHosts,
    private readonly place: number,
  ) {
    buildCli();
    mkdirSync(join(this.home, 't'), { recursive: true });
  }

  /** Registers an evaluator, and starts it as the guide says. Resolves when the service lists it as online. */
  async add(): Promise<void> {
    const printed = await this.assay(this.guide.register);
    const token = /assay_evaluator_[\w-]+/.exec(printed)![0];
    const commands = (url: string): string[] =>
      this.guide.onHost.map((line) => line.replace(EXAMPLES.url, url).replace(EXAMPLES.token, token));
    const { world } = this.service;
    // the CLI reaches the service at another address than the host
    expect(printed).toContain(
      commands(world.url)
        .map((line) => `\n  ${line}`)
        .join(''),
    );

    this.shell = this.remote.startShell(this.place, commands(this.remote.url(this.place)), world.log(LOG), {
      HOME: this.home,
      TMPDIR: join(this.home, 't'),
      ASSAY_EVALUATOR_HOME: this.home,
    });
    await this.service.untilLogged(LOG, `evaluator ${this.name} is ready`);
    await world.until(async () => (await this.registered())?.state === 'online', 60_000);
  }

  /** Returns the lines about it in the output of the guide's command that lists evaluators. */
  async listed(): Promise<string> {
    const lines = (await this.assay(this.guide.list)).split('\n');
    return lines.filter((line) => line.startsWith(`${this.name} `)).join('\n');
  }

  /** Removes it with the guide's command. Resolves when the service refuses it. */
  async remove(): Promise<void> {
    expect(await this.assay(this.guide.remove)).toContain(`Removed the evaluator ${this.name}.`);
    await this.service.untilLogged(LOG, 'evaluator_removed');
  }

  /** Stops it as Ctrl-C in its terminal does. Expects that it ends cleanly, and leaves no container. */
  async interrupt(): Promise<void> {
    sendSignal(-this.shell!.pid, 'SIGINT');
    expect(await this.shell!.ended).toMatch(/^(?:ended with code 0|was ended by SIGINT)$/);
    const engine = new DockerEngine(this.remote.engines[this.place]!.host);
    expect(await engine.list([`assay.instance=${this.name}`])).toEqual([]);
  }

  /** Ends what still runs, and removes its files. */
  async close(): Promise<void> {
    await this.shell?.stop();
    rmSync(this.home, { recursive: true, force: true });
  }

  private async registered(): Promise<RegisteredEvaluators['items'][number] | undefined> {
    const { world } = this.service;
    const { body } = await world.expect(200, 'GET', '/evaluators', { token: world.admin });
    return (body as RegisteredEvaluators).items.find(({ name }) => name === this.name);
  }

  /** Runs a command of the CLI as the administrator. */
  private async assay(command: string): Promise<string> {
    const [program, ...words] = command.split(' ');
    expect(program).toBe('assay');
    const { url, admin } = this.service.world;
    const { code, stdout, stderr } = await startCli(this.home, words, { ASSAY_URL: url, ASSAY_TOKEN: admin }).ended;
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  }
}

function readGuide(): Guide {
  const [register, settings, start, list, remove, ...others] = commandsOf(GUIDE);
  expect(others).toEqual([]);
  expect(settings).toContain(EXAMPLES.url);
  expect(settings).toContain(EXAMPLES.token);
  return { register: register!, onHost: [settings!, start!], list: list!, remove: remove! };
}
