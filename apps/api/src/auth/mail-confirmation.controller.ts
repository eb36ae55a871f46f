import { ConfirmMail } from '@assay/contracts';
import { MailConfirmationsService, type Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Environment } from '../environment.js';
import { CurrentUser } from './principal.guard.js';

@ApiTags('auth')
@Controller()
export class MailConfirmationController {
  constructor(
    private readonly confirmations: MailConfirmationsService,
    private readonly environment: Environment,
  ) {}

  /** Has a link mailed to you again that confirms your address, three in 24 hours at most. */
  @Post('me/mail-confirmation')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async ask(@CurrentUser() { userId }: Principal): Promise<void> {
    if (!this.environment.mails) throw new DomainError('conflict', 'no_mail', 'This service sends no mail.');
    await this.confirmations.ask(userId);
  }

  /** Confirms the address that a link was mailed to, by the secret in it: whoever reads the mail has that. */
  @Post('auth/mail-confirmation')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async confirm(@Body({ schema: ConfirmMail }) { secret }: ConfirmMail): Promise<void> {
    await this.confirmations.confirm(secret);
  }
}
