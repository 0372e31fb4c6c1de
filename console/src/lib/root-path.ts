/**
 * Where the console is mounted: `/` or a prefix such as `/api/agent_direct/n1/lca/`, always with a slash at both ends.
 * A built file lives in `<root>/assets/`, so its own address tells the root and nobody has to configure it.
 */
export const rootPath = import.meta.env.PROD ? new URL('../', import.meta.url).pathname : '/'
