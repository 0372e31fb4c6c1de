import type code from '../../locales/en/code.json'
import type common from '../../locales/en/common.json'
import type errors from '../../locales/en/errors.json'
import type iframe from '../../locales/en/iframe.json'
import type locks from '../../locales/en/locks.json'
import type notices from '../../locales/en/notices.json'
import type palette from '../../locales/en/palette.json'
import type patterns from '../../locales/en/patterns.json'
import type permissions from '../../locales/en/permissions.json'
import type query from '../../locales/en/query.json'
import type savedViews from '../../locales/en/savedViews.json'
import type shell from '../../locales/en/shell.json'
import type theme from '../../locales/en/theme.json'
import commonEnglish from '../../locales/en/common.json'
import shellEnglish from '../../locales/en/shell.json'
import type { LanguageId } from './languages'
import type { Messages } from './message'

/**
 * All catalogues by name. These belong to the shell; each area declares its own in its `area.ts`. The English catalogue
 * defines the type, so that an unknown key does not compile.
 */
export interface Catalogues {
  common: typeof common
  code: typeof code
  errors: typeof errors
  iframe: typeof iframe
  locks: typeof locks
  notices: typeof notices
  palette: typeof palette
  patterns: typeof patterns
  permissions: typeof permissions
  query: typeof query
  savedViews: typeof savedViews
  shell: typeof shell
  theme: typeof theme
}

export type Area = keyof Catalogues
/** A key in the area’s catalogue or in the common one. */
export type Key<A extends Area = Area> = keyof Catalogues['common'] | (A extends Area ? keyof Catalogues[A] : never)

// One chunk per language and area, loaded on first use and compiled by catalogue-plugin.ts.
const files = import.meta.glob<Messages>(['../../locales/*/*.json', '!../../locales/en/{common,shell}.json'], {
  import: 'default',
})
/**
 * A catalogue of contract messages, such as validation errors: `contract/networking`. The English texts are in the
 * contract itself.
 */
export type ContractArea = `contract/${string}`

async function fileOf(language: LanguageId, area: Area | ContractArea): Promise<Messages | undefined> {
  if (!area.startsWith('contract/')) return files[`../../locales/${language}/${area}.json`]?.()
  const { contractCatalogue } = await import('./contract-catalogue')
  return contractCatalogue(language, area.slice('contract/'.length))
}

// part of the first chunk, because every page needs them
const loaded = new Map<string, Messages>([
  ['en/common', commonEnglish],
  ['en/shell', shellEnglish],
])
const loading = new Map<string, Promise<Messages>>()

/**
 * Adds English catalogues that the caller imports statically. They are then part of its chunk and need no requests. Every
 * language falls back to English, so they are loaded in any case.
 */
export function keepEnglish(catalogues: Partial<Record<Area, Messages>>) {
  for (const [area, messages] of Object.entries(catalogues)) loaded.set(`en/${area}`, messages)
}

/** Returns the catalogue if it is already loaded. */
export const catalogueNow = (language: LanguageId, area: Area | ContractArea) => loaded.get(`${language}/${area}`)

/** Areas loaded so far. A language change loads all of them before it takes effect. */
export const areasInUse = () =>
  new Set([...loaded.keys()].map((key) => key.slice(key.indexOf('/') + 1) as Area | ContractArea))

/** Languages that have translations; the others fall back to English. */
export const translatedLanguages = () => new Set(['en', ...Object.keys(files).map((file) => file.split('/')[3])])

/** Marks a promise as fulfilled so that `use()` returns its value without suspending. React reads these two fields. */
const settled = (promise: Promise<Messages>, value: Messages) => Object.assign(promise, { status: 'fulfilled', value })

/** Loads a catalogue once; later calls return the same promise. Missing translations fall back to English. */
export function loadCatalogue(language: LanguageId, area: Area | ContractArea): Promise<Messages> {
  const key = `${language}/${area}`
  const known = loading.get(key)
  if (known) return known
  const here = loaded.get(key)
  const promise: Promise<Messages> = here
    ? settled(Promise.resolve(here), here)
    : fetchCatalogue(language, area).then((messages) => {
        loaded.set(key, messages)
        return messages
      })
  promise.then(
    (messages) => settled(promise, messages),
    () => loading.delete(key), // the next page that needs the catalogue retries the request
  )
  loading.set(key, promise)
  return promise
}

/**
 * Contract catalogues to load together with an area’s catalogue, because the area’s components also show contract
 * messages.
 */
const beside: Partial<Record<Area | ContractArea, ContractArea>> = {
  alerts: 'contract/monitoring',
  infrastructure: 'contract/infrastructure',
  nodes: 'contract/infrastructure',
  settings: 'contract/infrastructure',
  computeCluster: 'contract/compute',
}

async function fetchCatalogue(language: LanguageId, area: Area | ContractArea): Promise<Messages> {
  const also = beside[area]
  const [own] = await Promise.all([fetchOne(language, area), also && loadCatalogue(language, also)])
  return own
}

async function fetchOne(language: LanguageId, area: Area | ContractArea): Promise<Messages> {
  if (language === 'en') return catalogueNow('en', area) ?? (await fileOf('en', area)) ?? {}
  if (language === 'en-XA') {
    const [{ pseudoCatalogue }, base] = await Promise.all([import('./pseudo'), loadCatalogue('en', area)])
    return pseudoCatalogue(base)
  }
  const [base, own] = await Promise.all([loadCatalogue('en', area), fileOf(language, area)])
  return own ? { ...base, ...own } : base
}
