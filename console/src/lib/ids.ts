/** Shortens an ID for lists. The first eight characters are unique in practice. */
export const shortId = (id: string) => (id.length > 12 ? `${id.slice(0, 8)}…` : id)

/** Shortens a long name in the middle, because the end is often significant (`backup-2026-11-21.qcow2`). */
export function shortenMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const end = Math.floor((most - 1) / 2)
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`
}
