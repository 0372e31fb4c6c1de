/*
 * Bidirectional text in messages. A name in the opposite direction would move adjacent punctuation, such as `“` and
 * `?`, to the wrong side. Such a name is therefore isolated (U+2068 … U+2069, the equivalent of <bdi>).
 */
export type Direction = 'ltr' | 'rtl'

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const letter = /\p{L}/gu
/** Direction controls within a value, which could break out of the isolate. */
const ownMarks = /[\u202a-\u202e\u2066-\u2069]/g

/** The direction of the first letter; undefined if there is none. */
export function directionOf(text: string): Direction | undefined {
  const [first] = text.match(/\p{L}/u) ?? []
  return first === undefined ? undefined : rightToLeft.test(first) ? 'rtl' : 'ltr'
}

/**
 * Prepares a value for a sentence of the given direction: isolates it if it contains letters of the opposite direction.
 */
export function isolateDirection(value: string, sentence: Direction | undefined): string {
  const plain = value.replace(ownMarks, '')
  const isOther = (found: string) => directionOf(found) !== sentence
  return sentence && plain.match(letter)?.some(isOther) ? `\u2068${plain}\u2069` : plain
}
