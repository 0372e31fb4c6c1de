import { useId, type ReactNode } from 'react'
import { managementBackup, type ManagementBackup } from '@mainstay/contract/infrastructure/management-backup'
import { problemText } from '../../../api/problem-text'
import { useCall } from '../../../api/use-call'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'
import { classes } from '../../../lib/classes'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { ProgressBar } from '../../../ui/feedback/ProgressBar'
import { BackupIcon, IdleIcon, OkIcon } from '../../../ui/icons'
import { toneIcons, type Tone } from '../../../ui/tone'
import tones from '../../../ui/tone.module.css'
import { Time } from '../../../ui/values/Time'
import { VisuallyHidden } from '../../../ui/VisuallyHidden'
import css from './BackupVerdict.module.css'

type State = 'unset' | 'first' | 'failed' | 'overdue' | 'ok'

function stateOf({ ready, overdue, runs: [run], backups }: ManagementBackup): State {
  if (!ready) return 'unset'
  if (run && run.error !== null) return 'failed'
  if (overdue) return 'overdue'
  return backups.length > 0 ? 'ok' : 'first'
}

const toneOf: Readonly<Record<State, Tone>> = {
  unset: 'idle',
  first: 'idle',
  failed: 'warn',
  overdue: 'warn',
  ok: 'ok',
}

/**
 * Shows whether the management records are backed up, how to fix it if they are not, and the progress of a running
 * backup.
 */
export function BackupVerdict({ backup }: { backup: ManagementBackup }) {
  const t = useT('infrastructure')
  const shell = useT('shell')
  const may = useMay()
  const heading = useId()
  const create = useCall(managementBackup.create, { refresh: [managementBackup.view] })
  const { ready, tasks, last_backup_date: last } = backup
  const state = stateOf(backup)
  const tone = toneOf[state]
  const VerdictIcon = toneIcons[tone]
  const running = tasks.length > 0 ? t('backup.now.running') : undefined
  return (
    <>
      <section className={classes(css.verdict, tones[tone])} aria-labelledby={heading}>
        <VerdictIcon />
        <div className={css.words}>
          <h2 id={heading}>
            {state === 'ok' ? t('backup.ok', { ago: <Time key="ago" at={last!} /> }) : t(`backup.${state}`)}
          </h2>
          <Words state={state} backup={backup} />
          {tasks.map(({ id, progress }) => (
            <div key={id} className={css.progress}>
              <ProgressBar label={t('backup.running')} share={progress ? progress / 100 : null} />
            </div>
          ))}
        </div>
        {may(managementBackup.create.needs) && (
          <Button
            icon={BackupIcon}
            isBusy={create.isPending}
            disabledBecause={ready ? running : t('backup.now.notReady')}
            onPress={() => create.start({ body: {} })}
          >
            {t('backup.now')}
          </Button>
        )}
      </section>
      {create.problem && (
        <Banner tone="bad" onClose={create.forget}>
          {problemText(create.problem, shell)}
        </Banner>
      )}
    </>
  )
}

function Words({ state, backup }: { state: State; backup: ManagementBackup }) {
  const t = useT('infrastructure')
  const format = useFormat()
  const { backups, next_backup_date: next, runs } = backup
  const [newest] = backups
  const values = newest && { time: format.dateTime(newest.created_at), size: format.bytes(newest.size) }
  const planned = next === null ? '–' : format.dateTime(next)
  const lastGood = values ? t('backup.lastGood', values) : t('backup.noneYet')
  switch (state) {
    case 'unset':
      return (
        <>
          <p>{t('backup.todo')}</p>
          <ul className={css.todo}>
            <Todo isDone={backup.place !== null}>{t('backup.todo.place')}</Todo>
            <Todo isDone={backup.key !== null}>{t('backup.todo.key')}</Todo>
          </ul>
        </>
      )
    case 'first':
      return <p>{t('backup.first.text', { next: planned })}</p>
    case 'failed':
      return (
        <>
          <p>
            <bdi>{runs[0]!.error}</bdi>
          </p>
          <p>{t('backup.failed.advice', { time: format.dateTime(runs[0]!.started_at) })}</p>
          <p>{lastGood}</p>
        </>
      )
    case 'overdue':
      return (
        <>
          <p>{lastGood}</p>
          <p>{t('backup.overdue.advice')}</p>
        </>
      )
    case 'ok':
      return <p>{t('backup.ok.text', { ...values, next: planned })}</p>
  }
}

function Todo({ isDone, children }: { isDone: boolean; children: ReactNode }) {
  const t = useT('infrastructure')
  return (
    <li className={isDone ? css.done : undefined}>
      {isDone ? <OkIcon /> : <IdleIcon />}
      <span>
        {isDone && <VisuallyHidden>{t('backup.todo.done')} </VisuallyHidden>}
        {children}
      </span>
    </li>
  )
}
