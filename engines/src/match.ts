type FieldMatch = string | number | boolean | null | { has: string } | { hasAny: readonly string[] }

/** Whether a value matches a condition of `find`: it is equal, or a list that has the member `has`, or some member of `hasAny`. */
export function matches(found: unknown, match: FieldMatch): boolean {
  if (typeof match !== 'object' || match === null) return (found ?? null) === match
  const wanted = 'has' in match ? [match.has] : match.hasAny
  return Array.isArray(found) && wanted.some((text) => found.includes(text))
}
