import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'

/*
 * Kinds with a parent. A path names the parent of a row by its ID, or by `-` for any parent visible to the scope. The
 * response does not reveal whether a parent is missing or invisible, or whether the row is in another parent.
 */

type Params = Readonly<Record<string, string | undefined>>
type Index = Pick<Tools, 'inventory'>

/**
 * ID of the parent named by a path; null for any parent, and for a kind without a parent. Throws a `not_found` error if
 * the parent does not exist or is not visible to the scope.
 */
export async function parentIn(kind: Kind, scope: Scope, params: Params, tools: Index): Promise<string | null> {
  const { parent } = kind
  if (!parent) return null
  const id = params[parent.field] ?? ANY_PARENT
  if (id === ANY_PARENT) {
    const outer = await parentIn(parent.kind, scope, params, tools)
    if (outer !== null) throw fieldProblem(parent.field, 'core.parent_id_needed')
    return null
  }
  // callers may use their own domain or project even if they may not see its row
  const isOwn = parent.kind.owns !== undefined && scope[parent.kind.owns] === id
  if (isOwn) return id
  // a parent may be named by its alias
  return (await viewIn(parent.kind, scope, { ...params, id }, tools)).id
}

/**
 * Like `parentIn`, but requires a specific parent, in which a row can be created. Also throws a `not_found` error for
 * `-`.
 */
export async function requireParent(kind: Kind, scope: Scope, params: Params, tools: Index): Promise<string> {
  const id = await parentIn(kind, scope, params, tools)
  if (id !== null) return id
  throw fieldProblem(kind.parent!.field, 'core.parent_of_new_row')
}

/** The row named by a path, in the parent named by the path. Throws a `not_found` error if there is none. */
export async function viewIn<Row extends Entity>(
  kind: Kind,
  scope: Scope,
  params: Params & { id: string },
  tools: Index,
): Promise<Row> {
  const parentId = await parentIn(kind, scope, params, tools)
  const within = parentId === null ? {} : { [kind.parent!.field]: `exact:${parentId}` }
  const row = await viewNamed<Row>(kind, scope, { idOrName: params.id, within }, tools)
  if (parentId !== null && row[kind.parent!.field] !== parentId) throw notFound()
  return row
}

/**
 * Finds a row by ID or, for command-line clients, by the value of the `alias` filter, which names rows of one parent
 * only (`within`). Throws a `not_found` error.
 */
async function viewNamed<Row extends Entity>(
  kind: Kind,
  scope: Scope,
  { idOrName, within }: { idOrName: string; within: Record<string, string> },
  { inventory }: Index,
): Promise<Row> {
  if (kind.alias === undefined) return inventory.view<Row>(kind, scope, idOrName)
  const [byId] = await inventory.several<Row>(kind, scope, [idOrName])
  if (byId) return byId
  const { data } = await inventory.list<Row>(kind, scope, { limit: 1, [kind.alias]: `exact:${idOrName}`, ...within })
  if (!data[0]) throw notFound()
  return data[0]
}
