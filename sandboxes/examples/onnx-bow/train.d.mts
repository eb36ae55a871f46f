/** Trains on the JSON Lines at `path` and writes the bundle's files into `folder`. */
export function trainAndExport(path: string, folder: string): Promise<void>;
