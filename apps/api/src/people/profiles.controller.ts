import { BadgesService, ProfilesService } from '@assay/collection';
import { BadgeList, ChangeProfile, ProfileView, PublicProfile } from '@assay/contracts';
import type { Principal } from '@assay/identity';
import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser } from '../auth/principal.guard.js';

@ApiTags('people')
@Controller()
export class ProfilesController {
  constructor(
    private readonly profiles: ProfilesService,
    private readonly badges: BadgesService,
  ) {}

  /** Your profile, and what others see of it. */
  @Get('me/profile')
  @ApiOkResponse({ standardSchema: ProfileView })
  async own(@CurrentUser() principal: Principal): Promise<ProfileView> {
    return this.profiles.own(principal.userId);
  }

  /** Changes what you name of your profile. */
  @Patch('me/profile')
  @ApiOkResponse({ standardSchema: ProfileView })
  async change(
    @CurrentUser() principal: Principal,
    @Body({ schema: ChangeProfile }) body: ChangeProfile,
  ): Promise<ProfileView> {
    return this.profiles.change(principal.userId, body);
  }

  /** Somebody's page: what they chose to show. */
  @Get('users/:username')
  @ApiOkResponse({ standardSchema: PublicProfile })
  async page(@Param('username') username: string): Promise<PublicProfile> {
    return this.profiles.page(username);
  }

  /** Your badges, and how far you are from the others. Tasks with a content warning count for none. */
  @Get('me/badges')
  @ApiOkResponse({ standardSchema: BadgeList })
  async ownBadges(@CurrentUser() principal: Principal): Promise<BadgeList> {
    return this.badges.of(principal.userId);
  }
}
