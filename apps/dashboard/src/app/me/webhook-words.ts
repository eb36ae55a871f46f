import type { Webhook, WebhookDelivery, WebhookKind } from '@assay/api-client/angular';

interface KindWords {
  readonly kind: WebhookKind;
  readonly words: string;
}

export const OWN_KINDS: readonly KindWords[] = [
  { kind: 'model.finished', words: $localize`A model of mine has all its scores` },
  { kind: 'model.failed', words: $localize`A model of mine failed` },
  { kind: 'loop.entered', words: $localize`A model of mine entered the loop` },
  { kind: 'loop.left', words: $localize`A model of mine left the loop` },
  { kind: 'example.decided', words: $localize`An example of mine is decided on` },
  { kind: 'round.opened', words: $localize`A round opens where I take part` },
  { kind: 'round.closed', words: $localize`A round closes where I took part` },
];

export const OWNER_KINDS: readonly KindWords[] = [
  { kind: 'task.model.finished', words: $localize`A model on my tasks has all its scores` },
  { kind: 'task.model.failed', words: $localize`A model on my tasks failed` },
  { kind: 'task.loop.entered', words: $localize`A model entered the loop of my tasks` },
  { kind: 'task.loop.left', words: $localize`A model left the loop of my tasks` },
  { kind: 'task.round.opened', words: $localize`A round of my tasks opens` },
  { kind: 'task.round.closed', words: $localize`A round of my tasks closes` },
  { kind: 'task.board.published', words: $localize`A new board of my tasks is published` },
];

const WORDS = new Map<WebhookDelivery['kind'], string>([
  ...[...OWN_KINDS, ...OWNER_KINDS].map(({ kind, words }) => [kind, words] as const),
  ['webhook.ping', $localize`Test`],
]);

export const kindWords = (kind: WebhookDelivery['kind']): string => WORDS.get(kind) ?? kind;

export const STATE_WORDS: Readonly<Record<WebhookDelivery['state'], string>> = {
  waiting: $localize`waits`,
  delivered: $localize`delivered`,
  failed: $localize`given up`,
};

export const DISABLED_WORDS: Readonly<Record<NonNullable<Webhook['disabledBy']>, string>> = {
  you: $localize`disabled by you`,
  gone: $localize`disabled: it answered that it is gone`,
  failing: $localize`disabled: nothing arrived for three days`,
};
