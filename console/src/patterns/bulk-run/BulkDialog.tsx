import { useEffect, useState } from 'react'
import { bulkRuns } from '@mainstay/contract/core/bulk-runs'
import { tasks } from '@mainstay/contract/core/tasks'
import { problemText } from '../../api/problem-text'
import { useCall } from '../../api/use-call'
import type { Row } from '../../api/use-list'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { Banner } from '../../ui/feedback/Banner'
import { Dialog } from '../../ui/overlays/Dialog'
import { groupBy, type BulkAction } from './bulk'
import css from './bulk-run.module.css'
import { BulkOutcome } from './BulkOutcome'
import { ObjectGroups, ObjectNames } from './ObjectGroups'
import { useBulkRun } from './use-bulk-run'

interface BulkDialogProps<Item extends Row> {
  /** The kind of the objects. */
  kind: string
  action: BulkAction<Item>
  items: readonly Item[]
  /** `isDone` is true if a run was started; the caller then clears the selection. */
  onClose: (isDone: boolean) => void
}

/**
 * Asks for confirmation before a bulk action, leaving out objects that the server would refuse, then shows the progress
 * of the run. The run continues even if the user leaves the page.
 */
export function BulkDialog<Item extends Row>(props: BulkDialogProps<Item>) {
  const [run, setRun] = useState<{ id: string; task_id: string }>()
  return run ? <Run key={run.id} {...props} run={run} onRetried={setRun} /> : <Question {...props} onBegun={setRun} />
}

type Begun = (run: { id: string; task_id: string }) => void

function Question<Item extends Row>(props: BulkDialogProps<Item> & { onBegun: Begun }) {
  const { kind, action, items, onBegun, onClose } = props
  const t = useT('bulk')
  const common = useT('patterns')
  const shell = useT('shell')
  const create = useCall(bulkRuns.create)
  const reasonHere = (item: Item) => action.skippedBecause?.(item)
  const asked = items.filter((item) => reasonHere(item) === undefined)
  const draft = { kind, ...action.call, ids: asked.map(({ id }) => id) }
  const check = useView(bulkRuns.check, {}, { body: draft, isEnabled: asked.length > 0 })
  const refusals = new Map(check.data?.data.map(({ id, refusal }) => [id, refusal?.message]))
  const reasonOf = (item: Item) => reasonHere(item) ?? refusals.get(item.id)

  const eligible = items.filter((item) => reasonOf(item) === undefined)
  const skipped = groupBy(
    items.filter((item) => reasonOf(item) !== undefined),
    (item) => reasonOf(item) ?? '',
  )
  const isChecking = asked.length > 0 && check.isLoading
  const start = async () => {
    const body = { ...draft, ids: eligible.map(({ id }) => id) }
    // the error is shown above the names
    await create.run({ body }).then(onBegun, () => undefined)
  }
  return (
    <Dialog
      isOpen
      isFirm
      role="alertdialog"
      size="normal"
      title={action.ask(eligible.length)}
      onClose={() => onClose(false)}
      hasNoCross
      footer={
        <>
          <Button onPress={() => onClose(false)} autoFocus>
            {common('cancel')}
          </Button>
          <Button
            variant={action.isDanger ? 'danger' : 'primary'}
            isDisabled={eligible.length === 0}
            isBusy={isChecking || create.isPending}
            onPress={() => void start()}
          >
            {action.verb(eligible.length)}
          </Button>
        </>
      }
    >
      <div className={css.parts}>
        {create.problem && <Banner tone="bad">{problemText(create.problem, shell)}</Banner>}
        {typeof action.note === 'string' && <p>{action.note}</p>}
        <ObjectNames items={eligible} />
        {typeof action.note === 'function' && eligible.length > 0 && action.note(eligible)}
        {skipped.length > 0 && (
          <section className={css.parts}>
            <h3>{t('skipped', { skipped: items.length - eligible.length })}</h3>
            <ObjectGroups groups={skipped} />
          </section>
        )}
        {check.problem && <Banner tone="warn">{t('uncheckedAll')}</Banner>}
        {check.data && check.data.unchecked > 0 && <p>{t('unchecked', { count: check.data.unchecked })}</p>}
        <p className={css.quiet}>{t('goesOn')}</p>
      </div>
    </Dialog>
  )
}

function Run<Item extends Row>(
  props: BulkDialogProps<Item> & { run: { id: string; task_id: string }; onRetried: Begun },
) {
  const { action, run, onRetried, onClose } = props
  const t = useT('bulk')
  const common = useT('patterns')
  const followed = useBulkRun(run.id)
  const stop = useCall(tasks.cancel)
  const retry = useCall(bulkRuns.retry)
  const { isOver, left } = followed
  const isWhole = left?.length === 0
  useEffect(() => {
    if (isWhole) onClose(true)
    // `onClose` is a new function on every render
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isWhole])
  const count = followed.run?.count ?? 0
  return (
    <Dialog
      isOpen
      isFirm
      role="alertdialog"
      size="normal"
      title={isOver && left ? t('leftTitle', { left: left.length }) : action.verb(count)}
      onClose={() => onClose(true)}
      hasNoCross
      footer={
        isOver ? (
          <>
            <Button onPress={() => onClose(true)}>{common('close')}</Button>
            <Button
              variant="primary"
              isBusy={retry.isPending}
              isDisabled={!left || left.length === 0}
              onPress={() => void retry.run({ params: { id: run.id } }).then(onRetried, () => undefined)}
            >
              {t('retry', { left: left?.length ?? 0 })}
            </Button>
          </>
        ) : (
          <>
            <Button isBusy={stop.isPending} onPress={() => stop.start({ params: { id: run.task_id } })}>
              {t('stop')}
            </Button>
            <Button variant="primary" onPress={() => onClose(true)}>
              {t('background')}
            </Button>
          </>
        )
      }
    >
      <BulkOutcome followed={followed} />
    </Dialog>
  )
}
