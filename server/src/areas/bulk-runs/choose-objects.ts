import { bulkBodyOf } from '@mainstay/contract/bulk-actions'
import { MAX_BULK_OBJECTS, type BulkRunDraft } from '@mainstay/contract/core/bulk-runs'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import { problem, fieldProblem } from '@mainstay/contract/core/problems'
import { isServedAt } from '@mainstay/contract/panels'
import type { Entity } from '@mainstay/engines/ports/records'
import { parse, parseQuery } from '../../http/parse'
import type { Served } from '../../http/serve'
import { mayCall, type SignedIn } from '../../session/signed-in'
import type { Tools } from '../../tools'

/** An object that a run processes. */
export interface ChosenObject {
  id: string
  /** The object's ID if the caller is not allowed to see its name. */
  name: string
}

/**
 * Looks up the call of a run and validates everything except its objects. Throws `validation` and `forbidden` errors.
 */
export function callOf(served: readonly Served[], draft: BulkRunDraft, { grants, panel }: SignedIn): Served {
  const one = served.find(
    ({ kind, name, endpoint }) => kind?.name === draft.kind && name === draft.action && isServedAt(panel, endpoint),
  )
  const body = one && bulkBodyOf(draft.kind, draft.action, one.endpoint)
  if (!one || !body) {
    const isKnown = served.some(({ kind }) => kind?.name === draft.kind)
    throw isKnown ? fieldProblem('action', 'core.no_bulk_action') : fieldProblem('kind', 'core.no_such_kind')
  }
  if (!mayCall(grants, one.endpoint.needs)) throw problem('core.forbidden')
  if (one.endpoint.body) parse(body, draft.body ?? {})
  else if (draft.body !== undefined) throw fieldProblem('body', 'core.call_without_body')
  if (one.endpoint.query) parseQuery(one.endpoint.query, draft.query ?? {})
  else if (draft.query !== undefined) throw fieldProblem('query', 'core.call_without_query')
  return one
}

const chosen = ({ id, name }: Entity): ChosenObject => ({ id, name: typeof name === 'string' ? name : id })

/**
 * Selects the objects of a run, without duplicates. IDs that the caller cannot see are kept, because their calls must
 * fail exactly like calls with unknown IDs. Throws `validation`, `invalid_filter` and `forbidden` errors.
 */
export async function chooseObjects(
  { kind }: Served,
  { ids, filters = {}, except = [] }: BulkRunDraft,
  { scope, grants }: SignedIn,
  { inventory }: Pick<Tools, 'inventory'>,
): Promise<ChosenObject[]> {
  const mayRead = mayCall(grants, { ability: 'read', resource: kind!.permissions.collection })
  if (ids) {
    const unique = [...new Set(ids)]
    const rows = mayRead ? await inventory.several<Entity>(kind!, scope, unique) : []
    const known = new Map(rows.map((row) => [row.id, chosen(row)]))
    return unique.map((id) => known.get(id) ?? { id, name: id })
  }
  if (!mayRead) throw problem('core.forbidden')
  const left = new Set(except)
  const found: ChosenObject[] = []
  let marker: string | undefined
  do {
    const { data, pages } = await inventory.list<Entity>(kind!, scope, {
      ...filters,
      limit: MAX_LIMIT,
      ...(marker !== undefined && { marker }),
    })
    found.push(...data.filter(({ id }) => !left.has(id)).map(chosen))
    marker = pages[0]?.marker
    if (found.length > MAX_BULK_OBJECTS)
      throw fieldProblem('filters', 'core.too_many_matches', { most: MAX_BULK_OBJECTS })
  } while (marker !== undefined)
  if (found.length === 0) throw fieldProblem('filters', 'core.nothing_matches')
  return found
}
