import type { Kind } from '@mainstay/contract/core/kind'
import { notFound, problem } from '@mainstay/contract/core/problems'
import { resourceList } from '@mainstay/contract/resources'
import { mayCall, type SignedIn } from './signed-in'

/** The kind of a name that has a list, for who may read the list; throws `not_found` or `forbidden`. */
export function listedKind(name: string, { grants }: Pick<SignedIn, 'grants'>): Kind {
  const resource = resourceList.find(([, { kind, calls }]) => kind?.name === name && calls['list'])?.[1]
  if (!resource?.kind) throw notFound()
  if (!mayCall(grants, resource.calls['list']!.needs)) throw problem('core.forbidden')
  return resource.kind
}
