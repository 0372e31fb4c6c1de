import { DEFAULT_DOMAIN_ID } from '@mainstay/contract/identity/default-domain'
import { GENERAL_THEME } from '@mainstay/contract/identity/themes'
import { useT } from '../../../i18n/use-t'
import { ThemePart } from '../../../patterns/theme/ThemePart'
import css from '../settings.module.css'

/** `/settings/appearance`: the default theme, used unless a domain has its own. */
export default function AppearancePart() {
  const t = useT('settings')
  return (
    <>
      <p className={css.intro}>{t('appearance.intro')}</p>
      <ThemePart domainId={DEFAULT_DOMAIN_ID} themeKey={GENERAL_THEME} heading="h2" />
    </>
  )
}
