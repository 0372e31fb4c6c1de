import { useSyncExternalStore } from 'react'
import { brands, isBrandId, type BrandId } from './brands/brands'
import { colorSchemes, type ColorScheme } from '@mainstay/contract/identity/color-schemes'
import { readLooks, showLooks, writeLooks, type Density, type Looks, type ThemeMode } from './theme-storage'

export type { Density, ThemeMode } from './theme-storage'

/** A domain’s overrides; missing values come from the brand. */
export type Branding = Partial<
  Record<'productTitle' | 'productName' | 'logo' | 'loginLogo' | 'favicon', string> & { limitedUse: boolean }
>

export interface Theme {
  /** The user’s choice. */
  readonly mode: ThemeMode
  /** The effective mode: `mode`, or the system setting. */
  readonly shown: 'light' | 'dark'
  readonly density: Density
  readonly brand: BrandId
  readonly scheme: ColorScheme
  readonly branding: Branding
}

const systemIsDark = typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : null
const listeners = new Set<() => void>()
let looks: Looks = readLooks()
let branding: Branding = {}
let theme: Theme = read()

function isScheme(value: unknown): value is ColorScheme {
  return colorSchemes.some((id) => id === value)
}

function read(): Theme {
  const brand = isBrandId(looks.brand) ? looks.brand : 'acronis'
  return {
    mode: looks.mode,
    shown: looks.mode === 'system' ? (systemIsDark?.matches ? 'dark' : 'light') : looks.mode,
    density: looks.density,
    brand,
    scheme: isScheme(looks.scheme) ? looks.scheme : brands[brand].scheme,
    branding,
  }
}

function tell() {
  theme = read()
  showLooks(looks)
  for (const listener of listeners) listener()
}

function change(part: Partial<Looks>) {
  looks = { ...looks, ...part }
  writeLooks(looks)
  tell()
}

systemIsDark?.addEventListener('change', tell)
if (typeof addEventListener === 'function') {
  // the theme was changed in another tab
  addEventListener('storage', ({ key }) => {
    if (key !== 'mainstay.looks') return
    looks = readLooks()
    tell()
  })
}

/** The current theme, for use outside components. */
export const currentTheme = () => theme

/** Sets the user’s choice, stored in this browser. */
export const setThemeMode = (mode: ThemeMode) => change({ mode })

/** Sets the row height: 36 px (`compact`) or 44 px (`comfortable`). Stored in this browser. */
export const setDensity = (density: Density) => change({ density })

/**
 * Applies the domain’s theme from the server. An unknown brand falls back to `acronis`, an unknown scheme to the
 * brand’s scheme.
 */
export function setBranding({ brand, scheme, ...own }: Branding & { brand?: unknown; scheme?: unknown }) {
  branding = own
  change({ brand: isBrandId(brand) ? brand : null, scheme: isScheme(scheme) ? scheme : null })
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The current theme; rerenders on change: `const { shown, scheme } = useTheme()`. Prefer tokens in CSS. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)

/** The current color of a token (`tokenColour('--series-1')`), for canvas drawing. */
export function tokenColour(token: `--${string}`, within: Element = document.body): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${token})`
  within.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
