import type { Kind } from '@mainstay/contract/core/kind'
import { isSharedWith, namesOf, policiesFor, readersOf } from '@mainstay/contract/core/readers'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { sql, type RawBuilder } from 'kysely'
import { ownerColumn, isShareable, READERS } from './columns'

/** Fields that determine which scopes can see a row. */
export interface Owned {
  domain_id: string | null
  project_id: string | null
  user_id: string | null
  /** Names of the readers with whom the row is shared, sorted. */
  readers: string[]
}

type Text = (entity: Entity, field: string) => string | null
const textAt: Text = (entity, field) => {
  const value = entity[field]
  return typeof value === 'string' ? value : null
}

export const ownedBy = (kind: Kind, entity: Entity): Owned => ({
  domain_id: textAt(entity, kind.owns === 'domain_id' ? 'id' : 'domain_id'),
  project_id: textAt(entity, kind.owns === 'project_id' ? 'id' : 'project_id'),
  user_id: textAt(entity, 'user_id'),
  readers: readersOf(kind, entity),
})

/** Whether a domain scope without a project can see all rows of its domain. */
const isAdministered = ({ visibility }: Kind, scope: Scope): boolean =>
  visibility === 'administered' && scope.kind === 'domain'

/**
 * Whether a scope can see a row. This is the reference rule; `visibleRows` expresses it in SQL, and tests compare the
 * two.
 */
export function isVisible(kind: Kind, scope: Scope, row: Owned): boolean {
  if (scope.kind === 'system' || kind.visibility === 'global') return true
  if (isSharedWith(scope, row.readers)) return true
  if (kind.visibility === 'system') return false
  if (kind.visibility === 'domain' || isAdministered(kind, scope)) return row.domain_id === scope.domain_id
  if (scope.kind !== 'project' || scope.project_id === null) return false
  if (kind.visibility !== 'owner') return row.project_id === scope.project_id
  return row.user_id === scope.user_id && (row.project_id === null || row.project_id === scope.project_id)
}

/** The visibility rule as a condition on a side table; null if the scope sees all rows. */
export function visibleRows(kind: Kind, scope: Scope): RawBuilder<boolean> | null {
  if (scope.kind === 'system' || kind.visibility === 'global') return null
  const own = ownRows(kind, scope)
  if (!isShareable(kind)) return own ?? sql`false`
  const shared = sql<boolean>`${sql.id(READERS)} && ${namesOf(scope)}::text[]`
  return own ? sql`(${own} or ${shared})` : shared
}

/** The owner column and the value to which the scope is restricted; null if there is no single one. */
export function ownerOf(kind: Kind, scope: Scope): { column: string; value: string } | null {
  const isElsewhere = kind.visibility === 'administered' && scope.kind !== 'domain'
  const column = scope.kind === 'system' || isElsewhere ? null : ownerColumn(kind)
  const value = column && scope[column]
  return column && value ? { column, value } : null
}

function ownRows(kind: Kind, scope: Scope): RawBuilder<boolean> | null {
  if (kind.visibility === 'system') return null
  if (kind.visibility === 'domain' || isAdministered(kind, scope)) return sql`domain_id = ${scope.domain_id}`
  if (scope.kind !== 'project' || scope.project_id === null) return null
  const inProject = sql<boolean>`project_id = ${scope.project_id}`
  if (kind.visibility !== 'owner') return inProject
  return sql`(user_id = ${scope.user_id} and (${inProject} or project_id is null))`
}

/** The row without the fields that only a system scope or the owner may read. */
export function redactFor<Row extends Entity>(kind: Kind, scope: Scope, entity: Row): Row {
  const { systemOnly, policies } = kind
  if (scope.kind === 'system' || (systemOnly.length === 0 && !policies)) return entity
  const shown: Record<string, unknown> = { ...entity }
  const told = policies && shown[policies.path]
  if (policies && Array.isArray(told) && entity['project_id'] !== scope.project_id)
    shown[policies.path] = policiesFor(scope, told)
  for (const path of systemOnly) dropPath(shown, path.split('.'))
  return shown as Row
}

function dropPath(from: Record<string, unknown>, [step, ...rest]: string[]): void {
  if (step === undefined || !(step in from)) return
  if (rest.length === 0) {
    delete from[step]
    return
  }
  const inner = from[step]
  if (typeof inner !== 'object' || inner === null) return
  const copy = Array.isArray(inner) ? [...(inner as unknown[])] : { ...inner }
  from[step] = copy
  for (const each of Array.isArray(copy) ? copy.keys() : [null]) {
    if (each === null) dropPath(copy, rest)
    else {
      const item: unknown = (copy as unknown[])[each]
      if (typeof item !== 'object' || item === null) continue
      const itemCopy = { ...item } as Record<string, unknown>
      ;(copy as unknown[])[each] = itemCopy
      dropPath(itemCopy, rest)
    }
  }
}
