const READING_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Returns whether requests with this method change nothing (RFC 9110, 9.2.1). */
export const isReading = (method: string): boolean => READING_METHODS.includes(method);
