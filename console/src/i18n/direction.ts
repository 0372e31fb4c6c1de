/*
 * Names inside sentences. A name in letters of the other direction would take the signs around it along: `“` and `?`
 * would stand on its wrong side. So such a name is set apart (U+2068 … U+2069, as <bdi> does for elements).
 */
export type Direction = 'ltr' | 'rtl'

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
const letter = /\p{L}/gu
/** Marks by which a text sets directions itself; they could end what sets it apart. */
const ownMarks = /[\u202a-\u202e\u2066-\u2069]/g

/** The direction of the first letter; undefined without one. */
export function directionOf(text: string): Direction | undefined {
  const [first] = text.match(/\p{L}/u) ?? []
  return first === undefined ? undefined : rightToLeft.test(first) ? 'rtl' : 'ltr'
}

/** A value as it stands in a sentence of a direction: set apart when it has letters of the other one. */
export function isolate(value: string, sentence: Direction | undefined): string {
  const plain = value.replace(ownMarks, '')
  const isOther = (found: string) => directionOf(found) !== sentence
  return sentence && plain.match(letter)?.some(isOther) ? `\u2068${plain}\u2069` : plain
}
