import type { Instance } from '@mainstay/contract/compute/instances'
import type { Key } from '../../../../i18n/catalogues'
import { useT } from '../../../../i18n/use-t'
import { useWatched } from '../../../../patterns/form/use-watched'
import { FormPart } from '../FormPart'
import css from './ReplaceSteps.module.css'

interface Step {
  title: Key<'storage'>
  note?: Key<'storage'>
}

/** The steps of a replacement, in order. A virtual machine that is shut down is not stopped and started. */
function stepsOf(isOff: boolean, keepsCurrent: boolean): Step[] {
  const current: Step = { title: 'backups.replace.step.current' }
  const exchange: Key<'storage'> = 'backups.replace.step.exchange'
  if (isOff)
    return [
      ...(keepsCurrent ? [current] : []),
      { title: 'backups.replace.step.volumes' },
      { title: exchange, note: 'backups.replace.step.exchangeOff' },
    ]
  return [
    ...(keepsCurrent ? [current] : []),
    { title: 'backups.replace.step.volumes', note: 'backups.replace.step.volumesNote' },
    { title: 'backups.replace.step.stop', note: 'backups.replace.step.stopNote' },
    { title: exchange, note: 'backups.replace.step.exchangeNote' },
    { title: 'backups.replace.step.start' },
  ]
}

/** What happens to the virtual machine, step by step. Inside the form, because a choice in it omits a step. */
export function ReplaceSteps({ machine: { status } }: { machine: Pick<Instance, 'status'> }) {
  const t = useT('storage')
  const keepsCurrent = useWatched<boolean>('keep_current')
  return (
    <FormPart title={t('backups.replace.steps')}>
      <ol className={css.steps} aria-label={t('backups.replace.steps')}>
        {stepsOf(status === 'SHUTOFF', keepsCurrent).map(({ title, note }) => (
          <li key={title}>
            {t(title)}
            {note && <span className={css.note}>{t(note)}</span>}
          </li>
        ))}
      </ol>
      <p className={css.note}>{t('backups.replace.kept')}</p>
    </FormPart>
  )
}
