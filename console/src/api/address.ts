import { dropEmpty } from '@mainstay/contract/core/lists/filters'
import { rootPath } from '../lib/root-path'

/**
 * Builds the URL for a call, including the path prefix under which the console is mounted. Omits empty query
 * parameters.
 */
export function addressOf(path: string, query: Record<string, unknown> = {}): string {
  const parameters = new URLSearchParams(dropEmpty(query)).toString()
  return `${rootPath.replace(/\/$/, '')}${path}${parameters && `?${parameters}`}`
}
