import type { Kind } from '@mainstay/contract/core/kind'
import type { AlertRule } from '@mainstay/contract/monitoring/alert-rules'
import type { Entity } from '@mainstay/engines/ports/records'
import { serverScope } from '../../../tasks/server-scope'
import type { Tools } from '../../../tools'
import type { Found } from './decide'

/** Maximum number of objects that one evaluation of a rule reads. */
export const MOST = 500
/** How far a ratio must fall below its threshold before the alert is closed, in percentage points. */
export const HYSTERESIS = 5

/** An object for which an alert may be raised, with the details of the alert. */
export interface FoundObject extends Found {
  object: { kind: string; id: string; name: string; part: string | null }
  project_id: string | null
  domain_id: string | null
  value: number | null
  details: string | null
}
export interface Seen {
  found: FoundObject[]
  unknown: ReadonlySet<string>
}
export type AlertTools = Pick<
  Tools,
  'areas' | 'certificate' | 'figures' | 'inventory' | 'platformParts' | 'ports' | 'settings'
>

/**
 * Evaluates the condition of a rule. `watched`: keys of objects that have an alert or may soon have one. Throws if the
 * state cannot be determined.
 */
export type Condition = (tools: AlertTools, rule: AlertRule, watched: readonly string[]) => Promise<Seen>

export const keyOf = (id: string, part: string | null = null): string => JSON.stringify([id, part])
export const idOf = (key: string): string => (JSON.parse(key) as [string])[0]

export const nobody: ReadonlySet<string> = new Set()
export const found = (
  object: FoundObject['object'],
  more: Partial<Pick<FoundObject, 'project_id' | 'domain_id' | 'value' | 'details' | 'isOver' | 'since'>> = {},
): FoundObject => ({
  ...{ key: keyOf(object.id, object.part), isOver: true, object },
  ...{ project_id: null, domain_id: null, value: null, details: null },
  ...more,
})

/** Returns the rows with these IDs, which are read in pages. */
export async function rowsOf<Row extends Entity>(
  tools: Pick<AlertTools, 'inventory'>,
  kind: Kind,
  ids: readonly string[],
): Promise<Row[]> {
  const wanted = [...new Set(ids)]
  const rows: Row[] = []
  for (let at = 0; at < wanted.length; at += MOST)
    rows.push(...(await tools.inventory.several<Row>(kind, serverScope, wanted.slice(at, at + MOST))))
  return rows
}
