import { brands } from '../themes/brands/brands'
import { useTheme } from '../themes/theme'

/** What the brand fixes: names and links. */
export const useBrand = () => brands[useTheme().brand]
