import type { Visibility } from '@assay/contracts/datasets';
import { SAMPLE_EXAMPLES, type TaskWarning } from '@assay/contracts/tasks';
import type { Principal } from '@assay/identity';
import { ownsTask, type Task, TasksService } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import type { DatasetVersion } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DecideRuntime, hasHiddenData } from './decide-runtime.js';

interface ScoredDataset {
  readonly name: string;
  readonly visibility: Visibility;
  readonly examples: number;
}

/** Says what the owner of a task should change about its hidden data. */
@Injectable()
export class TaskWarnings {
  constructor(
    private readonly em: EntityManager,
    private readonly tasks: TasksService,
    private readonly benchmarks: BenchmarksService,
    private readonly runtimes: DecideRuntime,
  ) {}

  /** Returns the warnings about the active data of a task. Null if `principal` does not own it. */
  async forOwner(principal: Principal, slug: string): Promise<readonly TaskWarning[] | null> {
    const task = await this.tasks.get(slug);
    return ownsTask(principal, task) ? this.active(task) : null;
  }

  /** Returns the warnings about the active data of a task. */
  async active(task: Task): Promise<readonly TaskWarning[]> {
    return this.of(task, await this.benchmarks.activeVersions(this.em.fork(), task));
  }

  /** Returns the warnings about the task if these dataset versions are active. */
  async of(task: Task, versions: readonly DatasetVersion[]): Promise<readonly TaskWarning[]> {
    const datasets = versions
      .filter(({ dataset }) => !dataset.perturbation)
      .map(({ dataset: { name, visibility }, examples }) => ({ name, visibility, examples }));
    if (!hasHiddenData(datasets)) return [];

    const runsUnderRunc = task.definition.runtime !== 'runsc' && !(await this.runtimes.offersGvisor(task));
    return [...(hasSample(datasets) ? [] : [lacksSample(task, datasets)]), ...(runsUnderRunc ? [underRunc(task)] : [])];
  }
}

const hasSample = (datasets: readonly ScoredDataset[]): boolean =>
  datasets.some(({ visibility, examples }) => visibility === 'public' && examples >= SAMPLE_EXAMPLES);

function lacksSample({ slug }: Task, datasets: readonly ScoredDataset[]): TaskWarning {
  const [largest] = datasets
    .filter(({ visibility, examples }) => visibility === 'hidden' && examples > SAMPLE_EXAMPLES)
    .sort((a, b) => b.examples - a.examples);
  const upload = `assay dataset put ${slug} sample FILE --role static --use reporting --visibility public`;
  const detail =
    `The task has hidden data, and no public dataset of at least ${SAMPLE_EXAMPLES} examples. ` +
    'Without one, nobody can test a model before submitting it. ' +
    (largest
      ? `Draw one from a hidden dataset: assay dataset sample ${slug} ${largest.name}. Or upload one: ${upload}`
      : `Upload one: ${upload}`);
  return { code: 'no_public_sample', detail };
}

function underRunc({ slug, definition }: Task): TaskWarning {
  const detail =
    'Hidden data runs under runc, so models share the kernel of the host: no evaluator that may run the models ' +
    'has the runtime runsc (gVisor). ' +
    (definition.runtime === undefined
      ? 'Install runsc on the host of an evaluator before the first model arrives.'
      : `Install runsc on the host of an evaluator, then run: assay task change ${slug} runtime=runsc`);
  return { code: 'hidden_data_under_runc', detail };
}
