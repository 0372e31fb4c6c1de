/* JSON in which each name of an object stands once: of two, one reader takes the first and another the last. */

/** Objects and lists inside each other. */
const MOST_DEPTH = 32
/** Characters of a name that a fault tells. */
const MOST_TOLD = 100

const [QUOTE, COLON, BACKSLASH] = [34, 58, 92]
const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13

/** The place behind the string that begins at `from` with a quote, in well-formed JSON. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); ; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at + 1
  }
}

/** The name between the quotes at `from` and before `end`. */
function nameAt(text: string, from: number, end: number): string {
  const name = text.slice(from + 1, end - 1)
  return name.includes('\\') ? (JSON.parse(text.slice(from, end)) as string) : name
}

/**
 * Why well-formed JSON is not taken: an object has two members of one name, however the names are escaped, or it is nested deeper than
 * 32 levels; null: it is taken. Takes time linear in the size of the text, which the caller bounds.
 */
export function jsonFault(text: string): string | null {
  // names of the objects that are open; null: a list
  const open: (Set<string> | null)[] = []
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) {
      const end = endOfString(text, at)
      let next = end
      while (isSpace(text.charCodeAt(next))) next++
      if (text.charCodeAt(next) === COLON) {
        const name = nameAt(text, at, end)
        const names = open.at(-1)!
        if (names.has(name)) return `Duplicate name ${JSON.stringify(name.slice(0, MOST_TOLD))}`
        names.add(name)
      }
      at = end - 1
    } else if (sign === 123 || sign === 91) {
      if (open.length >= MOST_DEPTH) return `More than ${MOST_DEPTH} levels of nesting`
      open.push(sign === 123 ? new Set() : null)
    } else if (sign === 125 || sign === 93) open.pop()
  }
  return null
}

/** Parses JSON. Throws `SyntaxError` with the reason where it is malformed, or has a `jsonFault`. */
export function parseUniqueJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  const fault = jsonFault(text)
  if (fault !== null) throw new SyntaxError(fault)
  return value
}
