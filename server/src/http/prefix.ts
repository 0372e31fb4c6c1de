const mounted = /^(\/api\/agent_direct\/[A-Za-z0-9._~-]{1,128}\/lca)(?=[/?]|$)/

/**
 * Takes apart an address below the prefix under which an agent may mount the whole application
 * (`/api/agent_direct/{id}/lca/`, S1§2). `prefix` is '' or without a slash at its end.
 */
export function splitPrefix(url: string): { prefix: string; rest: string } {
  const prefix = mounted.exec(url)?.[1] ?? ''
  const rest = url.slice(prefix.length)
  return { prefix, rest: rest.startsWith('/') ? rest : `/${rest}` }
}
