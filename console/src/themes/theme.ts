import { useSyncExternalStore } from 'react'
import { brands, isBrandId, type BrandId } from './brands/brands'
import { colorSchemes, type ColorScheme } from '@mainstay/contract/identity/color-schemes'
import { readLooks, showLooks, writeLooks, type Density, type Looks, type ThemeMode } from './theme-storage'

export type { Density, ThemeMode } from './theme-storage'

/** What a domain may say of its own; what is left out is the brand's. */
export type Branding = Partial<
  Record<'productTitle' | 'productName' | 'logo' | 'loginLogo' | 'favicon', string> & { limitedUse: boolean }
>

export interface Theme {
  /** What the person chose. */
  readonly mode: ThemeMode
  /** What is shown: `mode`, or what the system says now. */
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
  // another tab changed it
  addEventListener('storage', ({ key }) => {
    if (key !== 'mainstay.looks') return
    looks = readLooks()
    tell()
  })
}

/** What is shown now, for code that is no component. */
export const currentTheme = () => theme

/** The person's own choice, kept in this browser. */
export const setThemeMode = (mode: ThemeMode) => change({ mode })

/** Rows of 36 px (`compact`) or 44 px (`comfortable`), kept in this browser. */
export const setDensity = (density: Density) => change({ density })

/**
 * What the server says about the domain's theme. Unknown names fall back: the brand to `acronis`, the scheme to the
 * brand's own.
 */
export function setBranding({ brand, scheme, ...own }: Branding & { brand?: unknown; scheme?: unknown }) {
  branding = own
  change({ brand: isBrandId(brand) ? brand : null, scheme: isScheme(scheme) ? scheme : null })
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The theme, live: `const { shown, scheme } = useTheme()`. Components rarely need it; styles use tokens. */
export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme)

/** The colour that a token has now (`tokenColour('--series-1')`), for canvas, where CSS does not reach. */
export function tokenColour(token: `--${string}`, within: Element = document.body): string {
  const probe = document.createElement('i')
  probe.style.color = `var(${token})`
  within.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
