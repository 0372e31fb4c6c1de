/** Whether a value is as `find` of records seeks it: the same, or a list that has what `has` says. */
export function isAsSought(found: unknown, sought: string | number | boolean | null | { has: string }): boolean {
  if (typeof sought !== 'object' || sought === null) return (found ?? null) === sought
  return Array.isArray(found) && found.includes(sought.has)
}
