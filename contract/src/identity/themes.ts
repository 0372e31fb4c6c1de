import { says } from '../core/said'
import * as z from 'zod'
import { KiB } from '../core/bytes'
import { colorSchemes } from './color-schemes'

/**
 * Domain properties that hold a theme: `THEME` for the domain itself and, in the default domain, `GENERAL_THEME` for
 * all others.
 */
export const THEME = 'theme'
export const GENERAL_THEME = 'GeneralTheme'
export const themeKeys = [THEME, GENERAL_THEME] as const
export const isThemeKey = (key: string): key is (typeof themeKeys)[number] => themeKeys.some((one) => one === key)

/** Images in a theme: maximum size in bytes, and allowed types. */
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

/** Returns the schema for an image as a base64 `data:` URL. The server also checks the content. */
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

/** Branding of the console in a domain: names, colors and images. Omitted fields use the product's defaults. */
export const Theme = z.strictObject({
  /** Shown in page titles and on the sign-in page. */
  productTitle: Title,
  /** Shown in the header. */
  productName: Title,
  colorScheme: z.enum(colorSchemes, says('identity.scheme_name')).optional(),
  logo: pictureOf('logo'),
  loginLogo: pictureOf('loginLogo'),
  favicon: pictureOf('favicon'),
  /** Shows a limited-use notice on the sign-in page. */
  limitedUse: z.boolean().optional(),
})
export type Theme = z.infer<typeof Theme>

/** Maximum size of a theme as JSON in bytes: three images and a few strings. */
export const mostThemeBytes = 800 * KiB
