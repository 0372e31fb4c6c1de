import { useState } from 'react'
import type { ManagementBackup, StoredBackup } from '@mainstay/contract/infrastructure/management-backup'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { CellNote, SmallTable, type SmallColumn } from '../../../patterns/table/SmallTable'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { Bytes } from '../../../ui/values/Bytes'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import css from './backup.module.css'
import { shortKey } from './short-key'

/** Number of rows shown initially. */
const FIRST = 7

/** Lists the stored backups, newest first. */
export function KeptBackups({ backup: { backups, keep, key } }: { backup: ManagementBackup }) {
  const t = useT('infrastructure')
  const format = useFormat()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? backups : backups.slice(0, FIRST)
  const columns: readonly SmallColumn<StoredBackup>[] = [
    {
      id: 'created',
      label: t('backup.kept.created'),
      render: ({ created_at, recipient }) => (
        <>
          <bdi>{format.dateTime(created_at)}</bdi>
          {recipient !== key?.recipient && (
            <CellNote>{t('backup.kept.earlierKey', { key: shortKey(recipient) })}</CellNote>
          )}
        </>
      ),
    },
    { id: 'size', label: t('backup.kept.size'), isAtEnd: true, render: ({ size }) => <Bytes of={size} /> },
    {
      id: 'version',
      label: t('backup.kept.version'),
      isWide: true,
      render: ({ version }) => <bdi>{version}</bdi>,
    },
    {
      id: 'checked',
      label: t('backup.kept.checked'),
      render: ({ verified_at }) => (
        <span title={format.exact(verified_at)}>
          <StatusBadge tone="ok">{t('backup.kept.readBack')}</StatusBadge>
        </span>
      ),
    },
    { id: 'location', label: t('backup.kept.location'), render: ({ location }) => <Mono>{location}</Mono> },
  ]
  return (
    <Panel
      isFlush
      title={t('backup.kept')}
      count={backups.length > 0 ? t('backup.kept.count', { count: backups.length, keep }) : undefined}
    >
      <SmallTable
        label={t('backup.kept')}
        rows={shown}
        keyOf={({ location }) => location}
        columns={columns}
        empty={t('backup.kept.empty')}
      />
      {shown.length < backups.length && (
        <div className={css.more}>
          <Button variant="plain" size="small" onPress={() => setWhole(true)}>
            {t('backup.kept.more', { count: backups.length - shown.length })}
          </Button>
        </div>
      )}
    </Panel>
  )
}
