const space = /[ \t\r\n]*/y
const scalar =
  // oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
  /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Maximum nesting depth. */
const MOST_DEPTH = 64

/** The index at which text stops being valid JSON, or its length if it is incomplete. Not all browsers report this. */
export function jsonFaultAt(text: string): number {
  let at = 0
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at += found[0].length
    return found !== null
  }
  const sign = (expected: string): boolean => {
    skip(space)
    if (text[at] !== expected) return false
    at += 1
    return true
  }
  const members = (end: string, member: () => boolean): boolean => {
    if (sign(end)) return true
    do if (!member()) return false
    while (sign(','))
    return sign(end)
  }
  const value = (depth: number): boolean => {
    if (depth > MOST_DEPTH) return false
    if (sign('{'))
      return members('}', () => {
        skip(space)
        return text[at] === '"' && skip(scalar) && sign(':') && value(depth + 1)
      })
    if (sign('[')) return members(']', () => value(depth + 1))
    return skip(scalar)
  }
  if (value(0)) skip(space)
  return at
}
