import { tableFormatQuery } from '@assay/contracts/boards';
import {
  ComparedExamples,
  ComparedExamplesQuery,
  CompareMatrixView,
  CompareQuery,
  CompareView,
} from '@assay/contracts/comparison';
import { DomainError } from '@assay/kernel';
import { AnsweredExamplesService } from '@assay/leaderboard/answers';
import { ComparisonService } from '@assay/leaderboard/comparison';
import { compareMatrixTable, compareTable } from '@assay/leaderboard/formats';
import { TasksService } from '@assay/tasks';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Access, ApiQueries, MaybeUser, type Principal } from '../routes.js';
import { answerTable } from '../bodies/table-answer.js';

const ComparisonQuery = CompareQuery.extend(tableFormatQuery);

@ApiTags('leaderboard')
@Controller('tasks/:slug/compare')
export class CompareController {
  constructor(
    private readonly tasks: TasksService,
    private readonly comparisons: ComparisonService,
    private readonly answers: AnsweredExamplesService,
  ) {}

  /**
   * Compares two models example by example, or several models pairwise. Name two models in `a` and
   * `b`, or 2 to 20 models in `models`. They are compared on the dataset versions that both have.
   * The response is JSON, or a table in CSV or LaTeX.
   */
  @Get()
  @Access({ cost: 'costly' })
  @ApiQueries(ComparisonQuery)
  @ApiOkResponse({ standardSchema: z.union([CompareView, CompareMatrixView]) })
  @ApiProduces('application/json', 'text/csv', 'application/x-latex')
  async compare(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: ComparisonQuery }) { format, models, a, b, ...query }: z.infer<typeof ComparisonQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    const task = await this.tasks.get(slug);
    const name = `${slug}-compare`;
    if (models && a === undefined && b === undefined) {
      const view = await this.comparisons.matrix(principal, task, models, query.asOf);
      return answerTable(request, reply, { view, tableOf: compareMatrixTable, name, format });
    }
    if (a === undefined || b === undefined || models) {
      throw new DomainError(
        'invalid',
        'models_missing',
        'Name two models in `a` and `b`, or 2 to 20 models in `models`.',
      );
    }
    const view = await this.comparisons.compare(principal, task, [a, b], query);
    return answerTable(request, reply, { view, tableOf: compareTable, name, format });
  }

  /**
   * Returns the examples of a dataset that distinguish two models, with the answers of both. These
   * are the examples that only one of them answered correctly, or neither. Everybody can read
   * examples of public datasets; the owner of the task can read those of any dataset.
   */
  @Get('examples')
  @Access({ cost: 'costly' })
  @ApiQueries(ComparedExamplesQuery)
  @ApiOkResponse({ standardSchema: ComparedExamples })
  async examples(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Query({ schema: ComparedExamplesQuery }) { a, b, ...query }: ComparedExamplesQuery,
  ): Promise<ComparedExamples> {
    return this.answers.compared(principal, await this.tasks.get(slug), { ...query, pair: [a, b] });
  }
}
