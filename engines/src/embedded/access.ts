import { notFound } from '@mainstay/contract/core/problems'
import type { Entity, RecordsTransaction } from '../ports/records'
import type { Scope } from '../ports/scope'

type Owned = Entity & { project_id: string }

/** Whether a scope acts on what belongs to a project: only its own, but a system scope on everything. */
export const actsOn = (scope: Scope, projectId: string): boolean =>
  scope.kind === 'system' || (scope.project_id !== null && scope.project_id === projectId)

/** The row that a command is about, locked. What is not there and what is another project's get the same answer. */
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
