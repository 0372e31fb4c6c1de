import type { Theme } from '@mainstay/contract/identity/themes'
import { useT } from '../../i18n/use-t'
import { brands } from '../../themes/brands/brands'
import { useTheme } from '../../themes/theme'
import css from './theme.module.css'

/** Small preview of the header and the sign-in page with a theme applied. */
export function ThemePreview({ theme }: { theme: Theme }) {
  const t = useT('theme')
  const { brand: id } = useTheme()
  const brand = brands[id]
  const title = theme.productTitle || theme.productName || brand.productTitle
  const sign = theme.loginLogo ?? theme.logo
  return (
    <figure className={css.preview} data-scheme={theme.colorScheme ?? brand.scheme} aria-label={t('theme.preview')}>
      <div className={css.header}>
        {theme.logo && <img src={theme.logo} height={20} alt="" />}
        <strong>{theme.productName || brand.productName}</strong>
      </div>
      <div className={css.page}>
        <div className={css.card}>
          <span className={css.brand}>
            {sign && <img src={sign} height={24} alt="" />}
            <strong>{title}</strong>
          </span>
          <span className={css.button}>{t('theme.preview.signIn')}</span>
          {theme.limitedUse && <small>{t('theme.limitedUse')}</small>}
        </div>
      </div>
      <figcaption>
        {theme.favicon && <img src={theme.favicon} height={16} width={16} alt="" />}
        {t('theme.preview.page', { title })}
      </figcaption>
    </figure>
  )
}
