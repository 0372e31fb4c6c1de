import { use, type ReactNode } from 'react'
import { catalogueNow, loadCatalogue, type Area, type Key } from './catalogues'
import { currentLanguage, useLanguage } from './language'
import type { Language } from './languages'
import { fill, type RichValues, type Values } from './message'

/** `t('saved', { name })` is a text; with elements or functions for tags among the values it is a node. */
export interface Translate<A extends Area> {
  (key: Key<A>, values?: Values): string
  (key: Key<A>, values: RichValues): ReactNode
}

const made = new Map<string, Translate<Area>>()

function translator(language: Language, area: Area): Translate<Area> {
  const id = `${language.id}/${area}`
  let t = made.get(id)
  if (!t) {
    const messages = catalogueNow(language.id, area) ?? {}
    const common = catalogueNow(language.id, 'common') ?? {}
    t = ((key: string, values?: RichValues) => {
      const message = messages[key] ?? common[key]
      try {
        if (message !== undefined) return fill(message, language.tag, values)
        if (import.meta.env.DEV) throw new Error(`No text "${key}" in ${area}.json or common.json`)
      } catch (problem) {
        // A text that cannot be made must not take a page down; while developing it should
        if (import.meta.env.DEV) throw problem
      }
      return key
    }) as Translate<Area>
    made.set(id, t)
  }
  return t
}

/**
 * The texts of an area: `const t = useT('compute')`, then `t('instances.title')`. Knows the keys of `common` too.
 * Suspends while the catalogue is on its way; a route can start that early with `loadTexts`.
 */
export function useT<A extends Area>(area: A): Translate<A> {
  const language = useLanguage()
  const catalogue = loadCatalogue(language.id, area)
  // React wants use() again in the render after a pause, whatever has come meanwhile
  use(catalogue)
  return translator(language, area) as Translate<A>
}

/** Fetches an area's texts in the present language, to be had beside a page's code and not after it. */
export const loadTexts = (area: Area): Promise<unknown> => loadCatalogue(currentLanguage().id, area)

/** For code that is no component (a page title, a toast). The area's catalogue must be here already; see `loadTexts`. */
export const textsNow = <A extends Area>(area: A) => translator(currentLanguage(), area) as Translate<A>
