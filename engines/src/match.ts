type FieldMatch = string | number | boolean | null | { has: string } | { hasAny: readonly string[] }

/**
 * Whether a value matches a `find` condition: it equals the given value, or it is a list that contains `has` or any
 * entry of `hasAny`.
 */
export function matches(found: unknown, match: FieldMatch): boolean {
  if (typeof match !== 'object' || match === null) return (found ?? null) === match
  const wanted = 'has' in match ? [match.has] : match.hasAny
  return Array.isArray(found) && wanted.some((text) => found.includes(text))
}
