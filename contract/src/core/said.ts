import type { messages } from '../messages'
import type { MessageValues } from './message-tree'

type Catalogues = typeof messages

/** `area.name` of each message of the contract. */
export type MessageKey = {
  [Area in keyof Catalogues]: `${Area}.${keyof Catalogues[Area] & string}`
}[keyof Catalogues]

type EntryOf<Key> = Key extends `${infer Area extends keyof Catalogues}.${infer Name}`
  ? Name extends keyof Catalogues[Area]
    ? Catalogues[Area][Name]
    : never
  : never
type TextOf<Key> = EntryOf<Key> extends readonly [string, infer Text] ? Text : EntryOf<Key>

/** The values that a text asks for. `Scan` looks for the next argument, `InChoices` stands between the choices of one. */
type Scan<Text, Depth extends unknown[], Found> = Text extends `${infer Before}{${infer After}`
  ? Before extends `${string}}${infer Later}`
    ? Leave<`${Later}{${After}`, Depth, Found>
    : Argument<After, Depth, Found>
  : Text extends `${string}}${infer Later}`
    ? Leave<Later, Depth, Found>
    : Found
type Leave<Text, Depth, Found> = Depth extends [unknown, ...infer Rest] ? InChoices<Text, Rest, Found> : Found
type Argument<Text, Depth extends unknown[], Found> = Text extends `${infer Inside}}${infer After}`
  ? Inside extends `${infer Name}, number`
    ? Scan<After, Depth, Found & Record<Name, number>>
    : Inside extends `${infer Name}, plural, ${string}`
      ? Text extends `${string}, plural, ${infer Choices}`
        ? InChoices<Choices, Depth, Found & Record<Name, number>>
        : never
      : Inside extends `${infer Name}, select, ${string}`
        ? Text extends `${string}, select, ${infer Choices}`
          ? InChoices<Choices, Depth, Found & Record<Name, string>>
          : never
        : Scan<After, Depth, Found & Record<Inside, string | number>>
  : never
type InChoices<Text, Depth extends unknown[], Found> = Text extends `${infer Selector}{${infer After}`
  ? Selector extends `${string}}${infer Later}`
    ? Scan<`${Later}{${After}`, Depth, Found>
    : Scan<After, [...Depth, 0], Found>
  : Text extends `${string}}${infer Later}`
    ? Scan<Later, Depth, Found>
    : Found

/** What the message of a key asks for: `{ cidr: string | number }`. A plural and `{n, number}` want a number. */
export type ValuesOf<Key extends MessageKey> = Key extends MessageKey ? Scan<TextOf<Key>, [], unknown> : never

/** A message of the contract with its values: what server and console say, each in its language. */
export interface Said {
  readonly key: MessageKey
  readonly values: MessageValues
}

/** The values of a key as an argument, which may be left out where its message asks for none. */
export type GivenValues<Key extends MessageKey> =
  unknown extends ValuesOf<Key> ? [values?: Readonly<Record<string, never>>] : [values: ValuesOf<Key>]

/** The longest value in a sentence, in characters: what others wrote may be of any length. */
const MOST_VALUE = 1000

/** The same values, each text of at most 1000 characters. */
export const boundValues = (values: MessageValues): MessageValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > MOST_VALUE ? `${value.slice(0, MOST_VALUE - 1)}…` : value,
    ]),
  )

/** Around the key and the values of a rule in a text. JSON has no such character. */
const MARK = '\u001f'
const ruleInText = new RegExp(`${MARK}([^${MARK}]+)${MARK}([^${MARK}]*)${MARK}`, 'g')

/**
 * A message and its values as a text: what zod takes as the `message` of a rule, and what functions that look for faults answer.
 * Nobody shows it as it is.
 */
export type RuleText = string & { readonly rule: never }

/** What a rule says: `z.string().max(64, says('core.too_long', { most: 64 }))`. */
export const says = <Key extends MessageKey>(key: Key, ...[values]: GivenValues<Key>): RuleText =>
  `${MARK}${key}${MARK}${JSON.stringify(values ?? {})}${MARK}` as RuleText

/** Null for what only looks like a rule: a text of others may have any characters. */
function saidBy(key: string, values: string): Said | null {
  try {
    const read: unknown = JSON.parse(values)
    return typeof read === 'object' && read !== null ? { key: key as MessageKey, values: read as MessageValues } : null
  } catch {
    return null
  }
}

/** What the rules in a text say. */
export const rulesIn = (text: string): Said[] =>
  [...text.matchAll(ruleInText)].flatMap(([, key, values]) => saidBy(key!, values!) ?? [])

/** A text with each rule in it as a sentence. */
export const withRules = (text: string, say: (said: Said) => string): string =>
  text.replace(ruleInText, (whole, key: string, values: string) => {
    const said = saidBy(key, values)
    return said ? say(said) : whole
  })
