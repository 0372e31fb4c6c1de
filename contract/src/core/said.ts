import type { messages } from '../messages'
import type { MessageValues } from './message-tree'

type Catalogues = typeof messages

/** `area.name` of each message in the contract. */
export type MessageKey = {
  [Area in keyof Catalogues]: `${Area}.${keyof Catalogues[Area] & string}`
}[keyof Catalogues]

type EntryOf<Key> = Key extends `${infer Area extends keyof Catalogues}.${infer Name}`
  ? Name extends keyof Catalogues[Area]
    ? Catalogues[Area][Name]
    : never
  : never
type TextOf<Key> = EntryOf<Key> extends readonly [string, infer Text] ? Text : EntryOf<Key>

/**
 * Infers the values of a message from its text. `Scan` finds the next argument; `InChoices` is the state between the
 * choices of a plural or a select.
 */
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

/**
 * Values that the message with this key requires: `{ cidr: string | number }`. Plurals and `{n, number}` require a
 * number.
 */
export type ValuesOf<Key extends MessageKey> = Key extends MessageKey ? Scan<TextOf<Key>, [], unknown> : never

/** A contract message with its values. The server and the console each render it in their own language. */
export interface Said {
  readonly key: MessageKey
  readonly values: MessageValues
}

/** Values of a message as a rest argument, empty if the message has none. */
export type GivenValues<Key extends MessageKey> =
  unknown extends ValuesOf<Key> ? [values?: Readonly<Record<string, never>>] : [values: ValuesOf<Key>]

/** Maximum length of a value in a message, in characters, because user-supplied values can be of any length. */
const MOST_VALUE = 1000

/** Truncates each string to 1000 characters. */
export const boundValues = (values: MessageValues): MessageValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > MOST_VALUE ? `${value.slice(0, MOST_VALUE - 1)}…` : value,
    ]),
  )

/** Separates the key from the values in an encoded rule. It cannot occur in JSON. */
const MARK = '\u001f'
const ruleInText = new RegExp(`${MARK}([^${MARK}]+)${MARK}([^${MARK}]*)${MARK}`, 'g')

/**
 * A message and its values encoded as a string, for the `message` of a zod check and for functions that return
 * validation errors. It must be decoded before it is shown.
 */
export type RuleText = string & { readonly rule: never }

/** Encodes a message as a rule: `z.string().max(64, says('core.too_long', { most: 64 }))`. */
export const says = <Key extends MessageKey>(key: Key, ...[values]: GivenValues<Key>): RuleText =>
  `${MARK}${key}${MARK}${JSON.stringify(values ?? {})}${MARK}` as RuleText

/** Returns null if the text only resembles a rule, since user-supplied text can contain any character. */
function saidBy(key: string, values: string): Said | null {
  try {
    const read: unknown = JSON.parse(values)
    return typeof read === 'object' && read !== null ? { key: key as MessageKey, values: read as MessageValues } : null
  } catch {
    return null
  }
}

/** Decodes the rules in a text. */
export const rulesIn = (text: string): Said[] =>
  [...text.matchAll(ruleInText)].flatMap(([, key, values]) => saidBy(key!, values!) ?? [])

/** Replaces each rule in a text with the result of `say`. */
export const withRules = (text: string, say: (said: Said) => string): string =>
  text.replace(ruleInText, (whole, key: string, values: string) => {
    const said = saidBy(key, values)
    return said ? say(said) : whole
  })
