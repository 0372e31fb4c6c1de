import { notFound } from '@mainstay/contract/core/problems'
import type { Query } from './service-client'
import type { Endpoint } from './catalogue'
import { searchOf } from './paging'

/** A step that would lead to another call than the one meant; ids come from outside. */
const leadsAway = (step: string) => step === '' || /^(\.|%2e){1,2}$/i.test(step) || /[?#\\\s\p{Cc}]/u.test(step)

/** The address of a call. A path that leads out of where it begins names nothing there is: `not_found`. */
export function addressOf({ root }: Endpoint, path: string, query?: Query): URL {
  const [before, ...steps] = path.split('/')
  if (before !== '' || (path !== '/' && steps.some(leadsAway))) throw notFound()
  const url = new URL(`${root}${path}`)
  url.search = searchOf(query)
  return url
}
