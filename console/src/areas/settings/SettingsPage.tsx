import type { ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { Page } from '../../patterns/Page'
import { Tabs } from '../../ui/Tabs'

/** The parts of the settings, each of them a page. */
const parts = ['email'] as const
export type SettingsPart = (typeof parts)[number]

/** One part of the settings, with the way to the others. */
export function SettingsPage({ part, children }: { part: SettingsPart; children: ReactNode }) {
  const t = useT('settings')
  return (
    <Page title={t('settings.title')}>
      <Tabs
        label={t('settings.tabs')}
        selected={part}
        items={parts.map((id) => ({ id, label: t(`${id}.title`), href: `/settings/${id}` }))}
      >
        {children}
      </Tabs>
    </Page>
  )
}
