import type { Kind } from '@mainstay/contract/core/kind'
import { MAX_LIMIT } from '@mainstay/contract/core/lists/paging'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Tools } from '../../tools'

/**
 * Reads all rows of a kind that match the filters and are visible to the scope, page by page, up to a maximum of
 * `most`. `truncated`: whether there are more rows.
 */
export async function everyRow<Row extends Entity>(
  { inventory }: Pick<Tools, 'inventory'>,
  kind: Kind,
  scope: Scope,
  { most, ...filters }: { most: number } & Record<string, unknown>,
): Promise<{ rows: Row[]; truncated: boolean }> {
  const rows: Row[] = []
  let marker: string | undefined
  do {
    const limit = Math.min(MAX_LIMIT, most - rows.length)
    if (limit <= 0) return { rows, truncated: true }
    const page = await inventory.list<Row>(kind, scope, { limit, ...(marker !== undefined && { marker }), ...filters })
    rows.push(...page.data)
    marker = page.pages[0]?.marker
  } while (marker !== undefined)
  return { rows, truncated: false }
}
