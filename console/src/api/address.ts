import { dropEmpty } from '@mainstay/contract/core/lists/filters'
import { rootPath } from '../lib/root-path'

/** The URL of a call: below the prefix under which the console is mounted, without empty query parameters. */
export function addressOf(path: string, query: Record<string, unknown> = {}): string {
  const parameters = new URLSearchParams(dropEmpty(query)).toString()
  return `${rootPath.replace(/\/$/, '')}${path}${parameters && `?${parameters}`}`
}
