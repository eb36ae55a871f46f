import { DomainError } from '@assay/kernel';

/** The minimum length of a password in characters. Any composition is accepted (OWASP ASVS 5). */
const SHORTEST_PASSWORD = 12;
const SERVICE = 'assay';
const SHORTEST_NAME = 3;
const FEWEST_CHARACTERS = 5;
const LONGEST_UNIT = 11;

export interface Named {
  readonly username: string;
  readonly email: string;
}

/**
 * Rejects a new password that attackers try first: common passwords from breaches (also repeated,
 * or with digits or signs around them), sequences of characters, and passwords that are little more
 * than the name of the person or of the service.
 * @param path of the field that contains it
 * @throws DomainError `weak_password`
 */
export async function expectStrongPassword(password: string, named: Named, path: string): Promise<void> {
  const why = await weakness(password.toLowerCase(), named);
  if (why !== null) throw new DomainError('invalid', 'weak_password', why, [{ path, message: why }]);
}

async function weakness(password: string, { username, email }: Named): Promise<string | null> {
  const names = [username, email.split('@', 1)[0]!, SERVICE];
  if (withoutNames(password, names).length < SHORTEST_PASSWORD) {
    return `Your name and "${SERVICE}" do not count. Choose a password with ${SHORTEST_PASSWORD} other characters.`;
  }
  if (new Set(password).size < FEWEST_CHARACTERS || isRow(password)) {
    return 'This password is a sequence or repeats few characters. Choose another, such as four unrelated words.';
  }
  const common = await commonPasswords();
  if ([...variants(password)].some((variant) => common.has(variant))) {
    return 'This password is one that attackers try first. Choose another, such as four unrelated words.';
  }
  return null;
}

const withoutNames = (password: string, names: readonly string[]): string =>
  names
    .map((name) => name.toLowerCase())
    .filter((name) => name.length >= SHORTEST_NAME)
    .reduce((rest, name) => rest.replaceAll(name, ''), password);

/**
 * Yields the forms of a password to look up in the list of common passwords: the password, the
 * password without non-letters around it, and the unit that either repeats.
 */
function* variants(password: string): Generator<string> {
  const core = password.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  for (const text of new Set([password, core])) {
    yield text;
    yield* units(text);
  }
}

/**
 * Yields each prefix that repeats to the end of `text`, where the last repetition may be partial.
 */
function* units(text: string): Generator<string> {
  for (let length = 1; length <= Math.min(LONGEST_UNIT, text.length - 1); length++) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) yield unit;
  }
}

/** Returns whether the code points form an arithmetic sequence: `abcdefghijkl`, `aaaaaaaaaaaa`. */
function isRow(password: string): boolean {
  const codes = Array.from(password, (character) => character.codePointAt(0)!);
  const steps = codes.slice(1).map((code, index) => code - codes[index]!);
  return steps.every((step) => step === steps[0]);
}

let cached: Promise<ReadonlySet<string>> | undefined;

/**
 * 49,000 passwords from breaches, in lower case. Loaded at the first use, because loading is slow.
 */
const commonPasswords = (): Promise<ReadonlySet<string>> =>
  (cached ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common'])));
