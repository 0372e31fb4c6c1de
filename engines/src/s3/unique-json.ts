/* JSON in which each name of an object stands once: of two, one reader takes the first and another the last. */

/** Objects and lists inside each other. */
const MOST_DEPTH = 32

const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13

/** The end of the string that begins at `from` with a quote, in well-formed JSON. */
function endOfString(text: string, from: number): number {
  let at = from + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/**
 * Parses JSON. Throws `SyntaxError` with the reason where it is malformed, nested deeper than 32 levels, or where an object has
 * two members of one name, however the names are escaped. Takes time linear in the size of the text, which the caller bounds.
 */
export function parseUniqueJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  // names of the objects that are open; null: a list
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '{' || sign === '[') {
      if (open.length >= MOST_DEPTH) throw new SyntaxError(`More than ${MOST_DEPTH} levels of nesting`)
      open.push(sign === '{' ? new Set() : null)
    } else if (sign === '}' || sign === ']') open.pop()
    else if (sign === '"') {
      const end = endOfString(text, at)
      let next = end
      while (isSpace(text.charCodeAt(next))) next++
      if (text[next] === ':') {
        const name = JSON.parse(text.slice(at, end)) as string
        const names = open.at(-1)!
        if (names.has(name)) throw new SyntaxError(`Duplicate name ${JSON.stringify(name)}`)
        names.add(name)
      }
      at = end - 1
    }
  }
  return value
}
