import { COLLECTING } from '../../../factories/collected-memory.js';
import type { CollectionWorld } from '../../../factories/collection-world.js';
import { openRound, untilWarm } from '../../annotators.bench.js';
import type { BenchContext } from '../../bench.js';
import type { BenchService } from '../../bench-service.js';
import { examplesFile } from '../../examples-file.js';

/** Lets webhooks reach the listener of a bench. */
const TO_LISTENER = {
  ASSAY_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32',
  ASSAY_WEBHOOK_PORTS: '1-65535',
  ASSAY_WEBHOOK_HTTP: 'true',
};
const PEOPLE = 5;

export const soaker = (person: number): string => `soaker-${person}`;

/** Whom all operations of a soak act on. */
export class SoakedService {
  private numbers = 0;

  private constructor(
    readonly context: BenchContext,
    readonly service: BenchService,
    readonly collection: CollectionWorld,
    /** What people submit to. */
    readonly task: string,
    /** The model that people write against. */
    readonly inLoop: string,
    /** Models on the board, the oldest first. */
    readonly standing: string[] = [],
  ) {}

  /** A round with a warm model in its loop and `examples` to write, and a task to submit to. Both processes are fresh. */
  static async prepare(context: BenchContext, service: BenchService, examples: number): Promise<SoakedService> {
    await startedAgain(service);
    const { world } = service;
    // as many as there are to validate may be of one author
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

  /** Another each time. */
  number(): number {
    return this.numbers++;
  }
}

/** What other benches left in the processes is gone, and they collect garbage when they are told. */
async function startedAgain({ world }: BenchService): Promise<void> {
  const environment = { ...COLLECTING, ...TO_LISTENER };
  await world.stopEvaluator();
  world.startEvaluator(environment);
  await world.restartApi(environment);
}
