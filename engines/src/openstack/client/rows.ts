import * as z from 'zod'
import type { UnreadableRow } from '../../ports/feed'

/** Hears of each row that does not fit. */
export type OnUnreadableRow = (row: UnreadableRow) => void

/**
 * A list whose rows are read one by one. Those that do not fit are told to `tell` and left out; without it, one of
 * them makes the whole list unreadable.
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

/** Where an answer is not as expected: names of fields, never what is in them. */
export const whereIn = (error: z.ZodError): string => {
  const path = error.issues[0]?.path.join('.') ?? ''
  return path === '' ? 'another shape than expected' : `"${path}" is not as expected`
}

function idIn(row: unknown): string | null {
  const id: unknown = typeof row === 'object' && row !== null && 'id' in row ? row.id : null
  return typeof id === 'string' && id !== '' ? id : null
}
