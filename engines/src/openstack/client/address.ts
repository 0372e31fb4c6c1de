import { notFound } from '@mainstay/contract/core/problems'
import type { Query } from './service-client'
import type { Endpoint } from './catalogue'
import { searchOf } from './paging'

/** A path segment that would change which endpoint is called; IDs come from outside. */
const leadsAway = (step: string) => step === '' || /^(\.|%2e){1,2}$/i.test(step) || /[?#\\\s\p{Cc}]/u.test(step)

/** Builds the URL of a request. Throws `not_found` for a path that could escape the service root. */
export function addressOf({ root }: Endpoint, path: string, query?: Query): URL {
  const [before, ...steps] = path.split('/')
  if (before !== '' || (path !== '/' && steps.some(leadsAway))) throw notFound()
  const url = new URL(`${root}${path}`)
  url.search = searchOf(query)
  return url
}
