/*
 * Strict JSON parser for untrusted input: limits the size, and refuses duplicate names because parsers disagree on
 * which one to use.
 */

/** Maximum nesting depth of objects and arrays. */
const MOST_DEPTH = 32
/**
 * Maximum total number of objects, arrays and values in them. A body with twice as many invalid fields takes 70 ms to
 * validate.
 */
const MOST_VALUES = 5_000
/** Maximum length of a name in an error message, in characters. */
const MOST_TOLD = 100

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92]
const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13

/**
 * Returns the index just past the string whose opening quote is at `from`, or the end of the text if the string is
 * unterminated.
 */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++
    if (escapes % 2 === 0) return at + 1
  }
  return text.length
}

/** Returns the name in quotes from `from` to `end`, or the raw text if it is malformed. */
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
 * Checks JSON before it is parsed: returns an error if an object has duplicate names (even if they are escaped
 * differently), if it is nested deeper than 32 levels, or if it has more than 5 000 values; otherwise null. Malformed
 * JSON is not detected. Runs in linear time; callers must limit the size of the text.
 */
export function jsonFault(text: string): string | null {
  // names seen in each open object; null for an array
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

/** Parses JSON. Throws a `SyntaxError` if it is malformed or has a `jsonFault`. */
export function parseUniqueJson(text: string): unknown {
  const fault = jsonFault(text)
  if (fault !== null) throw new SyntaxError(fault)
  return JSON.parse(text)
}
