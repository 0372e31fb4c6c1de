import { Fragment, createElement, isValidElement, type ReactElement, type ReactNode } from 'react'
import type { MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { dateTimeFormat, numberFormat, pluralRules } from '../lib/intl-cache'
import { directionOf, isolate, type Direction } from './direction'

export type MessageTree = readonly MessageFormatElement[]
/** A message as catalogue-plugin.ts leaves it: plain text, or the tree of an ICU message. */
export type Message = string | MessageTree
export type Messages = Readonly<Record<string, Message>>

export type Values = Readonly<Record<string, string | number | bigint | boolean | Date | null | undefined>>
/** With elements, or with functions for the tags of the message (`<b>…</b>`), the answer is a node and not a text. */
export type RichValues = Readonly<
  Record<string, Values[string] | ReactElement | ((chunks: ReactNode[]) => ReactElement | string)>
>

// The numbers by which the parser names the kinds of parts. Its enum is not imported: only types of it reach the browser.
const literal = 0
const argument = 1
const number = 2
const date = 3
const time = 4
const select = 5
const plural = 6
const pound = 7

// The styles that a message may name: {share, number, percent}, {when, date, long}, {when, time, short}.
const numberStyles: Readonly<Record<string, Intl.NumberFormatOptions>> = {
  integer: { maximumFractionDigits: 0 },
  percent: { style: 'percent', maximumFractionDigits: 2 },
}

type Style = { parsedOptions?: object } | string | null | undefined

const numberOptions = (style: Style) => (typeof style === 'string' ? numberStyles[style] : style?.parsedOptions)

const momentOptions = (style: Style, what: 'dateStyle' | 'timeStyle') =>
  typeof style === 'object' && style?.parsedOptions
    ? (style.parsedOptions as Intl.DateTimeFormatOptions)
    : { [what]: style ?? 'medium' }

/** The direction of a message's own words. */
function wordsOf(tree: MessageTree): Direction | undefined {
  for (const part of tree) {
    const inner = 'children' in part ? [part.children] : []
    const options = 'options' in part ? Object.values(part.options).map(({ value }) => value) : inner
    const found =
      part.type === literal
        ? directionOf(part.value)
        : options.map(wordsOf).find((direction) => direction !== undefined)
    if (found) return found
  }
  return undefined
}

interface Filling {
  tag: string
  values: RichValues
  /** Of the sentence. */
  direction: Direction | undefined
}

function parts(tree: MessageTree, filling: Filling, count?: number): ReactNode[] {
  const { tag, values, direction } = filling
  return tree.flatMap((part): ReactNode | ReactNode[] => {
    if (part.type === literal) return part.value
    if (part.type === pound) return numberFormat(tag).format(count ?? 0)
    const value = values[part.value]
    if (value === undefined && !(part.value in values)) throw new Error(`The message wants {${part.value}}`)
    switch (part.type) {
      case argument:
        return isValidElement(value) ? value : isolate(`${(value ?? '') as string}`, direction)
      case number:
        return numberFormat(tag, numberOptions(part.style) ?? {}).format(value as number)
      case date:
        return dateTimeFormat(tag, momentOptions(part.style, 'dateStyle')).format(value as Date)
      case time:
        return dateTimeFormat(tag, momentOptions(part.style, 'timeStyle')).format(value as Date)
      case select:
        return parts((part.options[value as string] ?? part.options['other'])?.value ?? [], filling, count)
      case plural: {
        const shown = Number(value) - part.offset
        const form = pluralRules(tag, { type: part.pluralType ?? 'cardinal' }).select(shown)
        const option = part.options[`=${Number(value)}`] ?? part.options[form] ?? part.options['other']
        return parts(option?.value ?? [], filling, shown)
      }
      default:
        if (typeof value !== 'function') throw new Error(`The message wants a function for <${part.value}>`)
        return value(keyed(parts(part.children, filling, count)))
    }
  })
}

/** Their order is fixed by the message, so the place is as good a key as any. */
const keyed = (nodes: ReactNode[]) =>
  nodes.map((node, key) => (isValidElement(node) ? createElement(Fragment, { key }, node) : node))

/** Fills a message in. When all parts are text the answer is one text; otherwise a list of nodes. */
export function fill(message: Message, tag: string, values: RichValues = {}): ReactNode {
  if (typeof message === 'string') return message
  const all = parts(message, { tag, values, direction: wordsOf(message) })
  return all.every((part) => typeof part === 'string') ? all.join('') : keyed(all)
}
