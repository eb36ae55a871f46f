import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { dividedBy, GROWN, plantRound, plantTasks } from '../factories/growth/plant.js';
import type { Bench, BenchContext, BenchRow } from './bench.js';
import { LABELS } from './bench-service.js';
import { examplesFile } from './examples-file.js';
import { boardRows } from './growth/board.rows.js';
import { followersRows } from './growth/followers.rows.js';
import type { GrownService, GrowthRows } from './growth/growth-rows.js';
import { overviewRows } from './growth/overview.rows.js';
import { roundsRows } from './growth/rounds.rows.js';
import { validatingRows } from './growth/validating.rows.js';
import { figure, seconds } from './samples.js';
import { ScoredModels } from './scored-models.js';

/** The models of each of the many tasks. */
const FEW_MODELS = 20;

/** In this order: the overview is read first, before anything is cached. */
const GROUPS: readonly GrowthRows[] = [overviewRows, validatingRows, roundsRows, boardRows, followersRows];

/** A service that has grown: many tasks, many models on one task, many examples in one round. */
export const growthBench: Bench = {
  name: 'growth',
  async run(context) {
    const grown = await grow(context);
    try {
      const rows: BenchRow[] = [];
      for (const group of GROUPS) rows.push(...(await group(context, grown)));
      return rows;
    } finally {
      await grown.board.close();
    }
  },
};

/** Starts a service and plants the data. */
async function grow(context: BenchContext): Promise<GrownService> {
  const size = context.quick ? dividedBy(GROWN, 10) : GROWN;
  const service = await context.service();
  const examples = await examplesFile(context.folder, 500, 'examples');
  const more: Partial<TaskDefinitionInput> = { weights: { accuracy: 4, throughput: 1, memory: 1 }, collection: {} };
  const small = await service.task(examples, more);
  const task = await service.task(examples, more);
  const few = await ScoredModels.open(service.world, small);
  const board = await ScoredModels.open(service.world, task);
  const took = await seconds(async () => {
    await few.add(FEW_MODELS);
    await few.stale();
    await few.close();
    await board.add(size.models);
    await board.stale();
    const published = async (): Promise<boolean> => (await board.revision()) > 0 && service.isAtRest();
    await service.world.until(published, 600_000);
    const execute = (statement: string): Promise<unknown> => service.world.rows(statement);
    await plantTasks(execute, small, size.tasks - 1);
    const [target] = await service.world.rows<{ task: string; id: string }>(
      'select m.task_id as task, m.id from model m join task t on t.id = m.task_id where t.slug = $1 limit 1',
      [task],
    );
    await plantRound(execute, { task: target!.task, target: target!.id, labels: LABELS }, size);
  });
  context.say(`  planted in ${figure(took)} s: ${JSON.stringify(size)}`);
  return { service, size, task, board };
}
