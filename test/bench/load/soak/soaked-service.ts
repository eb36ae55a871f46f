import { COLLECTING } from '../../../factories/measurement/collected-memory.js';
import type { CollectionWorld } from '../../../factories/worlds/collection-world.js';
import { openRound, untilWarm } from '../../annotators.bench.js';
import type { BenchContext } from '../../bench.js';
import type { BenchService } from '../../bench-service.js';
import { examplesFile } from '../../examples-file.js';

/** Settings that let webhooks reach the listener of a bench. */
const TO_LISTENER = {
  ASSAY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  ASSAY_WEBHOOK_PORTS: '1-65535',
  ASSAY_WEBHOOK_HTTP: 'true',
};
const PEOPLE = 5;

export const soaker = (person: number): string => `soaker-${person}`;

/** The service and the data that all operations of a soak use. */
export class SoakedService {
  private numbers = 0;

  private constructor(
    readonly context: BenchContext,
    readonly service: BenchService,
    readonly collection: CollectionWorld,
    /** The task that people submit to. */
    readonly task: string,
    /** The id of the target model. */
    readonly inLoop: string,
    /** The ids of the models on the board, the oldest first. */
    readonly standing: string[] = [],
  ) {}

  /**
   * Prepares a round with a warm target model and contexts for `examples`, and a task to submit to.
   * Restarts both processes first.
   */
  static async prepare(context: BenchContext, service: BenchService, examples: number): Promise<SoakedService> {
    await startedAgain(service);
    const { world } = service;
    // one author may have written all the examples that a person validates
    const collection = await openRound(service, context.folder, 2, examples * 2, { sameAuthor: 1_000_000 });
    for (let person = 0; person < PEOPLE; person++) await world.user(soaker(person));
    await untilWarm(collection, await world.user(soaker(0)));
    const task = await service.task(await examplesFile(context.folder, 200, 'soak'));
    const [model] = await world.rows<{ id: string }>(
      'select m.id from model m join task t on t.id = m.task_id where t.slug = $1',
      [collection.task],
    );
    return new SoakedService(context, service, collection, task, model!.id);
  }

  get world(): BenchService['world'] {
    return this.service.world;
  }

  /** Returns a different number each time. */
  number(): number {
    return this.numbers++;
  }
}

/**
 * Restarts all processes, which removes leftovers of other benches and makes them collect garbage
 * on a signal.
 */
async function startedAgain({ world }: BenchService): Promise<void> {
  const environment = { ...COLLECTING, ...TO_LISTENER };
  await world.stopEvaluator();
  await world.startEvaluator(environment);
  await world.stopWorker();
  world.startWorker(environment);
  await world.restartApi(environment);
}
