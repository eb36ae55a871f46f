import { DomainError } from '@assay/kernel';

/** Shorter ones are refused; in the terms of ASVS 5 it may be any text. */
export const SHORTEST_PASSWORD = 12;
const SERVICE = 'assay';
const SHORTEST_NAME = 3;
const FEWEST_CHARACTERS = 5;
const LONGEST_UNIT = 11;

export interface Named {
  readonly username: string;
  readonly email: string;
}

/**
 * Refuses a new password that is among those that are tried first: common ones of breaches (also with digits or signs around them, or
 * repeated), keys in a row, and what is little more than the person's name or that of the service.
 * @param path of the field it came in
 * @throws DomainError `weak_password`
 */
export async function expectStrongPassword(password: string, named: Named, path: string): Promise<void> {
  const why = await weakness(password.toLowerCase(), named);
  if (why !== null) throw new DomainError('invalid', 'weak_password', why, [{ path, message: why }]);
}

async function weakness(password: string, { username, email }: Named): Promise<string | null> {
  const names = [username, email.split('@', 1)[0]!, SERVICE];
  if (withoutNames(password, names).length < SHORTEST_PASSWORD) {
    return `Your name and "${SERVICE}" don't count: choose a password with ${SHORTEST_PASSWORD} other characters.`;
  }
  if (new Set(password).size < FEWEST_CHARACTERS || isRow(password)) {
    return 'This password is a row of like characters: choose another, such as four words that have nothing to do with each other.';
  }
  const common = await commonPasswords();
  if ([...variants(password)].some((variant) => common.has(variant))) {
    return 'This password is among those that are tried first: choose another, such as four words that have nothing to do with each other.';
  }
  return null;
}

const withoutNames = (password: string, names: readonly string[]): string =>
  names
    .map((name) => name.toLowerCase())
    .filter((name) => name.length >= SHORTEST_NAME)
    .reduce((rest, name) => rest.replaceAll(name, ''), password);

/** What may stand in the list for it: itself, without what was put around it, and what it repeats. */
function* variants(password: string): Generator<string> {
  const core = password.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  for (const text of new Set([password, core])) {
    yield text;
    yield* units(text);
  }
}

/** What `text` begins with and repeats to its end, if only in part. */
function* units(text: string): Generator<string> {
  for (let length = 1; length <= Math.min(LONGEST_UNIT, text.length - 1); length++) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) yield unit;
  }
}

/** Each character follows the one before by the same step: `abcdefghijkl`, `987654321098`. */
function isRow(password: string): boolean {
  const codes = Array.from(password, (character) => character.codePointAt(0)!);
  const steps = codes.slice(1).map((code, index) => code - codes[index]!);
  return steps.every((step) => step === steps[0]);
}

let kept: Promise<ReadonlySet<string>> | undefined;

/** 49,000 passwords of breaches, in small letters. Read at the first use: it takes a while. */
const commonPasswords = (): Promise<ReadonlySet<string>> =>
  (kept ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common'])));
