import type { CrowdPay, CrowdPlatform, Onboarding } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const CrowdLinkSchema = defineEntity({
  name: 'CrowdLink',
  indexes: [{ properties: ['round'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    platform: p.string().length(10).$type<CrowdPlatform>(),
    /** That make a job. */
    examples: p.integer(),
    pay: p.json<CrowdPay>(),
    onboarding: p.json<Onboarding>().nullable(),
    /** Of the study, on Prolific. */
    completionCode: p.string().length(64).nullable(),
    /** Origins that may show the page in a frame. */
    frameAncestors: p.json<readonly string[]>(),
    /** Origins that finished work may be sent to. */
    submitTo: p.json<readonly string[]>(),
    expiresAt: p.datetime(),
    closedAt: p.datetime().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A way into a round for workers of a platform, without accounts. */
export class CrowdLink extends CrowdLinkSchema.class {}
CrowdLinkSchema.setClass(CrowdLink);
