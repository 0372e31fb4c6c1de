type Sought = string | number | boolean | null | { has: string } | { hasAny: readonly string[] }

/** Whether a value is as `find` of records seeks it: the same, or a list that has what `has` says, or some of `hasAny`. */
export function isAsSought(found: unknown, sought: Sought): boolean {
  if (typeof sought !== 'object' || sought === null) return (found ?? null) === sought
  const wanted = 'has' in sought ? [sought.has] : sought.hasAny
  return Array.isArray(found) && wanted.some((text) => found.includes(text))
}
