import type { Kind } from '@mainstay/contract/core/kind'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { resourceList } from '@mainstay/contract/resources'
import { mayCall, type SignedIn } from './signed-in'

/** The kind with this name, if it has a list that the caller may read. Throws `not_found` or `forbidden`. */
export function listedKind(name: string, { grants }: Pick<SignedIn, 'grants'>): Kind {
  const resource = resourceList.find(([, { kind, calls }]) => kind?.name === name && calls['list'])?.[1]
  if (!resource?.kind) throw notFound()
  if (!mayCall(grants, resource.calls['list']!.needs)) throw problem('core.forbidden')
  return resource.kind
}
