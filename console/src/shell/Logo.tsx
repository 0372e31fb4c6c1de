import css from './Logo.module.css'
import { useBrand } from './product'

/**
 * The domain’s own logo or, by default, a neutral one (a keel and a stay). `of` selects the logo for the header or for
 * the sign-in page.
 */
export function Logo({ of = 'logo', size = 28 }: { of?: 'logo' | 'loginLogo'; size?: number }) {
  const { logo, loginLogo } = useBrand()
  const picture = (of === 'loginLogo' && loginLogo) || logo
  // decorative: the product name is shown next to it
  if (picture) return <img className={css.picture} src={picture} height={size} alt="" />
  return (
    <svg width={size} height={size} viewBox="0 0 28 28" fill="none" aria-hidden="true">
      <rect width="28" height="28" rx="7" fill="currentColor" fillOpacity="0.16" />
      <path
        d="M14 5v18M14 7 6 20h16z"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
    </svg>
  )
}
