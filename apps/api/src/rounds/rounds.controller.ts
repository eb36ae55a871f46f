import { ContextsService, RoundsService, RoundViews } from '@assay/collection/rounds';
import { OpenRound } from '@assay/contracts/collection';
import {
  CloseRound,
  ContextList,
  ContextView,
  LinesPut,
  PatchContext,
  PatchRound,
  RoundList,
  RoundView,
} from '@assay/contracts/rounds';
import { DomainError } from '@assay/kernel';
import { ownsTask, type Round, TasksService } from '@assay/tasks';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Patch, Post, Put, Query, Req } from '@nestjs/common';
import { ApiAcceptedResponse, ApiBody, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { Access, ApiQueries, CurrentUser, Id, Page, type Principal, RoundNumber } from '../routes.js';
import { ArrivingLines } from './arriving-lines.js';

@ApiTags('rounds')
@Controller()
export class RoundsController {
  constructor(
    private readonly tasks: TasksService,
    private readonly rounds: RoundsService,
    private readonly views: RoundViews,
    private readonly contexts: ContextsService,
    private readonly arriving: ArrivingLines,
  ) {}

  /**
   * Opens a round of collection. Examples are collected against the models that the policy has put
   * in the loop, or against those that you name.
   */
  @Post('tasks/:slug/rounds')
  @ApiCreatedResponse({ standardSchema: RoundView })
  async open(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: OpenRound }) body: OpenRound,
  ): Promise<RoundView> {
    return this.views.view(await this.rounds.open(principal, await this.tasks.getOwned(principal, slug), body));
  }

  /** Returns the rounds of a task, with their progress. */
  @Get('tasks/:slug/rounds')
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: RoundList })
  async list(@Param('slug') slug: string, @Query({ schema: Page }) query: Page): Promise<RoundList> {
    return this.views.list(await this.tasks.get(slug), query);
  }

  /** Returns a round: its state, its models, its counts, and what it became. */
  @Get('tasks/:slug/rounds/:number')
  @ApiOkResponse({ standardSchema: RoundView })
  async get(@Param('slug') slug: string, @Param('number', { schema: RoundNumber }) number: number): Promise<RoundView> {
    return this.views.view(await this.rounds.get(await this.tasks.get(slug), number));
  }

  /** Changes the description of an open round, or the rule that closes it. */
  @Patch('tasks/:slug/rounds/:number')
  @ApiOkResponse({ standardSchema: RoundView })
  async change(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Body({ schema: PatchRound }) body: PatchRound,
  ): Promise<RoundView> {
    return this.views.view(await this.rounds.change(principal, await this.owned(principal, slug, number), body));
  }

  /**
   * Closes a round. It accepts nothing more. Datasets, scores, the loop and the next round follow
   * automatically.
   */
  @Post('tasks/:slug/rounds/:number/close')
  @HttpCode(HttpStatus.ACCEPTED)
  @ApiAcceptedResponse({ standardSchema: RoundView })
  async close(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Body({ schema: CloseRound.prefault({}) }) body: CloseRound,
  ): Promise<RoundView> {
    return this.views.view(await this.rounds.close(principal, await this.owned(principal, slug, number), body));
  }

  /**
   * Adds contexts to an open round. Send JSON Lines, which are read as a stream. A line has the
   * inputs that annotators do not write, and optionally `id`, `prompt` and `tags`; its other fields
   * are stored with it. A line that is already stored changes nothing. An invalid line rejects all
   * lines.
   */
  @Put('tasks/:slug/rounds/:number/contexts')
  @Access({ cost: 'upload', stream: 'round' })
  @ApiConsumes('application/x-ndjson')
  @ApiBody({ schema: { type: 'string', format: 'binary' } })
  @ApiOkResponse({ standardSchema: LinesPut })
  async putContexts(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Req() request: FastifyRequest,
  ): Promise<LinesPut> {
    const round = await this.owned(principal, slug, number);
    return this.arriving.of(principal, round, request, (lines, room) =>
      this.contexts.put(principal, round, lines, room),
    );
  }

  /** Returns the contexts of a round. Only the owner of the task can read them. */
  @Get('tasks/:slug/rounds/:number/contexts')
  @ApiQueries(Page)
  @ApiOkResponse({ standardSchema: ContextList })
  async listContexts(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Query({ schema: Page }) query: Page,
  ): Promise<ContextList> {
    return this.contexts.list(await this.owned(principal, slug, number), query);
  }

  /** Removes a context from those that annotators are shown, or puts it back. */
  @Patch('contexts/:id')
  @ApiOkResponse({ standardSchema: ContextView })
  async changeContext(
    @CurrentUser() principal: Principal,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: PatchContext }) body: PatchContext,
  ): Promise<ContextView> {
    const context = await this.contexts.find(id);
    if (!context || !ownsTask(principal, context.round.task)) throw DomainError.notFound('context');
    return this.contexts.change(principal, context, body);
  }

  private async owned(principal: Principal, slug: string, number: number): Promise<Round> {
    return this.rounds.get(await this.tasks.getOwned(principal, slug), number);
  }
}
