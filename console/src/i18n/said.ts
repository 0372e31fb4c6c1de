import { boundValues, rulesIn, withRules, type RuleText, type Said } from '@mainstay/contract/core/said'
import { useEffect, useState } from 'react'
import { catalogueNow, loadCatalogue, type ContractArea } from './catalogues'
import { currentLanguage } from './language'
import { fill } from './message'

const areaOf = (key: string): ContractArea =>
  `contract/${key.slice(0, key.indexOf('.')).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Loads the catalogues for these messages. `messageNow` returns null if a catalogue could not be loaded. */
export async function loadMessages(all: readonly Pick<Said, 'key'>[]): Promise<void> {
  const areas = new Set(all.map(({ key }) => areaOf(key)))
  await Promise.all([...areas].map((area) => loadCatalogue(currentLanguage().id, area).catch(() => {})))
}

/** Translates a contract message; null if it is unknown here, for example from a newer server version. */
export function messageNow({ key, values }: Said): string | null {
  const { id, tag } = currentLanguage()
  const message = catalogueNow(id, areaOf(key))?.[key.slice(key.indexOf('.') + 1)]
  if (message === undefined) return null
  try {
    return fill(message, tag, boundValues(values)) as string
  } catch {
    return null
  }
}

/** Translates a sentence that the server sent with its key. Returns the English text if the key is unknown here. */
export const saidText = (said: (Pick<Said, 'values'> & { key: string }) | null | undefined, message: string): string =>
  (said && messageNow(said as Said)) ?? message

/** Translates rule texts that are embedded in other text. */
export async function ruleText(text: string): Promise<string> {
  const rules = rulesIn(text)
  if (rules.length === 0) return text
  await loadMessages(rules)
  return ruleTextNow(text)
}

/** Like `ruleText`, for rules whose catalogues are already loaded with the page. */
export const ruleTextNow = (text: string): string => withRules(text, (said) => messageNow(said) ?? said.key)

/**
 * Translates the reason why an action is not possible, if the catalogue of its rule is loaded with the page; undefined
 * if the action is possible.
 */
export const reasonNow = (rule: RuleText | null): string | undefined => (rule === null ? undefined : ruleTextNow(rule))

/** Hook version of `ruleText`; undefined until the translation is loaded. */
export function useRuleText(text: string | undefined): string | undefined {
  const [said, setSaid] = useState<{ text: string; shown: string }>()
  useEffect(() => {
    let isOver = false
    if (text !== undefined)
      void ruleText(text).then((shown) => {
        if (!isOver) setSaid({ text, shown })
      })
    return () => {
      isOver = true
    }
  }, [text])
  return said?.text === text ? said?.shown : undefined
}
