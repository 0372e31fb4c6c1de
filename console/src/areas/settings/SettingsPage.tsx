import { lazy, Suspense } from 'react'
import { useRouterState } from '@tanstack/react-router'
import { read, update } from '@mainstay/contract/core/endpoint'
import { useT } from '../../i18n/use-t'
import { Page } from '../../patterns/Page'
import { useMay } from '../../session/may'
import { Skeleton } from '../../ui/feedback/Skeleton'
import { Tabs } from '../../ui/Tabs'
import css from './settings.module.css'

/** The parts of the settings, each at an address of its own, with who may look at it. */
const parts = {
  email: { Part: lazy(() => import('./email/EmailPart')), needs: read('settings_notifications') },
  certificate: { Part: lazy(() => import('./certificate/CertificatePart')), needs: read('ssl') },
  ldap: { Part: lazy(() => import('./ldap/LdapPart')), needs: read('settings_ldap') },
  sessions: { Part: lazy(() => import('./sessions/SessionsPart')), needs: read('settings_sessions') },
  'recycle-bin': {
    Part: lazy(() => import('./recycle-bin/RecycleBinPart')),
    needs: read('settings_recycle_bin'),
  },
  appearance: { Part: lazy(() => import('./appearance/AppearancePart')), needs: update('domain_props') },
  reports: { Part: lazy(() => import('./reports/ReportsPart')), needs: read('settings_notifications') },
}
type PartId = keyof typeof parts
const partIds = Object.keys(parts) as PartId[]

/** `/settings/…`: one part of the settings, with the way to the others. */
export default function SettingsPage() {
  const t = useT('settings')
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const selected = partIds.find((id) => path.endsWith(`/${id}`)) ?? 'email'
  const { Part } = parts[selected]
  const may = useMay()
  return (
    <Page title={t('settings.title')}>
      <Tabs
        label={t('settings.tabs')}
        selected={selected}
        items={partIds
          .filter((id) => may(parts[id].needs))
          .map((id) => ({ id, label: t(`${id}.title`), href: `/settings/${id}` }))}
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
