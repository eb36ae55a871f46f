import { ActivateBenchmark, type ActivatedBenchmark, ChangeTask, TaskWarnings, TransferTask } from '@assay/application';
import { ActivateBenchmarkVersion, BenchmarkVersionView } from '@assay/contracts/datasets';
import { GiveTask, TaskDefinition, TaskView } from '@assay/contracts/tasks';
import { SubmissionRights } from '@assay/submissions';
import { TasksService } from '@assay/tasks';
import { type DatasetVersion, publishedDigest } from '@assay/tasks/datasets';
import { Body, Controller, Get, HttpStatus, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Access, ApiQueries, CurrentUser, MaybeUser, page, Page, type Principal } from '../routes.js';
import { TaskChange } from './change-preview.controller.js';
import { TaskViewRepository } from './task-view.repository.js';

const TaskList = z.object({ items: z.array(TaskView), nextCursor: z.string().optional() }).meta({ id: 'TaskList' });
const Preview = z.strictObject({ preview: z.string().optional() });

@ApiTags('tasks')
@Controller('tasks')
export class TasksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly views: TaskViewRepository,
    private readonly changeTask: ChangeTask,
    private readonly transferTask: TransferTask,
    private readonly activateBenchmark: ActivateBenchmark,
    private readonly rights: SubmissionRights,
    private readonly warnings: TaskWarnings,
  ) {}

  /** Returns all tasks with their datasets. */
  @Get()
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: TaskList })
  async list(@Query({ schema: Page }) query: Page): Promise<z.infer<typeof TaskList>> {
    return page(await this.views.all(), query, ({ slug }) => slug);
  }

  /** Creates a task from its definition. Send JSON, or YAML as `application/yaml`. */
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

  /**
   * Returns a task. It has the definition, the rounds, the datasets, the number of the current
   * benchmark version, and whether you may submit to it. The owner also gets `warnings` about hidden
   * data.
   */
  @Get(':slug')
  @ApiOkResponse({ standardSchema: TaskView })
  async get(@MaybeUser() principal: Principal | null, @Param('slug') slug: string): Promise<TaskView> {
    const view = await this.views.get(slug);
    if (!principal) return view;
    const refusal = await this.rights.refusal(principal.userId, slug);
    const warnings = await this.warnings.forOwner(principal, slug);
    return {
      ...view,
      submitRefusal: refusal && { code: refusal.code, detail: refusal.message },
      ...(warnings && { warnings: [...warnings] }),
    };
  }

  /**
   * Changes a task by a JSON merge patch (RFC 7396). A change that affects the board creates a new
   * benchmark version. The scores that it affects are computed again from the stored predictions,
   * and no model runs.
   */
  @Patch(':slug')
  @ApiOkResponse({ standardSchema: TaskView })
  async change(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: TaskChange }) body: Record<string, unknown>,
  ): Promise<TaskView> {
    const { task, rescored } = await this.changeTask.execute(principal, slug, body);
    return { ...(await this.views.of(task)), rescored };
  }

  /** Transfers one of your tasks to another user, who is its only owner from then on. */
  @Put(':slug/owner')
  @ApiOkResponse({ standardSchema: TaskView })
  async give(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: GiveTask }) { username }: GiveTask,
  ): Promise<TaskView> {
    return this.views.of(await this.transferTask.execute(principal, slug, username));
  }

  /**
   * Activates the proposed dataset versions. With `?preview`, it only returns what the activation
   * would cost.
   */
  @Post(':slug/benchmark-versions')
  @Access({ cost: 'costly' })
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
    if (query.preview !== undefined && query.preview !== 'false') {
      void reply.status(HttpStatus.OK);
      return benchmarkView(await this.activateBenchmark.preview(principal, slug, body.datasets));
    }
    return benchmarkView(await this.activateBenchmark.execute(principal, slug, body.datasets));
  }
}

/**
 * Returns whether a version is not perturbed. Perturbed versions follow their originals and are not
 * listed separately.
 */
const isOriginal = (version: DatasetVersion): boolean => !version.dataset.perturbation;

const benchmarkView = ({ number, createdAt, versions, cost, warnings }: ActivatedBenchmark): BenchmarkVersionView => ({
  number,
  createdAt: createdAt?.toISOString() ?? null,
  datasets: versions.filter(isOriginal).map((version) => ({
    name: version.dataset.name,
    version: version.number,
    ...publishedDigest(version, version.dataset.visibility),
  })),
  ...cost,
  warnings: [...warnings],
});
