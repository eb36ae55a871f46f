import type { LeaderboardView } from '@assay/contracts/boards';
import type { BenchmarkVersionView } from '@assay/contracts/datasets';
import type { ModelView } from '@assay/contracts/models';
import { examplesFile } from '../../examples-file.js';
import { costlyBundle, packed } from '../../submissions.js';
import { found, type SoakOperation } from './operations.js';
import type { SoakedService } from './soaked-service.js';

/** The number of examples of a dataset version. */
const EXAMPLES = 200;
const PATIENCE = 240_000;

/** A task whose dataset gets a new version now and then. Its model is evaluated again each time. */
export class BenchmarkGrowth {
  private constructor(
    private readonly soak: SoakedService,
    private readonly task: string,
    private readonly model: string,
  ) {}

  static async prepare(soak: SoakedService): Promise<BenchmarkGrowth> {
    const { service, context } = soak;
    const task = await service.task(await examplesFile(context.folder, EXAMPLES, 'soak-version-0'));
    const bundle = await packed(await costlyBundle(context.folder, 1, soak.number()));
    const { id } = await service.evaluate(task, 'onnx', bundle);
    await soak.world.board(task, ({ rows }) => rows.length === 1);
    return new BenchmarkGrowth(soak, task, id);
  }

  get operations(): readonly SoakOperation[] {
    return [{ kind: 'dataset version evaluated', people: 1, pace: 90_000, act: () => this.grow() }];
  }

  /**
   * Activates a new dataset version, then waits for the model's scores on it and for a board with
   * them.
   */
  private async grow(): Promise<void> {
    const { world, context } = this.soak;
    const file = await examplesFile(context.folder, EXAMPLES, `soak-version-${this.soak.number() + 1}`);
    const put = { token: world.admin, type: 'application/x-ndjson', file };
    await world.expect(201, 'PUT', `/tasks/${this.task}/datasets/examples?role=static`, put);
    const activate = { token: world.admin, body: {} };
    const activated = await world.expect(201, 'POST', `/tasks/${this.task}/benchmark-versions`, activate);
    const { number, datasets } = activated.body as BenchmarkVersionView;
    const { version } = datasets[0]!;
    await found(`scores on version ${version}`, PATIENCE, async () => {
      const { state, evaluations } = await this.view<ModelView>(`/models/${this.model}`);
      const isScored = evaluations.every((each) => each.version === version && each.state === 'scored');
      return (state === 'scored' && isScored) || undefined;
    });
    await found(`a board of benchmark version ${number}`, PATIENCE, async () => {
      const board = await this.view<LeaderboardView>(`/tasks/${this.task}/leaderboard`);
      return (board.benchmarkVersion === number && board.rows.length === 1) || undefined;
    });
  }

  private async view<T>(path: string): Promise<T> {
    const { world } = this.soak;
    return (await world.expect(200, 'GET', path, { token: world.admin })).body as T;
  }
}
