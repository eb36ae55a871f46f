import type { FailureCode } from '@assay/contracts/models';

/** The expected outcome of a probe: the code of its failure, or scores. */
export type Verdict = FailureCode | 'scored';

type Sayings = RegExp | readonly RegExp[];

/**
 * A row of the table: a probe of `sandboxes/probes`, and the outcome that the platform must
 * produce.
 */
export interface ProbeRow {
  readonly name: string;
  /**
   * The rule of containment that it tries to break. CI runs the first row of each rule, the release
   * check runs all.
   */
  readonly rule: string;
  readonly does: string;
  /** The slug of the task. Default: `parity`. */
  readonly task?: string;
  readonly verdict: Verdict;
  /** Patterns that the failure or the log must match. */
  readonly says?: Sayings;
  /**
   * The outcome under gVisor, if it differs: a sandbox there is one process for the kernel, and the
   * relay runs inside it.
   */
  readonly gvisor?: { readonly verdict?: Verdict; readonly says: Sayings };
  /** True if it writes more than the engine may store of its log. */
  readonly floodsLog?: true;
  /** True if two containers of it answer differently. */
  readonly unstable?: true;
  /** True if CI also runs it under gVisor, because another kernel enforces the rule there. */
  readonly underGvisor?: true;
}

export interface ProbeClass {
  readonly about: string;
  readonly rows: readonly ProbeRow[];
}

const NOTHING_DONE = /^(?!.*: done\b)/s;

const resources: readonly ProbeRow[] = [
  {
    name: 'fork-bomb',
    rule: 'processes',
    does: 'makes processes for ever',
    verdict: 'request_timeout',
    says: /^[3-5]\d more processes$/m,
    gvisor: { verdict: 'model_exited', says: /^[3-6]\d more processes$/m },
  },
  {
    name: 'memory-bomb',
    rule: 'memory',
    does: 'takes all memory',
    verdict: 'out_of_memory',
    says: /all \d+ MiB of memory/,
    underGvisor: true,
  },
  {
    name: 'killed-child',
    rule: 'memory',
    does: 'goes on when its child is killed for want of memory',
    verdict: 'scored',
    says: /the child ended by SIGKILL/,
    gvisor: { verdict: 'out_of_memory', says: /all \d+ MiB of memory/ },
  },
  {
    name: 'killed-child-then-500',
    rule: 'memory',
    does: 'refuses when its child is killed for want of memory',
    verdict: 'out_of_memory',
  },
  {
    name: 'killed-child-then-exit-0',
    rule: 'memory',
    does: 'ends well when its child is killed for want of memory',
    verdict: 'out_of_memory',
  },
  { name: 'fill-tmp', rule: 'memory', does: 'fills /tmp, which is its memory', verdict: 'out_of_memory' },
  {
    name: 'fill-shm',
    rule: 'shared memory',
    does: 'fills /dev/shm',
    verdict: 'scored',
    says: /fill: 64 MiB, then ENOSPC/,
  },
  {
    name: 'fill-root',
    rule: 'read-only root',
    does: 'writes everywhere else',
    verdict: 'scored',
    says: [/^\/app\/: (EROFS|EACCES)$/m, /^\/run\/assay-socket\/: ENOENT$/m, NOTHING_DONE],
    gvisor: {
      says: [/^\/app\/: (EROFS|EACCES)$/m, /^\/run\/assay-socket\/: EACCES$/m, NOTHING_DONE],
    },
    underGvisor: true,
  },
  {
    name: 'kills-the-relay',
    rule: 'relay',
    does: 'kills what it can and links its socket to that of the engine',
    verdict: 'scored',
    says: [/^kill: ESRCH$/m, /^remove: ENOENT$/m, /^link: ENOENT$/m],
    gvisor: { says: [/^kill: ESRCH$/m, /^remove: EACCES$/m, /^link: EACCES$/m] },
    underGvisor: true,
  },
  {
    name: 'log-flood',
    rule: 'log size',
    does: 'writes 32 MiB of log',
    verdict: 'scored',
    says: /wrote 33554432 bytes$/m,
    floodsLog: true,
  },
  { name: 'cpu-spin', rule: 'time to answer', does: 'keeps nine processes busy', verdict: 'request_timeout' },
];

const starts: readonly ProbeRow[] = [
  {
    name: 'never-ready',
    rule: 'time to start',
    does: 'answers GET /ping with 503',
    task: 'unready',
    verdict: 'never_ready',
    says: /503/,
  },
  {
    name: 'never-listens',
    rule: 'time to start',
    does: 'never listens',
    task: 'unready',
    verdict: 'never_ready',
    // on a busy host the last attempt may still be under way
    says: /nothing listens|not answered in time/,
  },
  {
    name: 'ping-without-answer',
    rule: 'time to start',
    does: 'never answers GET /ping',
    task: 'unready',
    verdict: 'never_ready',
  },
  {
    name: 'ping-without-end',
    rule: 'time to start',
    does: 'never ends its answer to GET /ping',
    task: 'unready',
    verdict: 'never_ready',
  },
  {
    name: 'exits-at-once',
    rule: 'end of the model',
    does: 'ends when it starts',
    verdict: 'model_exited',
    says: /During startup, it exited with code 0/,
  },
  {
    name: 'exits-at-the-100th-request',
    rule: 'end of the model',
    does: 'ends at the 100th request',
    verdict: 'model_exited',
    says: /single requests, it exited with code 0/,
  },
];

const http: readonly ProbeRow[] = [
  { name: 'infinite-body', rule: 'size of an answer', does: 'sends a body for ever', verdict: 'response_too_large' },
  {
    name: 'infinite-refusal',
    rule: 'size of an answer',
    does: 'sends the body of a refusal for ever',
    verdict: 'http_status',
  },
  { name: 'one-byte-a-second', rule: 'time to answer', does: 'sends a body by the byte', verdict: 'request_timeout' },
  { name: 'head-by-the-byte', rule: 'time to answer', does: 'sends a header by the byte', verdict: 'request_timeout' },
  {
    name: 'infinite-1xx',
    rule: 'HTTP framing',
    does: 'sends 100 Continue for ever',
    verdict: 'connection_lost',
    says: /only informational/,
  },
  { name: 'slow-1xx', rule: 'time to answer', does: 'sends 102 Processing now and then', verdict: 'request_timeout' },
  {
    name: 'redirect',
    rule: 'redirects',
    does: 'sends 307 to a listener of the host',
    verdict: 'redirected',
    says: /307/,
  },
  {
    name: 'switch-protocol',
    rule: 'HTTP framing',
    does: 'sends 101 Switching Protocols',
    verdict: 'connection_lost',
    says: /101 Switching Protocols/,
  },
  {
    name: 'other-protocol',
    rule: 'HTTP framing',
    does: 'answers rightly, in RTSP',
    verdict: 'connection_lost',
  },
  {
    name: 'tiny-chunks',
    rule: 'HTTP framing',
    does: 'answers in a hundred thousand chunks of one byte',
    verdict: 'connection_lost',
    says: /tiny chunks/,
  },
  {
    name: 'gzip-bomb',
    rule: 'content encoding',
    does: 'sends 512 MiB as half a megabyte',
    verdict: 'response_encoded',
  },
  {
    name: 'gzip-bomb-unnamed',
    rule: 'content encoding',
    does: 'sends gzip without saying so',
    verdict: 'invalid_json',
  },
  {
    name: 'content-length-too-large',
    rule: 'HTTP framing',
    does: 'sends less than announced',
    verdict: 'connection_lost',
  },
  {
    name: 'content-length-too-small',
    rule: 'HTTP framing',
    does: 'sends more than announced',
    verdict: 'connection_lost',
  },
  {
    name: 'content-length-of-an-exabyte',
    rule: 'size of an answer',
    does: 'announces an exabyte',
    verdict: 'response_too_large',
  },
  {
    name: 'content-length-negative',
    rule: 'HTTP framing',
    does: 'announces less than nothing',
    verdict: 'connection_lost',
  },
  { name: 'content-length-twice', rule: 'HTTP framing', does: 'announces two lengths', verdict: 'connection_lost' },
  {
    name: 'answers-ahead',
    rule: 'one answer per request',
    does: 'sends wrong answers to what was not asked yet',
    verdict: 'scored',
  },
  {
    name: 'header-flood',
    rule: 'HTTP framing',
    does: 'sends headers for ever',
    verdict: 'connection_lost',
    says: /16 KiB/,
  },
  {
    name: 'chunk-extension-flood',
    rule: 'HTTP framing',
    does: 'sends the extension of a chunk for ever',
    verdict: 'connection_lost',
  },
  { name: 'trailer-flood', rule: 'HTTP framing', does: 'sends trailers for ever', verdict: 'connection_lost' },
  { name: 'not-http', rule: 'HTTP framing', does: 'sends bytes that are no HTTP for ever', verdict: 'connection_lost' },
];

const answers: readonly ProbeRow[] = [
  {
    name: 'fifty-megabytes-of-brackets',
    rule: 'size of an answer',
    does: 'sends 50 MB of [',
    verdict: 'response_too_large',
  },
  {
    name: 'brackets-beyond-the-limit',
    rule: 'size of an answer',
    does: 'answers with lists two million deep',
    verdict: 'response_too_large',
  },
  {
    name: 'deep-brackets',
    rule: 'answers of the contract',
    does: 'answers with lists 20,000 deep',
    verdict: 'invalid_response',
    says: /limit: 64 levels/,
  },
  {
    name: '1e999',
    rule: 'answers of the contract',
    does: 'gives a probability of 1e999',
    verdict: 'invalid_probabilities',
    says: /not finite/,
  },
  { name: 'nan', rule: 'answers of the contract', does: 'gives a probability of NaN', verdict: 'invalid_json' },
  {
    name: 'not-a-number',
    rule: 'answers of the contract',
    does: 'answers 1e999',
    task: 'numbers',
    verdict: 'invalid_prediction',
  },
  {
    name: 'largest-number',
    rule: 'answers of the contract',
    does: 'answers 1.7e308, whose square is no number',
    task: 'numbers',
    verdict: 'invalid_prediction',
    says: /too large to score/,
  },
  {
    name: 'largest-scored-number',
    rule: 'answers of the contract',
    does: 'answers 1e30, whose square is a number',
    task: 'numbers',
    verdict: 'scored',
  },
  {
    name: 'proto-probability',
    rule: 'answers of the contract',
    does: 'gives __proto__ a probability',
    verdict: 'invalid_probabilities',
    says: /"__proto__"/,
  },
  {
    name: 'proto-prediction',
    rule: 'answers of the contract',
    does: 'hides its answer in __proto__',
    verdict: 'invalid_prediction',
  },
  { name: 'proto-label', rule: 'answers of the contract', does: 'answers __proto__', verdict: 'unknown_label' },
  {
    name: 'proto-body',
    rule: 'answers of the contract',
    does: 'hides all answers in __proto__',
    verdict: 'invalid_response',
  },
  { name: 'one-too-few', rule: 'answers of the contract', does: 'forgets one', verdict: 'wrong_length' },
  { name: 'one-too-many', rule: 'answers of the contract', does: 'adds one', verdict: 'wrong_length' },
  { name: 'none', rule: 'answers of the contract', does: 'gives none', verdict: 'wrong_length' },
  { name: 'thirty-thousand', rule: 'answers of the contract', does: 'gives 30,000 for one', verdict: 'wrong_length' },
  {
    name: 'nul-label',
    rule: 'answers of the contract',
    does: 'answers a label with NUL in it',
    verdict: 'unknown_label',
    says: /"even\ufffd"/,
  },
  {
    name: 'control-label',
    rule: 'answers of the contract',
    does: 'answers commands for a terminal',
    verdict: 'unknown_label',
    says: /"\ufffd\[2J\ufffdeven"/,
  },
  {
    name: 'half-character-label',
    rule: 'answers of the contract',
    does: 'answers half of a character',
    verdict: 'unknown_label',
    says: /"\ufffd"/,
  },
  {
    name: 'nul-text',
    rule: 'answers of the contract',
    does: 'answers a text with NUL in it',
    task: 'texts',
    verdict: 'invalid_prediction',
    says: /NUL/,
  },
  {
    name: 'half-character-text',
    rule: 'answers of the contract',
    does: 'answers a text with half of a character',
    task: 'texts',
    verdict: 'invalid_prediction',
  },
  {
    name: 'refusal-with-nul',
    rule: 'answers of the contract',
    does: 'refuses with NUL and commands for a terminal',
    verdict: 'http_status',
    says: /no\ufffdGPU/,
  },
];

const lies: readonly ProbeRow[] = [
  {
    name: 'guesses-alone',
    rule: 'same answers when timed',
    does: 'guesses where it is timed',
    verdict: 'inconsistent',
  },
  {
    name: 'guesses-alone-but-sure-of-nothing',
    rule: 'same answers when timed',
    does: 'guesses where it is timed, and holds all labels for equally probable',
    verdict: 'inconsistent',
  },
  {
    name: 'rubbish-alone',
    rule: 'same answers when timed',
    does: 'answers rubbish where it is timed',
    verdict: 'inconsistent',
    says: /no valid answer/,
  },
  {
    name: 'refuses-alone',
    rule: 'same answers when timed',
    does: 'refuses to be timed',
    verdict: 'inconsistent',
    says: /no valid answer/,
  },
  {
    name: 'guesses-the-first-hundred',
    rule: 'same answers when timed',
    does: 'guesses as long as it may be timed',
    verdict: 'inconsistent',
  },
  {
    name: 'guesses-for-half-a-second',
    rule: 'same answers when timed',
    does: 'guesses for half a second',
    verdict: 'inconsistent',
  },
  {
    name: 'guesses-until-a-pause',
    rule: 'same answers when timed',
    does: 'guesses until it is left alone for a moment',
    verdict: 'inconsistent',
  },
  {
    name: 'guesses-until-two-at-once',
    rule: 'same answers when timed',
    does: 'guesses until it is asked two things at once',
    verdict: 'inconsistent',
  },
  {
    name: 'answers-anew-when-asked-again',
    rule: 'same answers when timed',
    does: 'answers otherwise when it is asked twice',
    verdict: 'inconsistent',
  },
  {
    name: 'changes-its-mind-each-start',
    rule: 'repeatability',
    does: 'answers otherwise in each container',
    verdict: 'scored',
    unstable: true,
  },
];

/** Every probe except those that look around. */
export const probeTable: readonly ProbeClass[] = [
  { about: 'that takes what there is', rows: resources },
  { about: 'that does not start, or does not stay', rows: starts },
  { about: 'that breaks HTTP', rows: http },
  { about: 'that answers what was not asked', rows: answers },
  { about: 'that answers one thing where it is timed and another where it is scored', rows: lies },
];

export const everyRow = probeTable.flatMap(({ rows }) => rows);

/** The first row of each rule. */
export const oneRowPerRule = [...new Map(everyRow.toReversed().map((row) => [row.rule, row])).values()].toReversed();
