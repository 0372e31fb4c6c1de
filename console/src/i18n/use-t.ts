import { use, type ReactNode } from 'react'
import { catalogueNow, loadCatalogue, type Area, type Key } from './catalogues'
import { currentLanguage, useLanguage } from './language'
import type { Language } from './languages'
import { fill, type RichValues, type Values } from './message'

/** `t('saved', { name })` returns a string; with elements or tag functions among the values it returns a node. */
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
        // a message that cannot be formatted must not break the page, but should be noticed in development
        if (import.meta.env.DEV) throw problem
      }
      return key
    }) as Translate<Area>
    made.set(id, t)
  }
  return t
}

/**
 * The UI strings for an area: `const t = useT('compute')`, then `t('instances.title')`. Includes the keys of `common`.
 * Suspends while the catalogue is loading; a route can start loading it early with `loadTexts`.
 */
export function useT<A extends Area>(area: A): Translate<A> {
  const language = useLanguage()
  const catalogue = loadCatalogue(language.id, area)
  // React requires use() again in the render after a suspension, even if the catalogue is loaded by then
  use(catalogue)
  return translator(language, area) as Translate<A>
}

/** Loads an area’s UI strings in the current language, in parallel with the page’s code. */
export const loadTexts = (area: Area): Promise<unknown> => loadCatalogue(currentLanguage().id, area)

/** For use outside components (page titles, toasts). The area’s catalogue must already be loaded; see `loadTexts`. */
export const textsNow = <A extends Area>(area: A) => translator(currentLanguage(), area) as Translate<A>
