import { brands } from '../themes/brands/brands'
import { useTheme } from '../themes/theme'

/** What the page is called and the pictures it wears: as the brand has it, unless the domain says otherwise. */
export function useBrand() {
  const { brand, branding } = useTheme()
  return { ...brands[brand], ...branding }
}
