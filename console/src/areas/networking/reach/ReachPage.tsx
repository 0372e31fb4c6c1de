import { useT } from '../../../i18n/use-t'
import { Page } from '../../../patterns/Page'
import { ServiceBanner } from '../ServiceBanner'
import { ReachPanel } from './ReachPanel'
import css from './reach.module.css'

/** The connectivity check as a separate page. */
export default function ReachPage() {
  const t = useT('networking')
  return (
    <Page title={t('reach.title')}>
      <ServiceBanner />
      <div className={css.page}>
        <ReachPanel title={t('reach.check')} />
      </div>
    </Page>
  )
}
