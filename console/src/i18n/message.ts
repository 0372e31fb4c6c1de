import { type ReactElement, type ReactNode, Children } from 'react'
import { formatToParts } from 'intl-messageformat'
import { dateTimeFormat, numberFormat, pluralRules } from '../lib/intl-cache'

export type MessageTree = Parameters<typeof formatToParts>[0]
/** A message as catalogue-plugin.ts leaves it: plain text, or the tree of an ICU message. */
export type Message = string | MessageTree
export type Messages = Readonly<Record<string, Message>>

export type Values = Readonly<Record<string, string | number | bigint | boolean | Date | null | undefined>>
/** With elements, or with functions for the tags of the message (`<b>…</b>`), the answer is a node and not a text. */
export type RichValues = Readonly<
  Record<string, Values[string] | ReactElement | ((chunks: ReactNode[]) => ReactElement | string)>
>

const formatters = {
  getNumberFormat: (locales?: string | string[], options?: Intl.NumberFormatOptions) =>
    numberFormat(String(locales), options),
  getDateTimeFormat: (locales?: string | string[], options?: Intl.DateTimeFormatOptions) =>
    dateTimeFormat(String(locales), options),
  getPluralRules: (locales?: string | string[], options?: Intl.PluralRulesOptions) =>
    pluralRules(String(locales), options),
}

// The named styles that a message may use: {share, number, percent}, {when, date, medium}, {when, time, short}.
const formats = {
  number: { integer: { maximumFractionDigits: 0 }, percent: { style: 'percent', maximumFractionDigits: 2 } },
  date: { medium: { dateStyle: 'medium' }, long: { dateStyle: 'long' } },
  time: { short: { timeStyle: 'short' }, medium: { timeStyle: 'medium' } },
} as const

/** Fills a message in. All parts that are text become one text; anything else stays a list of nodes. */
export function fill(message: Message, tag: string, values: RichValues = {}): ReactNode {
  if (typeof message === 'string') return message
  const parts = formatToParts(message, tag, formatters as never, formats as never, values as never)
  if (parts.every(({ value }) => typeof value !== 'object')) return parts.map(({ value }) => String(value)).join('')
  return Children.toArray(parts.map(({ value }) => value as ReactNode))
}
