import type { StoredBackup } from '@mainstay/contract/infrastructure/management-backup'
import { useT } from '../../../i18n/use-t'
import { Panel } from '../../../ui/Panel'
import { CodeBlock } from '../../../ui/values/CodeBlock'
import { Mono } from '../../../ui/values/Mono'
import css from './backup.module.css'

/** Explains how to restore a backup, with the newest backup as the example. */
export function RestoreSteps({ newest }: { newest: StoredBackup | undefined }) {
  const t = useT('infrastructure')
  return (
    <Panel title={t('backup.restore')}>
      <div className={css.stack}>
        <ol className={css.steps}>
          <li>
            {newest ? t('backup.restore.installVersion', { version: newest.version }) : t('backup.restore.install')}
          </li>
          <li>
            {newest
              ? t('backup.restore.copyNamed', { name: <Mono key="name">{newest.name}</Mono> })
              : t('backup.restore.copy')}
          </li>
          <li>
            {t('backup.restore.run')}
            <div className={css.command}>
              <CodeBlock label={t('backup.restore.command')}>
                {`npm start -- --restore ${newest?.name ?? t('backup.restore.file')}`}
              </CodeBlock>
            </div>
          </li>
          <li>{t('backup.restore.start')}</li>
        </ol>
        <p className={css.note}>{t('backup.restore.note')}</p>
      </div>
    </Panel>
  )
}
