import type { ReactNode } from 'react'
import { loadTexts } from '../../i18n/use-t'
import { confirmDelete, type DeleteQuestion } from '../dialogs/confirm-delete'
import { RecycleChoice } from './RecycleChoice'
import { tellRecycled } from './tell-recycled'

interface RecycleQuestion extends Pick<DeleteQuestion, 'title' | 'verb'> {
  item: { id: string; name: string }
  /** Number of days during which the object can be restored. */
  days: number
  /** Describes the consequences of the choice. */
  textOf: (isPermanent: boolean) => ReactNode
  run: (query: { permanent: 'true' | 'false' }, signal: AbortSignal) => Promise<unknown>
}

/** Asks for confirmation before deleting an object, either permanently or to the recycle bin with an option to undo. */
export async function askRecycle({ title, verb, item, days, textOf, run }: RecycleQuestion): Promise<boolean> {
  await loadTexts('recycleBin')
  let isPermanent = false
  const isDone = await confirmDelete({
    title,
    verb,
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
