/** How much of an id a list shows: the first eight characters tell any two apart in practice. */
export const shortId = (id: string) => (id.length > 12 ? `${id.slice(0, 8)}…` : id)

/** A long name with its end kept, where the end tells (`backup-2026-11-21.qcow2`). */
export function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const end = Math.floor((most - 1) / 2)
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`
}
