/** The path one level above the folder of a built file, with leading and trailing slashes. */
export function rootOf(file: string): string {
  return new URL('../', file).pathname
}

/**
 * The path where the console is mounted: `/` or a prefix such as `/api/agent_direct/n1/lca/`, with leading and trailing
 * slashes. Derived from the URL of a built file in `<root>/assets/`, so it needs no configuration.
 */
export const rootPath = import.meta.env.PROD ? rootOf(import.meta.url) : '/'
