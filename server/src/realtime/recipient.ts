import type { Change } from '@mainstay/contract/core/events'
import { isSharedWith } from '@mainstay/contract/core/readers'
import { grantsAllow } from '@mainstay/contract/core/abilities'
import type { Grants } from '@mainstay/contract/permissions'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Inventory, LoggedChange } from '../inventory/types'
import { ownedBy, type Owned } from '../inventory/visibility'

/** A recipient of changes. */
export interface Recipient {
  scope: Scope
  grants: Grants
  /** Whether a system scope requested only its own project. */
  ownProjectOnly: boolean
}

/** A change with the current state of its row. */
export interface ChangeWithEntity {
  change: LoggedChange
  entity: Entity | null
}

/** Reads the changed rows of a batch once for all readers. */
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

/** A change as a reader receives it; null if the reader may not see it. */
export function changeFor(
  inventory: Inventory,
  reader: Recipient,
  { change, entity }: ChangeWithEntity,
): Change | null {
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
  // the row was removed or is no longer visible: tell the readers who saw it, and send only its ID
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

/** Whether a row belongs to the project of a system scope, is shared with it, or belongs to no project. */
const isOfProject = (scope: Scope, { project_id, readers }: Owned): boolean =>
  project_id === null || project_id === scope.project_id || isSharedWith({ ...scope, kind: 'project' }, readers)
