import { notFound } from '@mainstay/contract/core/problems'
import type { Entity, RecordsTransaction } from '../ports/records'
import type { Scope } from '../ports/scope'

type Owned = Entity & { project_id: string }

/** Whether a scope may act on a project's objects: a project scope on its own project only, a system scope on all. */
export const actsOn = (scope: Scope, projectId: string): boolean =>
  scope.kind === 'system' || (scope.project_id !== null && scope.project_id === projectId)

/** Locks the row that a command is about. Missing rows and rows of other projects both throw `not_found`. */
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
