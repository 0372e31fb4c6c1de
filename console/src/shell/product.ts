import { brands } from '../themes/brands/brands'
import { useTheme } from '../themes/theme'

/**
 * What the page is called and the pictures it wears: as the brand has it, unless the domain says otherwise. A domain that
 * names its product and gives it no title has that name for a title (S1§2).
 */
export function useBrand() {
  const { brand, branding } = useTheme()
  const all = { ...brands[brand], ...branding }
  return { ...all, productTitle: branding.productTitle ?? branding.productName ?? all.productTitle }
}
