import type { ReactNode } from 'react'
import { isRestorable } from '@mainstay/contract/storage/backup-rules'
import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import { useFormat } from '../../../../i18n/use-format'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { CheckTrace, Verdict, type Check } from '../../../../patterns/CheckTrace'
import type { RowAction } from '../../../../patterns/table/row-action'
import { useBackupCapabilities } from '../../../../patterns/use-backup-capabilities'
import { Button } from '../../../../ui/Button'
import { Panel } from '../../../../ui/Panel'
import { volumeBackupResource } from '../resource'
import { verdictOf } from './verdict'
import css from './VerdictPanel.module.css'

interface VerdictPanelProps {
  point: VolumeBackup
  /** Reads the stored files back. */
  verify: RowAction | undefined
}

/** Whether the recovery point can be restored: the verdict, and what is known about its stored files. */
export function VerdictPanel({ point, verify }: VerdictPanelProps) {
  const t = useT('storage')
  const canVerify = useBackupCapabilities()?.verify
  const { state, title, text } = verdictOf(point, canVerify, t)
  const checks = useStoredChecks(point)
  return (
    <Panel
      title={t('backups.restorable')}
      action={
        verify && (
          <Button
            size="small"
            icon={verify.icon}
            isBusy={point.status === 'verifying'}
            disabledBecause={verify.disabledBecause}
            onPress={() => verify.run?.()}
          >
            {verify.label}
          </Button>
        )
      }
    >
      <div className={css.parts}>
        <Verdict state={state} title={title}>
          {text}
        </Verdict>
        {checks.length > 0 && <CheckTrace label={t('backups.restorable')} checks={checks} />}
      </div>
    </Panel>
  )
}

/** The grades of proof: stored, read back, and started. Empty if the content is not stored. */
function useStoredChecks(point: VolumeBackup): Check[] {
  const t = useT('storage')
  const format = useFormat()
  const files = useFileChecks(point)
  const { restore_test: test } = point
  if (files.length === 0 || test === null) return files
  const values = { date: format.dateTime(test.at) }
  const lines: Record<typeof test.result, Omit<Check, 'id'>> = {
    confirmed: {
      state: 'passes',
      title: t('backups.line.confirmed', values),
      detail: t('backups.line.agentAnswered'),
    },
    started: { state: 'passes', title: t('backups.line.started', values), detail: t('backups.line.unconfirmed') },
    failed: { state: 'refused', title: t('backups.line.notStarted', values), detail: test.reason ?? undefined },
  }
  return files.concat({ id: 'started', ...lines[test.result] })
}

/** What is known about the stored files. */
function useFileChecks(point: VolumeBackup): Check[] {
  const t = useT('storage')
  const format = useFormat()
  const { id, stored_size: size, verified_at: verified, damaged_by: damagedBy } = point
  if (!isRestorable(point)) return []
  const stored: Check = {
    id: 'stored',
    state: 'passes',
    title: t('backups.line.stored'),
    detail: size !== null && format.bytes(size),
  }
  if (damagedBy !== null)
    return [
      stored,
      {
        id: 'intact',
        state: 'refused',
        title: t('backups.line.damaged'),
        detail:
          damagedBy === id
            ? t('backups.line.damagedThis')
            : t('backups.line.damagedOther', {
                link: (chunks: ReactNode[]) => (
                  <Link key="damaged" to={volumeBackupResource.paths.view(damagedBy)}>
                    {chunks}
                  </Link>
                ),
              }),
      },
    ]
  if (verified === null) return [stored, { id: 'intact', state: 'unknown', title: t('backups.line.unread') }]
  return [
    stored,
    {
      id: 'intact',
      state: 'passes',
      title: t('backups.line.intact'),
      detail: t('backups.readBack', { date: format.dateTime(verified) }),
    },
  ]
}
