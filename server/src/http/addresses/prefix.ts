import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'

const mounted = /^(\/api\/agent_direct\/[A-Za-z0-9._~-]{1,128}\/lca)(?=[/?]|$)/

/**
 * Splits a URL path into the prefix under which an agent may mount the application (`/api/agent_direct/{id}/lca/`,
 * S1§2) and the rest. `prefix` is empty or has no trailing slash.
 */
export function splitPrefix(url: string): { prefix: string; rest: string } {
  const prefix = mounted.exec(url)?.[1] ?? ''
  const rest = url.slice(prefix.length)
  return { prefix, rest: rest.startsWith('/') ? rest : `/${rest}` }
}

const objects = new RegExp(`^${S3_PROXY_PATH}/[^?]*`)

/** Clients often join paths with a double slash: `/api/v2/compute/routers/ID//interfaces`. */
const withoutEmptySegments = (url: string): string =>
  url.replace(/^\/+api\/[^?]*/, (path) => path.replace(/\/{2,}/g, '/'))

/**
 * URL that determines how a request is routed and therefore authorized. Repeated slashes in the path of a call count as
 * one. The names of S3 objects are cut off: the router may be unable to parse them, and every slash in them is
 * significant.
 */
export const routedUrl = (url: string): string =>
  withoutEmptySegments(splitPrefix(url).rest).replace(objects, S3_PROXY_PATH)
