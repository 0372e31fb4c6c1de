import * as z from 'zod'
import type { UnreadableRow } from '../../ports/feed'

/** Called for each row that does not match the schema. */
export type OnUnreadableRow = (row: UnreadableRow) => void

/**
 * Returns a schema for a list whose rows are parsed one by one. Rows that do not match are reported to `tell` and
 * skipped; without `tell`, a single such row makes the whole list invalid.
 */
export const listOf = <Item extends z.ZodType>(item: Item, tell?: OnUnreadableRow) =>
  tell === undefined
    ? z.array(item)
    : z.array(z.unknown()).transform((rows): z.output<Item>[] =>
        rows.flatMap((row) => {
          const fits = item.safeParse(row)
          if (fits.success) return [fits.data]
          tell({ id: idIn(row), fault: whereIn(fits.error) })
          return []
        }),
      )

/** Names the invalid field without revealing its value. */
export const whereIn = (error: z.ZodError): string => {
  const path = error.issues[0]?.path.join('.') ?? ''
  return path === '' ? 'an unexpected structure' : `"${path}" has an unexpected value`
}

function idIn(row: unknown): string | null {
  const id: unknown = typeof row === 'object' && row !== null && 'id' in row ? row.id : null
  return typeof id === 'string' && id !== '' ? id : null
}
