import { ActivateBenchmarkVersion, BenchmarkVersionView, GiveTask, TaskDefinition, TaskView } from '@assay/contracts';
import { activationCost, countStale, type ActivationCost } from '@assay/evaluation';
import type { Principal } from '@assay/identity';
import {
  type BenchmarkVersion,
  BenchmarksService,
  type DatasetVersion,
  publishedDigest,
  type Task,
  TasksService,
} from '@assay/tasks';
import { UserStorageService } from '@assay/submissions';
import { EntityManager } from '@mikro-orm/postgresql';
import { Body, Controller, Get, HttpStatus, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { CurrentUser } from '../auth/principal.guard.js';
import { ApiQueries } from '../api-queries.js';
import { Page, page } from '../page.js';
import { TaskChange } from './task-change.js';
import { TaskViews } from './task-views.service.js';

const TaskList = z.object({ items: z.array(TaskView), nextCursor: z.string().optional() }).meta({ id: 'TaskList' });
const Preview = z.strictObject({ preview: z.string().optional() });

@ApiTags('tasks')
@Controller('tasks')
export class TasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly views: TaskViews,
    private readonly benchmarks: BenchmarksService,
    private readonly em: EntityManager,
    private readonly storage: UserStorageService,
  ) {}

  /** All tasks with their datasets. */
  @Get()
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: TaskList })
  async list(@Query({ schema: Page }) query: Page): Promise<z.infer<typeof TaskList>> {
    const { items, nextCursor } = page(await this.views.all(), query, ({ slug }) => slug);
    return { items: [...items], ...(nextCursor && { nextCursor }) };
  }

  /** Makes a task from its definition. JSON, or `application/yaml`. */
  @Post()
  @ApiConsumes('application/json', 'application/yaml')
  @ApiBody({ schema: { $ref: '#/components/schemas/TaskDefinition' } })
  @ApiCreatedResponse({ standardSchema: TaskView })
  async create(
    @CurrentUser() principal: Principal,
    @Body({ schema: TaskDefinition }) body: TaskDefinition,
  ): Promise<TaskView> {
    return this.views.of(await this.tasks.create(principal, body));
  }

  /** A task: its definition, its rounds, its datasets, and which benchmark version is in force. */
  @Get(':slug')
  @ApiOkResponse({ standardSchema: TaskView })
  async get(@Param('slug') slug: string): Promise<TaskView> {
    return this.views.get(slug);
  }

  /**
   * Changes a task, by a JSON merge patch (RFC 7396). What decides the board makes a new benchmark version; scores that it affects are computed again from the
   * stored predictions, and no model runs.
   */
  @Patch(':slug')
  @ApiOkResponse({ standardSchema: TaskView })
  async change(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: TaskChange }) body: Record<string, unknown>,
  ): Promise<TaskView> {
    return this.em.transactional(async (em) => {
      const task = await this.tasks.change(principal, slug, body);
      return { ...(await this.views.of(task)), rescored: await countStale(em, task, task.definition) };
    });
  }

  /** Gives a task of yours to another user, who alone owns it from then on. */
  @Put(':slug/owner')
  @ApiOkResponse({ standardSchema: TaskView })
  async give(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: GiveTask }) { username }: GiveTask,
  ): Promise<TaskView> {
    const task = await this.tasks.give(principal, slug, username, (em, receiver, pass) =>
      this.storage.give(em, receiver, pass),
    );
    return this.views.of(task);
  }

  /** Activates what is proposed; with `?preview`, only says what that would cost. */
  @Post(':slug/benchmark-versions')
  @ApiQuery({ name: 'preview', required: false, allowEmptyValue: true, schema: { type: 'string' } })
  @ApiOkResponse({ standardSchema: BenchmarkVersionView, description: 'the preview' })
  @ApiCreatedResponse({ standardSchema: BenchmarkVersionView })
  async activate(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Query({ schema: Preview }) query: z.infer<typeof Preview>,
    @Body({ schema: ActivateBenchmarkVersion.prefault({}) }) body: ActivateBenchmarkVersion,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BenchmarkVersionView> {
    const task = await this.tasks.getOwned(principal, slug);
    if (query.preview !== undefined && query.preview !== 'false') {
      void reply.status(HttpStatus.OK);
      return this.preview(task, body.datasets);
    }
    return this.em.transactional(async (em) => {
      const { added, inForce } = await this.benchmarks.plan(em, task, body.datasets);
      const cost = await activationCost(em, task, added);
      const released = await this.benchmarks.activate(em, principal, task, body.datasets);
      return benchmarkView(released.number, released, inForce, cost);
    });
  }

  private async preview(task: Task, names: readonly string[] | undefined): Promise<BenchmarkVersionView> {
    const { added, inForce } = await this.benchmarks.plan(this.em, task, names);
    const current = await this.benchmarks.current(this.em, task);
    return benchmarkView((current?.number ?? 0) + 1, null, inForce, await activationCost(this.em, task, added));
  }
}

/** Perturbed versions come and go with their originals, and are not named apart. */
const isOriginal = (version: DatasetVersion): boolean => !version.dataset.perturbation;

const benchmarkView = (
  number: number,
  released: BenchmarkVersion | null,
  versions: readonly DatasetVersion[],
  cost: ActivationCost,
): BenchmarkVersionView => ({
  number,
  createdAt: released?.createdAt.toISOString() ?? null,
  datasets: versions.filter(isOriginal).map((version) => ({
    name: version.dataset.name,
    version: version.number,
    ...publishedDigest(version, version.dataset.visibility),
  })),
  ...cost,
});
