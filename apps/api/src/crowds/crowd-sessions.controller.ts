import { CrowdLinks, CrowdSessions, requireOpen, requireUsable } from '@assay/collection/crowds';
import {
  AnswerOnboarding,
  CrowdOffer,
  CrowdSessionStarted,
  CrowdSessionView,
  FinishCrowdSession,
  StartCrowdSession,
} from '@assay/contracts/rounds';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentUser, type Principal } from '../routes.js';

@ApiTags('crowds')
@Controller('crowd')
export class CrowdSessionsController {
  constructor(
    private readonly links: CrowdLinks,
    private readonly sessions: CrowdSessions,
  ) {}

  /**
   * Returns the offer of a crowd link: the task, the pay and the time. Anyone who has the link can
   * read it.
   */
  @Get('links/:link')
  @ApiOkResponse({ standardSchema: CrowdOffer })
  async offer(@Param('link') signed: string): Promise<CrowdOffer> {
    const link = await this.links.signed(signed);
    requireUsable(link);
    requireOpen(link.round);
    return this.links.offer(link);
  }

  /**
   * Starts an assignment, or continues it in the browser that started it. Returns the token for the
   * session.
   */
  @Post('sessions')
  @Access({ cost: 'sign-in' })
  @ApiCreatedResponse({ standardSchema: CrowdSessionStarted })
  async start(@Body({ schema: StartCrowdSession }) body: StartCrowdSession): Promise<CrowdSessionStarted> {
    return this.sessions.start(body);
  }

  /** Returns the state of your session, and what you have earned. */
  @Get('sessions/current')
  @Access({ crowd: { own: 'session', state: 'any' } })
  @ApiOkResponse({ standardSchema: CrowdSessionView })
  async current(@CurrentUser() principal: Principal): Promise<CrowdSessionView> {
    return this.sessions.current(principal);
  }

  /** Submits your answers to the test that comes before the first example. */
  @Post('sessions/current/onboarding')
  @Access({ crowd: { own: 'session', state: 'any' } })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: CrowdSessionView })
  async onboard(
    @CurrentUser() principal: Principal,
    @Body({ schema: AnswerOnboarding }) { answers }: AnswerOnboarding,
  ): Promise<CrowdSessionView> {
    return this.sessions.answer(principal, answers);
  }

  /**
   * Finishes your session, or leaves it early, and returns what you are paid. You are paid once,
   * however often you repeat the request.
   */
  @Post('sessions/current/finish')
  @Access({ crowd: { own: 'session', state: 'any' } })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: CrowdSessionView })
  async finish(
    @CurrentUser() principal: Principal,
    @Body({ schema: FinishCrowdSession.prefault({}) }) body: FinishCrowdSession,
  ): Promise<CrowdSessionView> {
    return this.sessions.finish(principal, body);
  }
}
