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
export function textColumn(): TextColumn {
  let texts: (string | null)[] = [null]
  let codes: Uint16Array | null = new Uint16Array(1024)
  let codeOf = new Map<string | null, number>([[null, 0]])

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

  return {
    set(row, value) {
      const text = value as string | null
      if (codes && texts.length >= FEW_TEXTS && !codeOf.has(text)) keepEach(codes)
      if (codes) setCode(codes, row, text)
      else texts[row] = text
    },
    at: (row) => (codes ? texts[codes[row]!]! : (texts[row] ?? null)),
    where(judge) {
      const [all, few] = [texts, codes]
      if (!few) return (row) => judge(all[row] ?? null)
      const known = new Uint8Array(all.length)
      return (row) => {
        const code = few[row]!
        if (known[code] === UNKNOWN) known[code] = judge(all[code]!) ? YES : NO
        return known[code] === YES
      }
    },
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
