import { useRef, useState } from 'react'
import { problemText } from '../api/problem-text'
import type { Row } from '../api/use-list'
import { useT } from '../i18n/use-t'
import { toast } from '../notices/notices'
import { Button } from '../ui/Button'
import { Dialog } from '../ui/overlays/Dialog'
import { Disclosure } from '../ui/Disclosure'
import { ProgressBar } from '../ui/feedback/ProgressBar'
import { groupBy, runBulk, type BulkAction, type BulkResult, type Group } from './bulk'
import css from './BulkDialog.module.css'

type Step<Item> = { of: 'ask' } | { of: 'run'; finished: number; all: number } | ({ of: 'failed' } & BulkResult<Item>)

interface BulkDialogProps<Item extends Row> {
  action: BulkAction<Item>
  items: readonly Item[]
  /** `isDone` when something was done, so that the selection goes. */
  onClose: (isDone: boolean) => void
}

const nameOf = (item: Row) => (item as { name?: string }).name ?? item.id

/** Asks, does it to each, and says what became of each: grouped by reason, what failed can be tried again. */
export function BulkDialog<Item extends Row>({ action, items, onClose }: BulkDialogProps<Item>) {
  const t = useT('patterns')
  const shell = useT('shell')
  const [step, setStep] = useState<Step<Item>>({ of: 'ask' })
  const abort = useRef<AbortController>(undefined)
  const isDone = useRef(false)

  const reasonOf = (item: Item) => action.skippedBecause?.(item)
  const eligible = items.filter((item) => reasonOf(item) === undefined)
  const skipped = groupBy(
    items.filter((item) => reasonOf(item) !== undefined),
    (item) => reasonOf(item) ?? '',
  )

  async function start(chosen: readonly Item[]) {
    const controller = (abort.current = new AbortController())
    setStep({ of: 'run', finished: 0, all: chosen.length })
    const result = await runBulk(chosen, action.run, {
      signal: controller.signal,
      onStep: (finished) => setStep({ of: 'run', finished, all: chosen.length }),
    })
    isDone.current ||= result.done.length > 0
    if (result.done.length > 0) toast(action.done(result.done.length))
    if (result.failed.length > 0) setStep({ of: 'failed', ...result })
    else onClose(isDone.current)
  }

  const close = () => (step.of === 'run' ? abort.current?.abort() : onClose(isDone.current))
  const failed = step.of === 'failed' ? step.failed : []

  return (
    <Dialog
      isOpen
      isFirm
      role="alertdialog"
      size="normal"
      title={step.of === 'failed' ? t('bulk.failedTitle', { failed: failed.length }) : action.ask(eligible.length)}
      onClose={close}
      hasNoCross
      footer={
        <>
          <Button onPress={close} autoFocus={step.of === 'ask'}>
            {step.of === 'run' ? t('bulk.stop') : step.of === 'failed' ? t('close') : t('cancel')}
          </Button>
          {step.of === 'ask' && (
            <Button
              variant={action.isDanger ? 'danger' : 'primary'}
              isDisabled={eligible.length === 0}
              onPress={() => void start(eligible)}
            >
              {action.verb(eligible.length)}
            </Button>
          )}
          {step.of === 'failed' && (
            <Button variant="primary" onPress={() => void start(failed.map(({ item }) => item))}>
              {t('bulk.retryFailed', { failed: failed.length })}
            </Button>
          )}
        </>
      }
    >
      {step.of === 'ask' && (
        <div className={css.parts}>
          {action.note && <p>{action.note}</p>}
          <Names items={eligible} />
          {skipped.length > 0 && (
            <section className={css.parts}>
              <h3>{t('bulk.skipped', { skipped: items.length - eligible.length })}</h3>
              <Groups groups={skipped} />
            </section>
          )}
        </div>
      )}
      {step.of === 'run' && (
        <ProgressBar
          label={t('bulk.progress', { finished: step.finished, all: step.all })}
          share={step.finished / step.all}
        />
      )}
      {step.of === 'failed' && (
        <Groups
          groups={groupBy(failed, ({ problem }) => problemText(problem, shell)).map(({ message, items: found }) => ({
            message,
            items: found.map(({ item }) => item),
          }))}
        />
      )}
    </Dialog>
  )
}

const shownAtFirst = 8

function Names({ items }: { items: readonly Row[] }) {
  const t = useT('patterns')
  const names = items.map((item) => <li key={item.id}>{nameOf(item)}</li>)
  if (items.length <= shownAtFirst) return <ul className={css.names}>{names}</ul>
  return (
    <Disclosure title={t('bulk.list', { count: items.length })}>
      <ul className={css.names}>{names}</ul>
    </Disclosure>
  )
}

const Groups = ({ groups }: { groups: readonly Group<Row>[] }) => (
  <ul className={css.groups}>
    {groups.map(({ message, items }) => (
      <li key={message}>
        <strong>{message}</strong>
        <Names items={items} />
      </li>
    ))}
  </ul>
)
