import type { ReactNode } from 'react'
import { loadTexts } from '../../i18n/use-t'
import { confirmDelete, type DeleteQuestion } from '../dialogs/confirm-delete'
import { RecycleChoice } from './RecycleChoice'
import { tellRecycled } from './tell-recycled'

interface RecycleQuestion extends Pick<DeleteQuestion, 'title' | 'verb' | 'disabledBecause'> {
  item: { id: string; name: string }
  /** Number of days during which the object can be restored. */
  days: number
  /** Describes the consequences of the choice. */
  textOf: (isPermanent: boolean) => ReactNode
  run: (query: { permanent: 'true' | 'false' }, signal: AbortSignal) => Promise<unknown>
}

/** Confirms a deletion: either permanent, or to the recycle bin with an offer to undo it. */
export async function askRecycle(question: RecycleQuestion): Promise<boolean> {
  const { title, verb, disabledBecause, item, days, textOf, run } = question
  await loadTexts('recycleBin')
  let isPermanent = false
  const isDone = await confirmDelete({
    title,
    verb,
    disabledBecause,
    text: (
      <RecycleChoice
        days={days}
        onChange={(on) => {
          isPermanent = on
        }}
      >
        {textOf}
      </RecycleChoice>
    ),
    run: (signal) => run({ permanent: isPermanent ? 'true' : 'false' }, signal),
  })
  if (isDone && !isPermanent) tellRecycled(item, days)
  return isDone
}
