import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'

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

const objects = new RegExp(`^${S3_PROXY_PATH}/[^?]*`)

/** Clients join paths carelessly: `/api/v2/compute/routers/ID//interfaces`. */
const withoutEmptySegments = (url: string): string =>
  url.replace(/^\/+api\/[^?]*/, (path) => path.replace(/\/{2,}/g, '/'))

/**
 * The address of a request, from which its route and so its rights follow. Repeated slashes in the path of a call count as one.
 * Names of objects are left out: a router may be unable to read them, and each of their slashes counts.
 */
export const routedUrl = (url: string): string =>
  withoutEmptySegments(splitPrefix(url).rest).replace(objects, S3_PROXY_PATH)
