import type { ReactNode } from 'react'
import type { Key } from '../../i18n/catalogues'
import { useT } from '../../i18n/use-t'
import { Page } from '../../patterns/Page'
import css from './settings.module.css'

/** `/settings/…`: layout for a settings page. */
export function SettingsPage({ label, children }: { label: Key<'shell'>; children?: ReactNode }) {
  const shell = useT('shell')
  return (
    <Page title={shell(label)}>
      <div className={css.part}>{children}</div>
    </Page>
  )
}
