/**
 * Returns the bit masks of the positions at which each character matches. `rest` is the mask for characters that are
 * not in the part.
 */
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
 * Returns the end of the first match of a part within `text`, from `from` to `to`; -1 if there is none. `?` matches any
 * character. Shift-And: all positions advance at once, 32 per word, so that no character is read twice.
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

/** Whether a part without `*` matches the text at a position. */
function fitsAt(text: string, part: string, from: number): boolean {
  for (let at = 0; at < part.length; at++) if (part[at] !== '?' && part[at] !== text[from + at]) return false
  return true
}

/**
 * Whether a text matches a pattern, where `*` matches any text and `?` one character. Each part between stars is
 * matched at its first occurrence. Runs in time proportional to the text length, multiplied by the length of the
 * longest part in units of 32 characters.
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
