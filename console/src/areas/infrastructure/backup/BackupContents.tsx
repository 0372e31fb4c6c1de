import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import { IdleIcon, OkIcon } from '../../../ui/icons'
import { Panel } from '../../../ui/Panel'
import css from './backup.module.css'

const included: readonly Key<'infrastructure'>[] = ['backup.contents.records', 'backup.contents.secrets']
const leftOut: readonly Key<'infrastructure'>[] = [
  'backup.contents.notDisks',
  'backup.contents.notObjects',
  'backup.contents.notMetrics',
]

/** Lists what a management backup contains and what it omits. */
export function BackupContents() {
  const t = useT('infrastructure')
  return (
    <Panel title={t('backup.contents')}>
      <ul className={css.contents}>
        {included.map((key) => (
          <li key={key} className={css.included}>
            <OkIcon />
            <span>{t(key)}</span>
          </li>
        ))}
        {leftOut.map((key) => (
          <li key={key}>
            <IdleIcon />
            <span>{t(key)}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
