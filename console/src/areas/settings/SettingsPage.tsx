import { lazy, Suspense } from 'react'
import { useRouterState } from '@tanstack/react-router'
import { useT } from '../../i18n/use-t'
import { Page } from '../../patterns/Page'
import { Skeleton } from '../../ui/feedback/Skeleton'
import { Tabs } from '../../ui/Tabs'
import css from './settings.module.css'

/** The parts of the settings, each at an address of its own. */
const parts = {
  email: lazy(() => import('./email/EmailPart')),
  certificate: lazy(() => import('./certificate/CertificatePart')),
  reports: lazy(() => import('./reports/ReportsPart')),
}
type PartId = keyof typeof parts
const partIds = Object.keys(parts) as PartId[]

/** `/settings/…`: one part of the settings, with the way to the others. */
export default function SettingsPage() {
  const t = useT('settings')
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const selected = partIds.find((id) => path.endsWith(`/${id}`)) ?? 'email'
  const Part = parts[selected]
  return (
    <Page title={t('settings.title')}>
      <Tabs
        label={t('settings.tabs')}
        selected={selected}
        items={partIds.map((id) => ({ id, label: t(`${id}.title`), href: `/settings/${id}` }))}
      >
        <div className={css.part}>
          <Suspense fallback={<Skeleton width="320px" />}>
            <Part />
          </Suspense>
        </div>
      </Tabs>
    </Page>
  )
}
