import { CrowdLinks } from '@assay/collection/crowds';
import { RoundsService } from '@assay/collection/rounds';
import { CrowdLinkView, CrowdSessionRow, MakeCrowdLink } from '@assay/contracts/rounds';
import { type Round, type Task, TasksService } from '@assay/tasks';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentUser, Id, type Principal, RoundNumber } from '../routes.js';
import { Environment } from '../environment.js';

const LinkList = z.object({ items: z.array(CrowdLinkView) }).meta({ id: 'CrowdLinkList' });
const SessionList = z.object({ items: z.array(CrowdSessionRow) }).meta({ id: 'CrowdSessionList' });

/** Manages the crowd links of a round, for the owner of the task. */
@ApiTags('crowds')
@Controller('tasks/:slug/rounds/:number/crowd-links')
export class CrowdLinksController {
  constructor(
    private readonly tasks: TasksService,
    private readonly rounds: RoundsService,
    private readonly links: CrowdLinks,
    private readonly environment: Environment,
  ) {}

  /**
   * Creates a link through which workers of Mechanical Turk or Prolific write examples in this
   * round. Workers need no account.
   */
  @Post()
  @ApiCreatedResponse({ standardSchema: CrowdLinkView })
  async make(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Body({ schema: MakeCrowdLink }) body: MakeCrowdLink,
  ): Promise<CrowdLinkView> {
    const { task, round } = await this.owned(principal, slug, number);
    return this.links.make(principal, task, round, body, this.addressOf);
  }

  /**
   * Returns the crowd links of the round. Each has the number of workers who came through it and
   * their hourly pay.
   */
  @Get()
  @ApiOkResponse({ standardSchema: LinkList })
  async list(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
  ): Promise<z.infer<typeof LinkList>> {
    const { round } = await this.owned(principal, slug, number);
    return { items: await this.links.list(round, this.addressOf) };
  }

  /**
   * Closes a crowd link, so that nobody can start through it any more. Workers who have started can
   * finish and are paid.
   */
  @Post(':id/close')
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: CrowdLinkView })
  async close(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Param('id', { schema: Id }) id: string,
  ): Promise<CrowdLinkView> {
    const { task, round } = await this.owned(principal, slug, number);
    return this.links.close(principal, task, round, id, this.addressOf);
  }

  /**
   * Returns the sessions of a crowd link. Each has the worker, how many examples they wrote in
   * which time, and the pay that they are due.
   */
  @Get(':id/sessions')
  @ApiOkResponse({ standardSchema: SessionList })
  async sessions(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Param('number', { schema: RoundNumber }) number: number,
    @Param('id', { schema: Id }) id: string,
  ): Promise<z.infer<typeof SessionList>> {
    const { round } = await this.owned(principal, slug, number);
    return { items: await this.links.sessions(round, id) };
  }

  private async owned(principal: Principal, slug: string, number: number): Promise<{ task: Task; round: Round }> {
    const task = await this.tasks.getOwned(principal, slug);
    return { task, round: await this.rounds.get(task, number) };
  }

  private readonly addressOf = (signed: string): string => `${this.environment.publicUrl}/api/v1/crowd/${signed}`;
}
