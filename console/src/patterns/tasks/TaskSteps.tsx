import type { Task, TaskStep, TaskStepState } from '@mainstay/contract/core/tasks'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import type { Key } from '../../i18n/catalogues'
import { useNow } from '../../lib/use-now'
import { stepText } from '../../notices/task-words'
import type { Tone } from '../../ui/tone'
import { StatusBadge } from '../../ui/values/StatusBadge'
import css from './TaskSteps.module.css'

const states: Readonly<Record<TaskStepState, readonly [Tone, Key<'tasks'>]>> = {
  waiting: ['idle', 'step.waiting'],
  running: ['busy', 'step.running'],
  done: ['ok', 'step.done'],
  failed: ['bad', 'step.failed'],
  cancelled: ['idle', 'step.cancelled'],
  undoing: ['busy', 'step.undoing'],
  undone: ['idle', 'step.undone'],
  undo_failed: ['bad', 'step.undoFailed'],
}

/** A task's steps in order, with state, duration and error. */
export function TaskSteps({ task, steps }: { task: Task; steps: readonly TaskStep[] }) {
  const t = useT('tasks')
  return (
    <section className={css.steps} aria-label={t('step.title')}>
      <h3>{t('step.title')}</h3>
      <ol>
        {steps.map((step) => {
          const [tone, key] =
            task.question && step.state === 'running' ? (['warn', 'list.waitsForYou'] as const) : states[step.state]
          return (
            <li key={step.name} aria-current={step.state === 'running' ? 'step' : undefined}>
              <span className={css.name}>{stepText(task, step.name, t)}</span>
              <span className={css.state}>
                <StatusBadge tone={tone}>{t(key)}</StatusBadge>
                <StepDuration step={step} />
              </span>
              {step.error !== null && <p className={css.error}>{step.error}</p>}
            </li>
          )
        })}
      </ol>
    </section>
  )
}

function StepDuration({ step: { began_at, ended_at } }: { step: TaskStep }) {
  const format = useFormat()
  const now = useNow()
  if (began_at === null) return null
  const end = ended_at === null ? now : Date.parse(ended_at)
  return <bdi className={css.duration}>{format.duration(Math.max(0, end - Date.parse(began_at)))}</bdi>
}
