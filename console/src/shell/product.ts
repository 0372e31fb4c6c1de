import { brands } from '../themes/brands/brands'
import { useTheme } from '../themes/theme'

/**
 * Product name, title and logos of the brand, with the overrides of the domain. If a domain sets a product name but no
 * title, the name is also the title (S1§2).
 */
export function useBrand() {
  const { brand, branding } = useTheme()
  const all = { ...brands[brand], ...branding }
  return { ...all, productTitle: branding.productTitle ?? branding.productName ?? all.productTitle }
}
