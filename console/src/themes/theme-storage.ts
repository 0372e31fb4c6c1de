/**
 * Stores the theme settings and applies them to `<html>`. Has no imports, because the boot script runs it before the
 * first paint; theme.ts uses it later.
 */

export type ThemeMode = 'light' | 'dark' | 'system'
export type Density = 'compact' | 'comfortable'

/**
 * `brand` and `scheme` are the last values from the server, stored so that the next start does not flash another color.
 */
export interface Looks {
  mode: ThemeMode
  density: Density
  brand: string | null
  scheme: string | null
}

export const looksKey = 'mainstay.looks'

const defaultLooks: Looks = { mode: 'system', density: 'compact', brand: null, scheme: null }

/** IDs are written into attributes and selectors, so anything else in the storage is ignored. */
const plainId = (value: unknown) => (typeof value === 'string' && /^[a-z]{1,32}$/.test(value) ? value : null)

export function readLooks(): Looks {
  try {
    const kept = JSON.parse(localStorage.getItem(looksKey) ?? '{}') as Partial<Record<keyof Looks, unknown>>
    return {
      mode: kept.mode === 'light' || kept.mode === 'dark' ? kept.mode : 'system',
      density: kept.density === 'comfortable' ? 'comfortable' : 'compact',
      brand: plainId(kept.brand),
      scheme: plainId(kept.scheme),
    }
  } catch {
    return { ...defaultLooks } // the browser blocks storage, or the JSON is invalid
  }
}

export function writeLooks(looks: Looks) {
  try {
    localStorage.setItem(looksKey, JSON.stringify(looks))
  } catch {
    // private mode or storage full: the choice lasts until the page is closed
  }
}

/** Sets the attributes that tokens.css and schemes.css depend on. */
export function showLooks({ mode, density, brand, scheme }: Looks, root: HTMLElement = document.documentElement) {
  root.dataset.theme = mode
  root.dataset.density = density
  if (brand) root.dataset.brand = brand
  else delete root.dataset.brand
  if (scheme) root.dataset.scheme = scheme
  else delete root.dataset.scheme
}
