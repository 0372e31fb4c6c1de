interface Issue {
  path: readonly PropertyKey[]
}

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

function put(value: unknown, [step, ...rest]: readonly PropertyKey[]): unknown {
  if (step === undefined || typeof step === 'symbol') return value
  const isLast = rest.length === 0
  if (Array.isArray(value)) {
    const at = Number(step)
    return at in value ? value.with(at, isLast ? placeholder(value[at], step) : put(value[at], rest)) : value
  }
  const before = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return { ...before, [step]: isLast ? placeholder(before[step], step) : put(before[step], rest) }
}

const placeholder = (value: unknown, name: PropertyKey) => (isEmpty(value) ? `<${String(name)}>` : value)

/** Replaces missing required values with `<name>`. Values that are invalid for other reasons are kept. */
export const withPlaceholders = (values: unknown, issues: readonly Issue[]): unknown =>
  issues.reduce((all, { path }) => put(all, path), values)
