import { ProfilesService } from '@assay/accounts';
import { ShowPublicProfile } from '@assay/application';
import { BadgesService } from '@assay/collection/people';
import { BadgeList, ChangeProfile, ProfileView, PublicProfile } from '@assay/contracts/people';
import { Body, Controller, Get, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentUser, type Principal } from '../routes.js';

@ApiTags('people')
@Controller()
export class ProfilesController {
  constructor(
    private readonly profiles: ProfilesService,
    private readonly badges: BadgesService,
    private readonly publicProfile: ShowPublicProfile,
  ) {}

  /** Returns your profile, and what others see of it. */
  @Get('me/profile')
  @ApiOkResponse({ standardSchema: ProfileView })
  async own(@CurrentUser() principal: Principal): Promise<ProfileView> {
    return this.profiles.own(principal.userId);
  }

  /** Changes the given fields of your profile. */
  @Patch('me/profile')
  @Access({ unverified: true })
  @ApiOkResponse({ standardSchema: ProfileView })
  async change(
    @CurrentUser() principal: Principal,
    @Body({ schema: ChangeProfile }) body: ChangeProfile,
  ): Promise<ProfileView> {
    return this.profiles.change(principal.userId, body);
  }

  /** Returns the public profile of a user. It has what the user chose to show. */
  @Get('users/:username')
  @ApiOkResponse({ standardSchema: PublicProfile })
  async page(@Param('username') username: string): Promise<PublicProfile> {
    return this.publicProfile.execute(username);
  }

  /**
   * Returns your badges, and your progress towards the others. Work in tasks with a content warning
   * does not count.
   */
  @Get('me/badges')
  @ApiOkResponse({ standardSchema: BadgeList })
  async ownBadges(@CurrentUser() principal: Principal): Promise<BadgeList> {
    return this.badges.of(principal.userId);
  }
}
