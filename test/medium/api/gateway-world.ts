import { RoundModel } from '@assay/collection/rounds';
import { newId } from '@assay/kernel';
import { Deployment } from '@assay/serving';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Round } from '@assay/tasks';
import { expect } from '@jest/globals';
import { SENTIMENT_TASK, sentimentLines } from '../../factories/models/sentiment-task.js';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { REPORT } from './route-world.js';

/** The definition of a task, and the size of its two datasets. */
interface GatewayTask {
  readonly count: number;
  readonly definition?: object;
}

/** An API with an owner of tasks, a builder of models and evaluators. */
export class GatewayWorld {
  private constructor(
    readonly world: ApiWorld,
    /** The token of the owner of the tasks. */
    readonly owner: string,
    /** The token of the user who submits models. */
    readonly builder: string,
  ) {}

  static async start(): Promise<GatewayWorld> {
    const world = await apiWorld();
    return new GatewayWorld(world, await world.user('owner'), await world.user('builder'));
  }

  /** Creates a task with a public and a hidden dataset. */
  async task(slug: string, { count, definition }: GatewayTask, token = this.owner): Promise<void> {
    const body = { ...SENTIMENT_TASK, slug, name: slug, runtime: 'runc', ...definition };
    expect((await this.world.call('POST', '/tasks', { token, body })).status).toBe(201);
    for (const visibility of ['public', 'hidden']) {
      await this.world.call('PUT', `/tasks/${slug}/datasets/${visibility}-set?visibility=${visibility}`, {
        token,
        type: 'application/x-ndjson',
        body: sentimentLines(`${slug} ${visibility}`, { count, web: 6 }),
      });
    }
  }

  /** Registers an evaluator, which reports its host. Returns its token. */
  async evaluator(name: string, by = this.world.admin, report: object = {}): Promise<string> {
    const { body } = await this.world.call('POST', '/evaluators', { token: by, body: { name } });
    const token = body.token as string;
    await this.world.call('PUT', '/evaluator/presence', { token, body: { ...REPORT, ...report } });
    return token;
  }

  /** Submits a container with unique bytes. Returns its bytes and the ID of the model. */
  async submit(
    slug: string,
    by = this.builder,
    more: object = {},
    bytes = Buffer.from(`an archive, ${newId()} `.repeat(1000)),
  ): Promise<{ id: string; bytes: Buffer<ArrayBuffer> }> {
    const body = { name: `model ${newId()}`, kind: 'container', ...more };
    const { body: created } = await this.world.call('POST', `/tasks/${slug}/models`, { token: by, body });
    const id = created.id as string;
    const file = { token: by, type: 'application/octet-stream', body: bytes };
    expect((await this.world.call('PUT', `/models/${id}/artifact`, file)).status).toBe(202);
    return { id, bytes };
  }

  /** Makes a submitted container a target model. Returns the ID of the deployment. */
  async deploy(model: string, more: object = {}): Promise<string> {
    const em = this.world.orm.em.fork();
    const { specification, task } = await em.findOneOrFail(Model, model, { populate: ['specification.artifact'] });
    await em.nativeUpdate(Artifact, specification!.artifact.id, {
      image: { port: 8080, unreadable: [], protocol: null, unpackedBytes: 5 },
    });
    const own = { task, model, specification: specification!, state: 'wanted' } as const;
    const deployment = em.create(Deployment, { ...own, ...more });
    await em.flush();
    return deployment.id;
  }

  /** Makes the model one of the target models of an open round. */
  async openRound(id: string): Promise<void> {
    const em = this.world.orm.em.fork();
    const model = await em.findOneOrFail(Model, id);
    const round = await em.upsert(Round, { task: model.task.id, number: 1, state: 'open', imported: false });
    em.create(RoundModel, { round, model, reason: 'named', since: new Date() });
    await em.flush();
  }

  close(): Promise<void> {
    return this.world.close();
  }
}

/** Returns the status of a response, and the code of a refusal. */
export const told = ({ status, body }: ApiAnswer): string => `${status} ${body?.code}`;
