import { cardText, DataCards } from '@assay/collection/release';
import { RoundsService } from '@assay/collection/rounds';
import { DataCard } from '@assay/contracts/datasets';
import { TasksService } from '@assay/tasks';
import { negotiate } from '@fastify/accept-negotiator';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, MaybeUser, type Principal, RoundNumber } from '../routes.js';
import { Environment } from '../environment.js';

const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

@ApiTags('releases')
@Controller('tasks/:slug')
export class DataCardsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly rounds: RoundsService,
    private readonly cards: DataCards,
    private readonly environment: Environment,
  ) {}

  /**
   * Returns the data card of a closed round. It covers counts, dates, splits, error rates,
   * agreement, models in the loop, consent, licence, limits, and how to cite the data. That of the
   * owner of the task also has the pay of crowd workers. The card is Markdown, or JSON if you accept
   * nothing else (`Accept: application/json`).
   */
  @Get('rounds/:number/data-card')
  @Access({ cost: 'costly' })
  @ApiProduces(JSON_TYPE, MARKDOWN)
  @ApiOkResponse({
    standardSchema: DataCard,
    description: 'the data card as JSON, or in words as text/markdown',
  })
  async card(
    @MaybeUser() principal: Principal | null,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    const task = await this.tasks.get(slug);
    const address = `${this.environment.publicUrl}/api/v1/tasks/${slug}/rounds/${number}`;
    const card = await this.cards.of(principal, task, await this.rounds.get(task, number), address);
    const type = negotiate(request.headers.accept ?? '*/*', [MARKDOWN, JSON_TYPE]) ?? MARKDOWN;
    void reply.header('vary', 'accept').header('content-type', `${type}; charset=utf-8`);
    return type === JSON_TYPE ? JSON.stringify(card) : cardText(card);
  }
}
