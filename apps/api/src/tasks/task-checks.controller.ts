import { problemsOf } from '@assay/contracts';
import { TaskCheck, TaskCheckQuery, TaskDefinition } from '@assay/contracts/tasks';
import type { Problem } from '@assay/kernel';
import { TasksService } from '@assay/tasks';
import { Body, Controller, Get, Header, HttpCode, HttpStatus, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Access, ApiQueries, CurrentUser, type Principal } from '../routes.js';
import { wholeJsonSchema } from '../openapi/json-schema.js';
import { yamlOf } from '../bodies/yaml-body.js';

@ApiTags('tasks')
@Controller()
export class TaskChecksController {
  constructor(private readonly tasks: TasksService) {}

  /**
   * Checks a task definition in YAML or JSON, without creating a task. For YAML, each problem has
   * its line.
   */
  @Post('task-checks')
  @Access({ cost: 'costly', scope: 'read', badYaml: 'reported' })
  @HttpCode(HttpStatus.OK)
  @ApiQueries(TaskCheckQuery)
  @ApiConsumes('application/yaml', 'application/json')
  @ApiBody({ schema: { type: 'object' } })
  @ApiOkResponse({ standardSchema: TaskCheck })
  async check(
    @CurrentUser() principal: Principal,
    @Query({ schema: TaskCheckQuery }) { task }: TaskCheckQuery,
    @Body() body: unknown,
    @Req() request: FastifyRequest,
  ): Promise<TaskCheck> {
    const source = yamlOf(request);
    const found = source?.problems.length ? source.problems : await this.problems(principal, body, task);
    const problems = source && source.problems.length === 0 ? source.located(found) : found;
    return { valid: problems.length === 0, problems: problems.map((problem) => ({ ...problem })) };
  }

  /** Returns the JSON Schema of a task definition, for editors and validators. */
  @Get('schemas/task')
  @Header('content-type', 'application/schema+json')
  @ApiOkResponse({ content: { 'application/schema+json': { schema: { type: 'object' } } } })
  schema(): object {
    return wholeJsonSchema(TaskDefinition);
  }

  private async problems(
    principal: Principal,
    body: unknown,
    present: string | undefined,
  ): Promise<readonly Problem[]> {
    const parsed = TaskDefinition.safeParse(body);
    return parsed.success ? this.tasks.problems(principal, parsed.data, present) : problemsOf(parsed.error.issues);
  }
}
