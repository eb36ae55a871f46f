/** Problems of a sign-in with the provider, by the error code in the query parameters. */
const REFUSALS: Readonly<Record<string, string>> = {
  sign_in_expired: $localize`This sign-in has expired, or it was started in another browser. Start again.`,
  provider_refused: $localize`The provider did not confirm who you are. Start again.`,
  provider_unavailable: $localize`The provider does not answer. Try again in a moment.`,
  email_not_verified: $localize`The provider has not verified your mail address. Verify it there, then sign in again.`,
  provider_sign_in_old: $localize`The provider does not confirm that you signed in just now. Start again, and sign in there again.`,
  account_blocked: $localize`An administrator has blocked this account: write to them.`,
  identity_taken: $localize`This account at the provider is already linked with another account here.`,
};

/** Explains an error code. It is a query parameter, so any text. Undefined without a code. */
export function refusalOf(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return Object.hasOwn(REFUSALS, code) ? REFUSALS[code] : $localize`That did not work. Start again.`;
}
