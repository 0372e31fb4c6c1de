/*
 * JSON of strangers: small enough to be parsed at once, and with each name of an object once. Of two, one reader takes the first and
 * another the last.
 */

/** Objects and lists inside each other. */
const MOST_DEPTH = 32
/** Objects, lists and what stands in them. A body with twice as many wrong fields takes 70 ms to check. */
const MOST_VALUES = 5_000
/** Characters of a name that a fault tells. */
const MOST_TOLD = 100

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92]
const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13

/** The place behind the string that begins at `from` with a quote; the end of the text if the string does not end. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return text.length
}

/** The name between the quotes at `from` and before `end`; as it stands there if it is malformed. */
function nameAt(text: string, from: number, end: number): string {
  const name = text.slice(from + 1, end - 1)
  if (!name.includes('\\')) return name
  try {
    return JSON.parse(text.slice(from, end)) as string
  } catch {
    return name
  }
}

/**
 * Why JSON is not taken before it is parsed: an object has two members of one name, however the names are escaped, or it is nested
 * deeper than 32 levels, or has more than 5 000 values; null: it is taken, if it is well-formed. Takes time linear in the size of the
 * text, which the caller bounds.
 */
export function jsonFault(text: string): string | null {
  // names of the objects that are open; null: a list
  const open: (Set<string> | null)[] = []
  let values = 1
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) {
      const end = endOfString(text, at)
      let next = end
      while (isSpace(text.charCodeAt(next))) next++
      if (text.charCodeAt(next) === COLON) {
        const name = nameAt(text, at, end)
        const names = open.at(-1)
        if (names?.has(name)) return `Duplicate name ${JSON.stringify(name.slice(0, MOST_TOLD))}`
        names?.add(name)
      }
      at = end - 1
    } else if (sign === 123 || sign === 91) {
      if (open.length >= MOST_DEPTH) return `More than ${MOST_DEPTH} levels of nesting`
      open.push(sign === 123 ? new Set() : null)
      values++
    } else if (sign === 125 || sign === 93) open.pop()
    else if (sign === COMMA) values++
    if (values > MOST_VALUES) return `More than ${MOST_VALUES} values`
  }
  return null
}

/** Parses JSON. Throws `SyntaxError` with the reason where it is malformed, or has a `jsonFault`. */
export function parseUniqueJson(text: string): unknown {
  const fault = jsonFault(text)
  if (fault !== null) throw new SyntaxError(fault)
  return JSON.parse(text)
}
