/** The folder above the one of a built file, with a slash at both ends. */
export function rootOf(file: string): string {
  return new URL('../', file).pathname
}

/**
 * Where the console is mounted: `/` or a prefix such as `/api/agent_direct/n1/lca/`, always with a slash at both ends.
 * A built file lives in `<root>/assets/`, so its own address tells the root and nobody has to configure it.
 */
export const rootPath = import.meta.env.PROD ? rootOf(import.meta.url) : '/'
