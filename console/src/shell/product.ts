import { brands } from '../themes/brands/brands'
import { useTheme } from '../themes/theme'

/**
 * The brand’s product name, title and logos, with the domain’s overrides. If a domain sets a product name but no title,
 * the name is also the title (S1§2).
 */
export function useBrand() {
  const { brand, branding } = useTheme()
  const all = { ...brands[brand], ...branding }
  return { ...all, productTitle: branding.productTitle ?? branding.productName ?? all.productTitle }
}
