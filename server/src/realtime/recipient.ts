import type { Change } from '@mainstay/contract/core/events'
import { isSharedWith } from '@mainstay/contract/core/readers'
import { grantsAllow } from '@mainstay/contract/core/abilities'
import type { Grants } from '@mainstay/contract/permissions'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Inventory, LoggedChange } from '../inventory/types'
import { ownedBy, type Owned } from '../inventory/visibility'

/** Who listens. */
export interface Recipient {
  scope: Scope
  grants: Grants
  /** A system scope that asked for its own project only. */
  ownProjectOnly: boolean
}

/** Changes with the rows that they are about, as these are now. */
export interface ChangeWithEntity {
  change: LoggedChange
  entity: Entity | null
}

/** Reads the rows of a batch of changes, once for all who listen. */
export async function withEntities(
  inventory: Inventory,
  changes: readonly LoggedChange[],
): Promise<ChangeWithEntity[]> {
  const idsByKind = new Map<string, Set<string>>()
  for (const { kind, id, op } of changes) {
    if (op === 'put') idsByKind.set(kind, (idsByKind.get(kind) ?? new Set()).add(id))
  }
  const rows = new Map<string, Map<string, Entity>>()
  for (const [name, ids] of idsByKind) {
    const kind = inventory.kinds.get(name)
    if (kind) rows.set(name, await inventory.rowsOf(kind, [...ids]))
  }
  return changes.map((change) => ({ change, entity: rows.get(change.kind)?.get(change.id) ?? null }))
}

/** What a reader is told of a change; null when it is none of their business. */
export function changeFor(inventory: Inventory, reader: Recipient, { change, entity }: ChangeWithEntity): Change | null {
  const kind = inventory.kinds.get(change.kind)
  if (!kind || !grantsAllow(reader.grants, kind.permissions.collection, 'read')) return null
  const sees = (row: Entity | null, owned: Owned): boolean =>
    inventory.canReceive(kind, reader.scope, row, { ...change, ...owned }) &&
    (!reader.ownProjectOnly || isOfProject(reader.scope, owned))
  const { revision, id, op, at } = change
  if (op === 'put' && entity) {
    const owner = ownedBy(kind, entity)
    if (sees(entity, owner)) {
      const { project_id, domain_id } = owner
      return {
        revision,
        kind: kind.name,
        id,
        op,
        project_id,
        domain_id,
        at,
        entity: inventory.redactFor(kind, reader.scope, entity),
      }
    }
  }
  // removed, or out of sight now: told to those who saw it, and in no more words than its id
  const saw = [change, change.before].find((owned) => owned !== null && sees(null, owned))
  if (!saw) return null
  return {
    revision,
    kind: kind.name,
    id,
    op: 'remove',
    project_id: saw.project_id,
    domain_id: saw.domain_id,
    at,
    entity: null,
  }
}

/** Whether a row is of the project that a system scope stands in: its own, shared with it, or nobody's. */
const isOfProject = (scope: Scope, { project_id, readers }: Owned): boolean =>
  project_id === null || project_id === scope.project_id || isSharedWith({ ...scope, kind: 'project' }, readers)
