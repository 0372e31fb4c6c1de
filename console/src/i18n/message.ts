import { Fragment, createElement, isValidElement, type ReactElement, type ReactNode } from 'react'
import type { MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { dateTimeFormat, numberFormat, pluralRules } from '../lib/intl-cache'
import { directionOf, isolateDirection, type Direction } from './direction'

export type MessageTree = readonly MessageFormatElement[]
/** A message as compiled by catalogue-plugin.ts: plain text or the syntax tree of an ICU message. */
export type Message = string | MessageTree
export type Messages = Readonly<Record<string, Message>>

export type Values = Readonly<Record<string, string | number | bigint | boolean | Date | null | undefined>>
/** Values that make the result a node instead of a string: elements, or functions for tags (`<b>…</b>`). */
export type RichValues = Readonly<
  Record<string, Values[string] | ReactElement | ((chunks: ReactNode[]) => ReactElement | string)>
>

// Node types of the parser. Its enum is not imported, so that the parser does not end up in the browser bundle.
const literal = 0
const argument = 1
const number = 2
const date = 3
const time = 4
const select = 5
const plural = 6
const pound = 7

// Named number styles: {share, number, percent}. Dates and times use the Intl styles: {when, date, long}.
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

/** The direction of a message’s own text, ignoring its arguments. */
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
        return isValidElement(value) ? value : isolateDirection(`${(value ?? '') as string}`, direction)
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

/** Adds keys to elements. The index is a stable key because the message fixes the order. */
const keyed = (nodes: ReactNode[]) =>
  nodes.map((node, key) => (isValidElement(node) ? createElement(Fragment, { key }, node) : node))

/** Fills in the arguments of a message. Returns a string if all parts are text, otherwise a list of nodes. */
export function fill(message: Message, tag: string, values: RichValues = {}): ReactNode {
  if (typeof message === 'string') return message
  const all = parts(message, { tag, values, direction: wordsOf(message) })
  return all.every((part) => typeof part === 'string') ? all.join('') : keyed(all)
}
