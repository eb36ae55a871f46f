import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LeaseOffer, type LeasedRunView } from '@assay/contracts/gateway';
import { newId } from '@assay/kernel';
import { type FakeModel, FakeSandboxDriver } from '@assay/sandbox';
import { Logger } from '@nestjs/common';
import { ArtifactCache } from '../../../apps/evaluator/src/gateway/artifact-cache.js';
import { LeasedRuns } from '../../../apps/evaluator/src/gateway/leased-runs.js';
import { ServiceClient } from '../../../apps/evaluator/src/gateway/service-client.js';
import { measuringLocks } from '../../../apps/evaluator/src/host/measuring-locks.js';
import { PresenceReports } from '../../../apps/evaluator/src/host/presence-reports.js';
import { runWork } from '../../../apps/evaluator/src/run/run-work.js';
import { VERSION_2 } from '../../factories/protocols/version-2.js';
import { answerTo, type ClientPlan, type GatewayClient, gatewayClientContract } from './gateway-client.contract.js';

Logger.overrideLogger(false);

interface Instances {
  readonly instances: readonly { readonly text: string }[];
}

/** The evaluator, with models that are scripts. */
async function startEvaluator({ url, token, folder, answering }: ClientPlan): Promise<GatewayClient> {
  const model: FakeModel = {
    start: () => 0,
    reply: async (body) => {
      await answering();
      const { instances } = JSON.parse(body.toString()) as Instances;
      return Buffer.from(JSON.stringify({ predictions: instances.map(answerTo) }));
    },
  };
  const client = new ServiceClient(url, token);
  const workFolder = join(folder, 'work');
  await mkdir(workFolder, { recursive: true });
  const runs = new LeasedRuns({
    client,
    artifacts: await ArtifactCache.open(join(folder, 'artifacts')),
    work: runWork({
      driver: new FakeSandboxDriver(() => model),
      runner: () => Promise.reject(new Error('there is no engine here')),
      workFolder,
      locks: measuringLocks(newId()),
    }),
    workFolder,
    capacity: { cpus: 1, memoryBytes: 2 ** 40 },
  });
  const engine = { problem: null, runtimes: ['runc'], neighbours: [] };
  await new PresenceReports(client, 1).send(engine, AbortSignal.timeout(10_000));
  runs.start();
  return { stop: () => runs.leave() };
}

/** An evaluator of the tests: it sends the requests of the current version of the protocol, and nothing else. */
class FakeEvaluator implements GatewayClient {
  private readonly leaving = new AbortController();
  private loops: readonly Promise<void>[] = [];

  constructor(private readonly plan: ClientPlan) {}

  async start(): Promise<this> {
    await this.send('PUT', '/presence', VERSION_2.sends.presence);
    this.loops = [this.lease('admission'), this.lease('evaluation')];
    return this;
  }

  async stop(): Promise<void> {
    this.leaving.abort();
    await Promise.all(this.loops);
  }

  private async lease(stage: 'admission' | 'evaluation'): Promise<void> {
    while (!this.leaving.signal.aborted) {
      const request = { protocol: VERSION_2.version, stage, waitSeconds: 1 };
      const { run } = LeaseOffer.parse(await (await this.send('POST', '/leases', request)).json());
      if (!run) continue;
      try {
        await (stage === 'admission' ? this.admit(run) : this.evaluate(run));
      } catch (error) {
        // another evaluator holds the run now
        if (error !== LOST) throw error;
      }
    }
  }

  private async admit(run: LeasedRunView): Promise<void> {
    const artifact = await (await this.about('GET', run, 'artifact')).text();
    const { admitted, refused } = VERSION_2.sends;
    await this.about('POST', run, 'outcome', artifact.startsWith('no image') ? refused : admitted);
  }

  private async evaluate(run: LeasedRunView): Promise<void> {
    for (const { id, version } of run.assignment.datasets) {
      const left = Promise.withResolvers<'left'>();
      this.leaving.signal.addEventListener('abort', () => left.resolve('left'), { once: true });
      if ((await Promise.race([this.plan.answering(), left.promise])) === 'left') {
        await this.about('POST', run, 'outcome', { kind: 'released' });
        return;
      }
      await this.about('POST', run, `datasets/${id}/start`);
      const inputs = await (await this.about('GET', run, `datasets/${id}/inputs`)).text();
      const answers = inputs
        .trimEnd()
        .split('\n')
        .map((line) => `${JSON.stringify(answerTo(JSON.parse(line) as { text: string }))}\n`)
        .join('');
      await this.about('PUT', run, `datasets/${id}/answers`, Buffer.from(answers), '&offset=0');
      const facts = { size: answers.length, measures: null, seen: [version], timed: [] };
      await this.about('POST', run, `datasets/${id}/answers`, facts);
    }
    await this.about('POST', run, 'outcome', { kind: 'finished', measures: null });
  }

  /** @throws `LOST` */
  private async about(
    method: string,
    { assignment: { run, fence } }: LeasedRunView,
    route: string,
    body?: object,
    query = '',
  ): Promise<Response> {
    const response = await this.send(method, `/runs/${run}/${route}?fence=${fence}${query}`, body);
    if (response.status === 409) throw LOST;
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    return response;
  }

  private send(method: string, path: string, body?: object): Promise<Response> {
    const isLines = body instanceof Uint8Array;
    return fetch(`${this.plan.url}/api/v1/evaluator${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.plan.token}`,
        ...(body && { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' }),
      },
      ...(body && { body: isLines ? new Uint8Array(body) : JSON.stringify(body) }),
    });
  }
}

const LOST = new Error('the lease is lost');

gatewayClientContract('the evaluator', startEvaluator);
gatewayClientContract('a fake evaluator', (plan) => new FakeEvaluator(plan).start());
