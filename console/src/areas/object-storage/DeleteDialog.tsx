import { useEffect, useRef, useState, type ReactNode } from 'react'
import { asProblem, type CallProblem } from '../../api/problem'
import { problemText } from '../../api/problem-text'
import { useFormat } from '../../i18n/use-format'
import { useT } from '../../i18n/use-t'
import { guardLeaving } from '../../notices/leave-guard'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import { ProgressBar } from '../../ui/feedback/ProgressBar'
import { TextField } from '../../ui/fields/TextField'
import { Dialog } from '../../ui/overlays/Dialog'
import css from './DeleteDialog.module.css'
import { groupsOf, type DeleteProgress, type ReportProgress } from './delete-run'

interface DeleteDialogProps {
  title: string
  /** Explains what will be lost. */
  text: ReactNode
  verb: string
  /** Label of the progress bar: "Deleting objects". */
  runningText: string
  /** Number of items; undefined if unknown. */
  total?: number | undefined
  /** Text that the user must type to confirm. */
  typed?: string | undefined
  /** "12 deleted", shown while running and after cancelling. */
  deletedText: (count: number) => string
  run: (signal: AbortSignal, tell: ReportProgress) => Promise<DeleteProgress>
  /** Returns true if it handled the problem, for example by asking another question. */
  onProblem?: ((problem: CallProblem) => boolean) | undefined
  /** `isWhole`: everything was deleted. `isBegun`: some items may have been deleted. */
  onClose: (outcome: { isWhole: boolean; isBegun: boolean }) => void
}

/** Asks for confirmation, shows cancellable deletion progress, and lists the items that failed by reason. */
export function DeleteDialog(props: DeleteDialogProps) {
  const { title, text, verb, runningText, total, typed, deletedText, run, onProblem, onClose } = props
  const t = useT('patterns')
  const shell = useT('shell')
  const own = useT('objectStorage')
  const format = useFormat()
  const [written, write] = useState('')
  const [state, setState] = useState<'asking' | 'running' | 'over' | 'calledOff'>('asking')
  const [progress, setProgress] = useState<DeleteProgress>({ deleted: 0, faults: [] })
  const [problem, setProblem] = useState<CallProblem>()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => (state === 'running' ? guardLeaving() : undefined), [state])
  useEffect(() => () => controller.current?.abort(), [])

  async function start() {
    const { signal } = (controller.current = new AbortController())
    setState('running')
    setProblem(undefined)
    try {
      const end = await run(signal, setProgress)
      setProgress(end)
      if (end.faults.length === 0 && !end.failed) return onClose({ isWhole: true, isBegun: true })
      setState('over')
    } catch (thrown) {
      const found = asProblem(thrown)
      if (signal.aborted) setState('calledOff')
      else if (!onProblem?.(found)) {
        setProblem(found)
        setState('over')
      }
    }
  }

  // a server-side run returns only the first few errors
  const unnamed = (progress.failed ?? 0) - progress.faults.length
  const isOver = state === 'over' || state === 'calledOff'
  const close = () =>
    state === 'running'
      ? controller.current?.abort()
      : onClose({ isWhole: false, isBegun: isOver || progress.deleted > 0 })
  return (
    <Dialog
      isOpen
      isFirm
      hasNoCross
      role="alertdialog"
      title={title}
      onClose={close}
      footer={
        <>
          <Button autoFocus onPress={close}>
            {isOver ? own('close') : t('cancel')}
          </Button>
          {!isOver && (
            <Button
              variant="danger"
              isBusy={state === 'running'}
              isDisabled={typed !== undefined && written !== typed}
              onPress={() => void start()}
            >
              {verb}
            </Button>
          )}
        </>
      }
    >
      <div className={css.parts}>
        {state === 'asking' && <div>{text}</div>}
        {state === 'asking' && typed !== undefined && (
          <TextField label={t('confirm.type', { text: typed })} value={written} onChange={write} isMono />
        )}
        {state === 'running' && (
          <ProgressBar
            label={runningText}
            share={total === undefined || total === 0 ? null : (progress.deleted + progress.faults.length) / total}
            detail={
              total === undefined
                ? deletedText(progress.deleted)
                : own('delete.of', { done: format.number(progress.deleted), total: format.number(total) })
            }
          />
        )}
        {problem && <Banner tone="bad">{problemText(problem, shell)}</Banner>}
        {state === 'calledOff' && <Banner tone="warn">{own('delete.calledOff')}</Banner>}
        {isOver && <p role="status">{deletedText(progress.deleted)}</p>}
        {isOver &&
          groupsOf(progress.faults).map(({ message, names }) => (
            <section key={message} className={css.group}>
              <h3>{own('delete.stay', { count: names.length, shown: format.number(names.length) })}</h3>
              <p>{message}</p>
              <ul className={css.names}>
                {names.slice(0, MOST_NAMES).map((name) => (
                  <li key={name}>
                    <bdi>{name}</bdi>
                  </li>
                ))}
                {names.length > MOST_NAMES && <li>{own('delete.more', { count: names.length - MOST_NAMES })}</li>}
              </ul>
            </section>
          ))}
        {isOver && unnamed > 0 && <p>{own('delete.more', { count: unnamed })}</p>}
      </div>
    </Dialog>
  )
}

/** Maximum number of names listed per reason. */
const MOST_NAMES = 20
