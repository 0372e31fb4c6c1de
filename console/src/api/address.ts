import { dropEmpty } from '@mainstay/contract/core/lists/filters'
import { rootPath } from '../lib/root-path'

/** The URL for a call: includes the prefix where the console is mounted and omits empty query parameters. */
export function addressOf(path: string, query: Record<string, unknown> = {}): string {
  const parameters = new URLSearchParams(dropEmpty(query)).toString()
  return `${rootPath.replace(/\/$/, '')}${path}${parameters && `?${parameters}`}`
}
