/** Bits of a part of a pattern: which positions a character fits. `rest`: characters that the part does not name. */
function masksOf(part: string): { named: ReadonlyMap<number, Int32Array>; rest: Int32Array } {
  const rest = new Int32Array(Math.ceil(part.length / 32))
  const set = (mask: Int32Array, at: number) => (mask[at >> 5] = mask[at >> 5]! | (1 << (at & 31)))
  for (let at = 0; at < part.length; at++) if (part[at] === '?') set(rest, at)
  const named = new Map<number, Int32Array>()
  for (let at = 0; at < part.length; at++) {
    if (part[at] === '?') continue
    const code = part.charCodeAt(at)
    const mask = named.get(code) ?? rest.slice()
    set(mask, at)
    named.set(code, mask)
  }
  return { named, rest }
}

/**
 * The end of the first occurrence of a part, in which `?` is any character, within `text` from `from` to `to`; -1: there is none.
 * All positions of the part advance at once, 32 in a word (Shift-And): nothing is read twice.
 */
function endOfFirst(text: string, part: string, from: number, to: number): number {
  if (to - from < part.length) return -1
  const { named, rest } = masksOf(part)
  const state = new Int32Array(rest.length)
  const [lastWord, lastBit] = [(part.length - 1) >> 5, 1 << ((part.length - 1) & 31)]
  for (let at = from; at < to; at++) {
    const mask = named.get(text.charCodeAt(at)) ?? rest
    let carry = 1
    for (let word = 0; word < state.length; word++) {
      const before = state[word]!
      state[word] = ((before << 1) | carry) & mask[word]!
      carry = before >>> 31
    }
    if ((state[lastWord]! & lastBit) !== 0) return at + 1
  }
  return -1
}

/** Whether a part without `*` fits the text at a position. */
function fitsAt(text: string, part: string, from: number): boolean {
  for (let at = 0; at < part.length; at++) if (part[at] !== '?' && part[at] !== text[from + at]) return false
  return true
}

/**
 * Whether a text matches a pattern, in which `*` is any characters and `?` any one. The pattern is split at its stars, and each part
 * takes the first place that it fits: the work is the length of the text times one for each 32 characters of the longest part.
 */
export function isLike(text: string, pattern: string): boolean {
  const parts = pattern.split('*')
  const first = parts[0]!
  if (parts.length === 1) return text.length === pattern.length && fitsAt(text, pattern, 0)
  const last = parts.at(-1)!
  const to = text.length - last.length
  if (to < first.length || !fitsAt(text, first, 0) || !fitsAt(text, last, to)) return false
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    if (part !== '') at = endOfFirst(text, part, at, to)
    if (at < 0) return false
  }
  return true
}
