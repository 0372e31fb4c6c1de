import { notFound } from '@mainstay/contract/core/problems'
import type { Entity, RecordsTransaction } from '../ports/records'
import type { Scope } from '../ports/scope'

type Owned = Entity & { project_id: string }

/**
 * Whether the scope may act on the project's objects. A project scope covers only its own project; a system scope
 * covers all projects.
 */
export const actsOn = (scope: Scope, projectId: string): boolean =>
  scope.kind === 'system' || (scope.project_id !== null && scope.project_id === projectId)

/** Locks the row that a command operates on. Throws `not_found` if it is missing or belongs to another project. */
export async function lockOwn<Row extends Owned>(
  tx: RecordsTransaction,
  kind: string,
  scope: Scope,
  id: string,
): Promise<Row> {
  const row = await tx.lock<Row>(kind, id)
  if (!row || !actsOn(scope, row.project_id)) throw notFound()
  return row
}

export async function getOwn<Row extends Owned>(
  tx: RecordsTransaction,
  kind: string,
  scope: Scope,
  id: string,
): Promise<Row> {
  const row = await tx.get<Row>(kind, id)
  if (!row || !actsOn(scope, row.project_id)) throw notFound()
  return row
}
