import { parseMessage } from '@mainstay/contract/core/message-tree'
import type { LanguageId } from './languages'
import type { Message, Messages } from './message'

type Entries = Readonly<Record<string, string | readonly [code: string, text: string]>>

// one chunk per area and language, loaded when its first message is needed
const english = import.meta.glob<Record<string, Entries>>('../../../contract/src/*/messages.ts')
const translated = import.meta.glob<Entries>('../../locales/*/contract/*.json', { import: 'default' })

/** Parses a message with the same parser that the build uses for the other catalogues. */
const tree = (text: string) => (text.includes('{') ? parseMessage(text) : text) as Message

/** The messages of a contract area in the given language; undefined if there are none. */
export async function contractCatalogue(language: LanguageId, area: string): Promise<Messages | undefined> {
  const found =
    language === 'en'
      ? Object.values((await english[`../../../contract/src/${area}/messages.ts`]?.()) ?? {})[0]
      : await translated[`../../locales/${language}/contract/${area}.json`]?.()
  return (
    found &&
    Object.fromEntries(Object.entries(found).map(([key, it]) => [key, tree(typeof it === 'string' ? it : it[1])]))
  )
}
