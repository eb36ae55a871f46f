import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { PresenceReported } from '@assay/contracts/evaluators';
import { projectFolder } from '@assay/sandbox/docker';
import { PROTOCOL } from '../gateway/protocol.js';
import type { ServiceClient } from '../gateway/service-client.js';

const MOST_RUNTIMES = 20;
const MOST_NEIGHBOURS = 1000;
const LONGEST_PROBLEM = 1000;
/** The instruction sets that Docker names otherwise than Node.js. */
const DOCKER_NAMES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The engine of an evaluator, as it last looked at it. */
export interface EngineState {
  /** Why this host cannot run models now. Null: it can. */
  readonly problem: string | null;
  /** The container runtimes of the engine when this host could last run models. */
  readonly runtimes: readonly string[];
  /** Names of other evaluators that use the engine. */
  readonly neighbours: readonly string[];
}

/** Reports the presence of this evaluator to the service. */
export class PresenceReports {
  private readonly version = versionOf(readFileSync(join(projectFolder(), 'package.json'), 'utf8'));

  constructor(
    private readonly client: ServiceClient,
    /** Processors that runs may take. */
    private readonly slots: number,
  ) {}

  /** @throws ServiceError, or the error of the connection */
  async send({ problem, runtimes, neighbours }: EngineState, signal: AbortSignal): Promise<PresenceReported> {
    const architecture = DOCKER_NAMES[process.arch] ?? process.arch;
    const host = {
      architecture,
      cpus: cpus().length,
      memoryBytes: totalmem(),
      runtimes: runtimes.slice(0, MOST_RUNTIMES),
    };
    const body = {
      protocol: PROTOCOL,
      version: this.version,
      host,
      slots: this.slots,
      problem: problem && problem.slice(0, LONGEST_PROBLEM),
      neighbours: neighbours.slice(0, MOST_NEIGHBOURS),
    };
    return this.client.requestOnce({ method: 'PUT', path: '/presence', body }, PresenceReported, signal);
  }
}

const versionOf = (manifest: string): string => (JSON.parse(manifest) as { readonly version: string }).version;
