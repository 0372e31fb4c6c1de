/** Says of a row of a copy whether it is meant. */
export type RowTest = (row: number) => boolean

/** The values of one column, by the numbers of rows. */
export interface ColumnCopy {
  set(row: number, value: unknown): void
  /** As it is sorted by. */
  at(row: number): string | number | boolean | null
}
export interface NumberColumn extends ColumnCopy {
  /** Rows whose number is right; `judge` is given NaN where there is none, and 0 and 1 for booleans. */
  where(judge: (number: number) => boolean): RowTest
}
export interface TextColumn extends ColumnCopy {
  at(row: number): string | null
  /** Rows whose text is right. A text that many rows have is judged once. */
  where(judge: (text: string | null) => boolean): RowTest
  /** Rows whose text has this part, which is not empty. */
  containing(part: string): RowTest
}

/** Numbers or booleans. */
export function numberColumn(type: 'number' | 'boolean'): NumberColumn {
  let numbers = new Float64Array(1024)
  return {
    set(row, value) {
      if (row >= numbers.length) {
        const more = new Float64Array(numbers.length * 2)
        more.set(numbers)
        numbers = more
      }
      numbers[row] = value === null ? Number.NaN : Number(value)
    },
    at(row) {
      const number = numbers[row]!
      if (Number.isNaN(number)) return null
      return type === 'boolean' ? number === 1 : number
    },
    where(judge) {
      const now = numbers
      return (row) => judge(now[row]!)
    },
  }
}

/** How many different texts count as few; 16 bits have room for them. */
const FEW_TEXTS = 1 << 14
const [UNKNOWN, NO, YES] = [0, 1, 2]

/**
 * Texts. While there are few different ones, each is kept once and rows hold its number; once there are many, as of names
 * and ids, rows hold the texts themselves, and those that no row has any more are not kept either.
 */
export function textColumn(fewTexts = FEW_TEXTS): TextColumn {
  let texts: (string | null)[] = [null]
  let codes: Uint16Array | null = new Uint16Array(1024)
  let codeOf = new Map<string | null, number>([[null, 0]])
  /** Texts of rows that follow each other, where they have been looked into since they changed. */
  const blocks: (Block | undefined)[] = []

  function keepEach(few: Uint16Array): void {
    texts = Array.from(few, (code) => texts[code]!)
    codes = null
    codeOf = new Map()
  }

  function setCode(few: Uint16Array, row: number, text: string | null): void {
    let code = codeOf.get(text)
    if (code === undefined) {
      code = texts.push(text) - 1
      codeOf.set(text, code)
    }
    if (row >= few.length) {
      codes = new Uint16Array(few.length * 2)
      codes.set(few)
    }
    codes![row] = code
  }

  function where(judge: (text: string | null) => boolean): RowTest {
    const [all, few] = [texts, codes]
    if (!few) return (row) => judge(all[row] ?? null)
    const known = new Uint8Array(all.length)
    return (row) => {
      const code = few[row]!
      if (known[code] === UNKNOWN) known[code] = judge(all[code]!) ? YES : NO
      return known[code] === YES
    }
  }

  return {
    set(row, value) {
      const text = value as string | null
      if (codes && texts.length >= fewTexts && !codeOf.has(text)) keepEach(codes)
      if (codes) setCode(codes, row, text)
      else if (texts[row] !== text) {
        texts[row] = text
        blocks[row >> BLOCK_BITS] = undefined
      }
    },
    at: (row) => (codes ? texts[codes[row]!]! : (texts[row] ?? null)),
    where,
    containing(part) {
      if (codes) return where((text) => text !== null && text.includes(part))
      const found = new Uint8Array(1 << BLOCK_BITS)
      let looked = -1
      return (row) => {
        const at = row >> BLOCK_BITS
        if (at !== looked) {
          const block = (blocks[at] ??= joinBlock(texts, at << BLOCK_BITS))
          markRows(block, part, found)
          looked = at
        }
        return found[row & (found.length - 1)] === 1
      }
    },
  }
}

const BLOCK_BITS = 8

/** Texts one after the other: to look through one long text is much quicker than through many short ones. */
interface Block {
  joined: string
  /** Where the text after each one begins. */
  next: Int32Array
}

function joinBlock(texts: readonly (string | null)[], from: number): Block {
  const some = texts.slice(from, from + (1 << BLOCK_BITS)).map((text) => text ?? '')
  let end = 0
  return { joined: some.join(BETWEEN), next: Int32Array.from(some, (text) => (end += text.length + 1)) }
}

function markRows({ joined, next }: Block, part: string, found: Uint8Array): void {
  found.fill(0)
  let row = 0
  for (let at = joined.indexOf(part); at >= 0; at = joined.indexOf(part, next[row])) {
    while (next[row]! <= at) row++
    found[row] = 1
  }
}

/** No text of the database holds it. */
const BETWEEN = '\0'

/** Tags as one text, in which each stands between two marks. */
export const joinTags = (tags: readonly string[]): string => ['', ...tags, ''].join(BETWEEN)
/** What a text of tags holds where they have this one. */
export const tagMark = (tag: string): string => BETWEEN + tag + BETWEEN
export const hasNoTags = (joined: string): boolean => joined === BETWEEN
/** Tags in a row, with spaces between. */
export const spelledTags = (joined: string): string => joined.slice(1, -1).replaceAll(BETWEEN, ' ')
