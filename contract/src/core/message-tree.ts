/*
 * Parser for the contract's messages: the subset of the ICU message format that the server and the console read at run
 * time. The trees are compatible with `@formatjs/icu-messageformat-parser`, so that the console's message formatter
 * accepts them.
 */

/** A part of a message; `type` uses the same numbers as that parser. */
export type MessagePart =
  | { type: typeof LITERAL; value: string }
  /** `{name}`: text, or a number, inserted as is. `{n, number}`: a number in the locale's format. */
  | { type: typeof ARGUMENT | typeof NUMBER; value: string }
  | { type: typeof SELECT; value: string; options: Choices }
  | { type: typeof PLURAL; value: string; options: Choices; offset: 0; pluralType: 'cardinal' }
  /** `#` in a plural. */
  | { type: typeof POUND }
type Choices = Record<string, { value: MessagePart[] }>

const LITERAL = 0
const ARGUMENT = 1
const NUMBER = 2
const SELECT = 5
const PLURAL = 6
const POUND = 7

export type MessageValues = Readonly<Record<string, string | number>>

const BRACES = /^\{\s*(\w+)\s*(?:\}|,\s*(number)\s*\}|,\s*(plural|select)\s*,\s*)/
const SELECTOR = /^\s*(=?\w+)\s*\{/

/** Parses a message. Throws on syntax outside this subset; a test parses all messages. */
export function parseMessage(text: string): MessagePart[] {
  let at = 0
  const fail = (): never => {
    throw new Error(`Not a message at ${at}: ${text}`)
  }
  function options(): Choices {
    const found: Choices = {}
    for (;;) {
      const selector = SELECTOR.exec(text.slice(at))
      if (!selector) break
      at += selector[0].length
      found[selector[1]!] = { value: parts(true) }
      if (text[at] !== '}') fail()
      at += 1
    }
    at += /^\s*/.exec(text.slice(at))![0].length
    if (text[at] !== '}' || !found['other']) fail()
    at += 1
    return found
  }
  function parts(isOption: boolean): MessagePart[] {
    const found: MessagePart[] = []
    while (at < text.length && text[at] !== '}') {
      if (text[at] === '#' && isOption) {
        found.push({ type: POUND })
        at += 1
        continue
      }
      if (text[at] !== '{') {
        const literal = (isOption ? /^[^{}#]+/ : /^[^{}]+/).exec(text.slice(at))![0]
        at += literal.length
        found.push({ type: LITERAL, value: literal })
        continue
      }
      const argument = BRACES.exec(text.slice(at)) ?? fail()
      at += argument[0].length
      const [, value, number, choices] = argument as unknown as [string, string, string?, string?]
      if (choices === 'plural')
        found.push({ type: PLURAL, value, options: options(), offset: 0, pluralType: 'cardinal' })
      else if (choices) found.push({ type: SELECT, value, options: options() })
      else found.push({ type: number ? NUMBER : ARGUMENT, value })
    }
    return found
  }
  const tree = parts(false)
  return at === text.length ? tree : fail()
}

const inEnglish = (value: unknown) => Number(value).toLocaleString('en')

/** Formats a message in English. Missing values are omitted. */
export function fillEnglish(tree: readonly MessagePart[], values: MessageValues, count?: number): string {
  const texts = tree.map((part) => {
    if (part.type === LITERAL) return part.value
    if (part.type === POUND) return inEnglish(count)
    const value = values[part.value] ?? ''
    if (part.type === ARGUMENT) return `${value}`
    if (!('options' in part)) return inEnglish(value)
    const { options } = part
    const form =
      part.type === SELECT ? `${value}` : `=${value}` in options ? `=${value}` : value === 1 ? 'one' : 'other'
    return fillEnglish((options[form] ?? options['other']!).value, values, Number(value))
  })
  return texts.join('')
}
