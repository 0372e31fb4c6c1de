import { ANY_PARENT } from '@mainstay/contract/core/endpoint'
import type { Kind } from '@mainstay/contract/core/kind'
import { notFound, fieldProblem } from '@mainstay/contract/core/problems'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'

/*
 * Kinds with a parent. A path names the parent of a row by its ID, or by `-` for any parent that the scope sees. What is not
 * there, what the scope does not see and what is in another parent are answered alike.
 */

type Params = Readonly<Record<string, string | undefined>>
type Index = Pick<Tools, 'inventory'>

/**
 * ID of the parent that a path names; null for any parent, and for a kind without one. Throws `not_found` for a parent that
 * is not there, or that the scope does not see.
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
  // who acts in a domain or in a project knows of it, whether they see its row or not
  const isOwn = parent.kind.owns !== undefined && scope[parent.kind.owns] === id
  if (!isOwn) await viewIn(parent.kind, scope, { ...params, id }, tools)
  return id
}

/** The same where the path has to name one parent: to create a row in it. Throws `not_found` for `-` as well. */
export async function requireParent(kind: Kind, scope: Scope, params: Params, tools: Index): Promise<string> {
  const id = await parentIn(kind, scope, params, tools)
  if (id !== null) return id
  throw fieldProblem(kind.parent!.field, 'core.parent_of_new_row')
}

/** The row that a path names, in the parent that it names. Throws `not_found`. */
export async function viewIn<Row extends Entity>(
  kind: Kind,
  scope: Scope,
  params: Params & { id: string },
  tools: Index,
): Promise<Row> {
  const parentId = await parentIn(kind, scope, params, tools)
  const row = await viewNamed<Row>(kind, scope, params.id, tools)
  if (parentId !== null && row[kind.parent!.field] !== parentId) throw notFound()
  return row
}

/** One row by its id, or by a name that command-line clients know it by: the value of this filter. Throws `not_found`. */
async function viewNamed<Row extends Entity>(
  kind: Kind,
  scope: Scope,
  idOrName: string,
  { inventory }: Index,
): Promise<Row> {
  if (kind.alias === undefined) return inventory.view<Row>(kind, scope, idOrName)
  const [byId] = await inventory.several<Row>(kind, scope, [idOrName])
  if (byId) return byId
  const { data } = await inventory.list<Row>(kind, scope, { limit: 1, [kind.alias]: `exact:${idOrName}` })
  if (!data[0]) throw notFound()
  return data[0]
}
