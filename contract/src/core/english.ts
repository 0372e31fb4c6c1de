import { messages } from '../messages'
import { fillEnglish, parseMessage, type MessagePart } from './message-tree'
import { boundValues, withRules, type Said } from './said'

type Entry = string | readonly [code: string, text: string]

function entryOf(key: string): Entry | undefined {
  const dot = key.indexOf('.')
  const area = (messages as unknown as Record<string, Record<string, Entry>>)[key.slice(0, dot)]
  return area && Object.hasOwn(area, key.slice(dot + 1)) ? area[key.slice(dot + 1)] : undefined
}

function knownEntry(key: string): Entry {
  const entry = entryOf(key)
  if (entry === undefined) throw new Error(`There is no message ${key}`)
  return entry
}

const trees = new Map<string, readonly MessagePart[]>()

/** Returns the English text of a message. Values are inserted as text, truncated to 1000 characters each. */
export function englishOf({ key, values }: Said): string {
  let tree = trees.get(key)
  if (!tree) {
    const entry = knownEntry(key)
    tree = parseMessage(typeof entry === 'string' ? entry : entry[1])
    trees.set(key, tree)
  }
  return fillEnglish(tree, boundValues(values))
}

/** Returns the `err_code` of a message. */
export function codeOf(key: string): string {
  const entry = knownEntry(key)
  return typeof entry === 'string' ? 'validation' : entry[0]
}

/** Replaces each encoded rule in a text with its English sentence. */
export const englishText = (text: string): string =>
  withRules(text, (said) => (entryOf(said.key) === undefined ? said.key : englishOf(said)))
