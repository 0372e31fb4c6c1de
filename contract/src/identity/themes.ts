import { says } from '../core/said'
import * as z from 'zod'
import { KiB } from '../core/bytes'
import { colorSchemes } from './color-schemes'

/** The domain property that says how the console looks in a domain, and that of the default domain for all others. */
export const THEME = 'theme'
export const GENERAL_THEME = 'GeneralTheme'
export const themeKeys = [THEME, GENERAL_THEME] as const
export const isThemeKey = (key: string): key is (typeof themeKeys)[number] => themeKeys.some((one) => one === key)

/** The pictures of a theme: the most bytes of each, and what each may be. */
export const themePictures = {
  logo: { bytes: 256 * KiB, types: ['image/png', 'image/svg+xml'] },
  loginLogo: { bytes: 256 * KiB, types: ['image/png', 'image/svg+xml'] },
  favicon: { bytes: 64 * KiB, types: ['image/png', 'image/x-icon'] },
} as const
export type ThemePicture = keyof typeof themePictures

const Title = z
  .string()
  .trim()
  .min(1, says('core.enter_name'))
  .max(64, says('core.too_long', { most: 64 }))
  .optional()

/** A picture as a `data:` address in base64; the server looks at its bytes. */
const pictureOf = (name: ThemePicture) => {
  const { bytes, types } = themePictures[name]
  const begin = new RegExp(`^data:(${types.join('|').replaceAll('+', '\\+')});base64,[A-Za-z0-9+/]+={0,2}$`)
  const length = Math.ceil(bytes / 3) * 4 + 'data:image/svg+xml;base64,'.length
  return z
    .string()
    .max(length, says('identity.picture_too_large', { most: bytes / KiB }))
    .regex(begin, says('identity.picture_form', { types: types.join(' or ') }))
    .optional()
}

/** How the console looks in a domain: names, colours, pictures. What is left out is as the product has it. */
export const Theme = z.strictObject({
  /** In the title of pages and on the page to sign in. */
  productTitle: Title,
  /** In the header. */
  productName: Title,
  colorScheme: z.enum(colorSchemes, says('identity.scheme_name')).optional(),
  logo: pictureOf('logo'),
  loginLogo: pictureOf('loginLogo'),
  favicon: pictureOf('favicon'),
  /** The page to sign in says that this installation is for limited use. */
  limitedUse: z.boolean().optional(),
})
export type Theme = z.infer<typeof Theme>

/** The most that the data of a theme may be, as bytes of JSON: three pictures and some words. */
export const mostThemeBytes = 800 * KiB
