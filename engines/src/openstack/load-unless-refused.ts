import type { Problem } from '@mainstay/contract/core/problems'
import type { Entity } from '../ports/records'
import type { Scope } from '../ports/scope'
import type { Engine } from './engine'
import type { KindReader } from './kind-reader'

/**
 * Returns the row for a command. Throws the error from `refusal` only if it refuses both the indexed row, which may be
 * a few seconds old, and the row read from the cloud.
 */
export async function loadUnlessRefused<Row extends Entity & { project_id: string }>(
  engine: Pick<Engine, 'known' | 'refresh'>,
  reader: KindReader<Row>,
  scope: Scope,
  id: string,
  refusal: (row: Row) => Problem | null,
): Promise<Row> {
  const known = await engine.known<Row>(reader.kind, scope, id)
  if (!refusal(known)) return known
  const row = await engine.refresh(reader, id)
  const problem = refusal(row)
  if (problem) throw problem
  return row
}
