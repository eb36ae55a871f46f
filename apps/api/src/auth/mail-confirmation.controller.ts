import { MailConfirmationsService } from '@assay/accounts';
import { ConfirmMail } from '@assay/contracts/identity';
import { DomainError } from '@assay/kernel';
import { Body, Controller, HttpCode, HttpStatus, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentUser, type Principal } from '../routes.js';
import { Environment } from '../environment.js';

@ApiTags('auth')
@Controller()
export class MailConfirmationController {
  constructor(
    private readonly confirmations: MailConfirmationsService,
    private readonly environment: Environment,
  ) {}

  /**
   * Sends you another mail with a link that confirms your address. You can request at most three
   * mails in 24 hours.
   */
  @Post('me/mail-confirmation')
  @Access({ cost: 'sign-in', unverified: true })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async ask(@CurrentUser() { userId }: Principal): Promise<void> {
    if (!this.environment.mails) throw new DomainError('conflict', 'no_mail', 'This service sends no mail.');
    await this.confirmations.ask(userId);
  }

  /**
   * Confirms a mail address with the secret from the link that was mailed to it. The secret proves
   * that you can read the mail of this address.
   */
  @Post('auth/mail-confirmation')
  @Access({ cost: 'sign-in', unverified: true })
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async confirm(@Body({ schema: ConfirmMail }) { secret }: ConfirmMail): Promise<void> {
    await this.confirmations.confirm(secret);
  }
}
