import { notFound } from '@mainstay/contract/core/problems'
import type { Query } from './service-client'
import type { Endpoint } from './catalogue'
import { searchOf } from './paging'

/** Whether a path segment would change which endpoint is called. Paths contain IDs from untrusted sources. */
const leadsAway = (step: string) => step === '' || /^(\.|%2e){1,2}$/i.test(step) || /[?#\\\s\p{Cc}]/u.test(step)

/** Builds the URL of a request. Throws a `not_found` error for a path that could escape the service root. */
export function addressOf({ root }: Endpoint, path: string, query?: Query): URL {
  const [before, ...steps] = path.split('/')
  if (before !== '' || (path !== '/' && steps.some(leadsAway))) throw notFound()
  const url = new URL(`${root}${path}`)
  url.search = searchOf(query)
  return url
}
