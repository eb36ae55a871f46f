/** In this order: most browsers also name those that they are like. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** A browser in words, like `Firefox on Linux`, of its `User-Agent`: enough for a person to know it again, and no more is kept. */
export function deviceOf(userAgent: string | undefined): string {
  const named = (names: typeof BROWSERS): string | undefined =>
    names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1];
  const browser = named(BROWSERS) ?? 'A program';
  const system = named(SYSTEMS);
  return system === undefined ? browser : `${browser} on ${system}`;
}
