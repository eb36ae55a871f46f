/** What went wrong at the provider, by the code that stands in the address. */
const REFUSALS: Readonly<Record<string, string>> = {
  sign_in_expired: $localize`This sign-in was over, or was begun in another browser. Begin anew.`,
  provider_refused: $localize`The provider did not prove who you are. Begin anew.`,
  provider_unavailable: $localize`The provider does not answer. Try again in a moment.`,
  email_not_verified: $localize`The provider has not verified your mail address. Verify it there, then sign in again.`,
  provider_sign_in_old: $localize`The provider does not say that you proved just now who you are. Begin anew, and sign in there again.`,
  account_blocked: $localize`An administrator has blocked this account: write to them.`,
  identity_taken: $localize`Whom the provider names signs in to another account here already.`,
};

/** An address may say anything; undefined: nothing was refused. */
export function refusalOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : $localize`That did not work. Begin anew.`;
}
