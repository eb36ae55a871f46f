import { AskTargetModel } from '@assay/application';
import { AskModel, ModelAnswer } from '@assay/contracts/serving';
import { ModelsService } from '@assay/submissions';
import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  HttpStatus,
  Injectable,
  Param,
  Post,
  UseGuards,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { type Asking, limiter } from '../limits/request-limits.js';
import { Access, CurrentUser, Id, type Principal } from '../routes.js';
import type { FastifyInstance, FastifyReply } from 'fastify';

const MINUTE = 60_000;
/**
 * The limits for the questions of one user, with their windows in milliseconds. The limit per
 * minute comes last, because the response headers state the last one.
 */
const LIMITS = [
  { name: 'questions-day', max: 500, window: 24 * 60 * MINUTE },
  { name: 'questions', max: 20, window: MINUTE },
] as const;

const refusal = (seconds: number) => ({
  code: 'too_many_questions',
  text: `Too many questions to models. Wait ${seconds} s.`,
});

/**
 * Limits the questions of each user, per process. Models in the loop are there for collection, so
 * nobody may keep them busy with other questions.
 */
@Injectable()
class QuestionLimit implements CanActivate {
  private limits: readonly ReturnType<typeof limiter>[] | undefined;

  constructor(private readonly adapter: HttpAdapterHost) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Asking>();
    // the route rejects callers who are not signed in
    if (!request.principal) return true;
    const fastify = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    const keyOf = ({ principal }: Asking): string => principal!.userId;
    this.limits ??= LIMITS.map((limit) => limiter(fastify, { ...limit, keyOf, refusal }));
    for (const limited of this.limits) await limited(request, http.getResponse<FastifyReply>());
    return true;
  }
}

@ApiTags('models')
@Controller('models/:id')
export class ModelQuestionsController {
  constructor(
    private readonly models: ModelsService,
    private readonly questions: AskTargetModel,
  ) {}

  /**
   * Asks a model in the loop for its answer to an input of your own. Nothing is stored, and no
   * score is affected. You can ask 20 times a minute and 500 times a day.
   */
  @Post('predict')
  @Access({ cost: 'live', scope: 'submit' })
  @UseGuards(QuestionLimit)
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ModelAnswer })
  async predict(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: AskModel }) { input }: AskModel,
  ): Promise<ModelAnswer> {
    const model = await this.models.getVisible(principal, id);
    const { answer, probabilities, milliseconds, at } = await this.questions.execute(model, input);
    const { output } = model.task.definition;
    const labels = 'labels' in output ? output.labels : [];
    return {
      answer,
      ...(probabilities && {
        probabilities: Object.fromEntries(labels.map((label, place) => [label, probabilities[place] ?? 0])),
      }),
      milliseconds,
      at,
    };
  }
}
